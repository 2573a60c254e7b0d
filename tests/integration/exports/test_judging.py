"""Domains are judged as they finish, and as an export judges them."""

from sqlalchemy import Engine, text

from prospector.core.visits.outcomes import DomainState
from prospector.jobs.exports.run import Stores
from prospector.jobs.judging import judge_finished
from prospector.store import domains, verdicts

from .conftest import CSV_ONLY, export, finish, make_job


def have_mentions(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(text("UPDATE domains SET mentions = 1 WHERE state = 'done' AND domain <> 'empty.example'"))


def kept(engine: Engine, job: str) -> dict[str, str | None]:
    with engine.connect() as connection:
        found = connection.execute(text("SELECT domain, verdict FROM domains WHERE job = :job"), {"job": job})
        return {row.domain: row.verdict for row in found}


def test_each_is_judged_once_and_as_in_the_prospects(engine: Engine, stores: Stores, job: str) -> None:
    have_mentions(engine)

    counts = [judge_finished(engine), judge_finished(engine)]

    judged = {domain: verdict for domain, verdict in kept(engine, job).items() if verdict}
    told = {row["domain"]: row["verdict"] for row in export(stores, job, CSV_ONLY).rows("prospects.csv")}
    assert counts == [6, 0]
    assert set(judged) == {f"{name}.example" for name in ("good", "boring", "menus", "linking", "parked", "nasty")}
    assert judged == {domain: told[domain] for domain in judged}
    with engine.connect() as connection:
        assert verdicts.qualified(connection, [job, "other"]) == {job: list(told.values()).count("qualified")}
    assert "qualified" in told.values()


def test_a_domain_that_is_tried_again_is_judged_again(engine: Engine, job: str) -> None:
    have_mentions(engine)
    judge_finished(engine)

    with engine.begin() as connection:
        domains.reopen(connection, job, [0])
    between = kept(engine, job)["good.example"], judge_finished(engine)
    finish(engine, job, domains.Finished(0, 2, DomainState.DONE, mentions=1))

    assert between == (None, 0)
    assert judge_finished(engine) == 1


def test_a_job_whose_results_are_gone_is_not_in_the_way_of_others(engine: Engine, job: str) -> None:
    archived = make_job(engine, name="archived")
    finish(engine, archived, domains.Finished(0, 1, DomainState.DONE, mentions=1))
    have_mentions(engine)
    with engine.begin() as connection:
        connection.execute(text("UPDATE jobs SET state = 'archived' WHERE id = :job"), {"job": archived})
        connection.execute(text("SELECT drop_partitions(:job)"), {"job": archived})

    assert judge_finished(engine) == 6


def test_a_failed_domain_that_is_tried_again_waits_without_the_reason_of_before(
    engine: Engine, stores: Stores, job: str
) -> None:
    with engine.begin() as connection:
        domains.reopen(connection, job, [6])

    row = next(row for row in export(stores, job, CSV_ONLY).rows("prospects.csv") if row["domain"] == "failed.example")

    assert (row["verdict"], row["reason"]) == ("waiting", "")
