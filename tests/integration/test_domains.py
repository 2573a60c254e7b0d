"""Domains: read in order, finished once a generation."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import Engine, select

from prospector.core.visits.outcomes import DomainState
from prospector.store import domains, jobs, tables
from prospector.store.domains import Finished
from prospector.store.jobs import ListedDomain, NewJob


def done(number: int, generation: int = 1, **facts: object) -> Finished:
    return Finished(number, generation, DomainState.DONE, **facts)  # type: ignore[arg-type]


def test_domains_are_seeded_in_the_order_of_the_list_in_bounded_reads(
    engine: Engine, new_job: Callable[..., NewJob]
) -> None:
    names = [f"{name}.example" for name in "zyxwvutsrq"]
    with engine.begin() as connection:
        job = jobs.create(connection, new_job(domains=[ListedDomain(name, 1) for name in names])).job

    seeded: list[domains.Seed] = []
    with engine.connect() as connection:
        while batch := domains.unfinished(connection, job, after=seeded[-1].number if seeded else -1, limit=4):
            assert len(batch) <= 4
            seeded += batch

    assert [seed.domain for seed in seeded] == names
    assert [seed.number for seed in seeded] == list(range(10))


def test_a_finished_domain_is_not_seeded_again(engine: Engine, job: str) -> None:
    with engine.begin() as connection:
        domains.open_(connection, job, [0, 1])
        domains.finish(connection, job, [done(0)])

        assert [(seed.number, seed.state) for seed in domains.unfinished(connection, job)] == [
            (1, "open"),
            (2, "waiting"),
        ]
        assert domains.tally(connection, job) == {"waiting": 1, "open": 1, "done": 1, "failed": 0}


def test_the_final_row_says_everything_and_is_written_once(engine: Engine, job: str) -> None:
    row = done(
        0,
        reason="moved to b.example",
        last_status=301,
        attempts=2,
        pages=47,
        mentions=12,
        direct_requests=44,
        standard_requests=5,
        js_requests=3,
        js_pages=3,
        credits=20,
        blocks=1,
        delay_ms=2_000,
        partial=True,
        moved_to="b.example",
    )

    with engine.begin() as connection:
        first = domains.finish(connection, job, [row])
        second = domains.finish(connection, job, [Finished(0, 1, DomainState.FAILED, "Timeout after 30s")])
        kept = connection.execute(select(tables.domains).where(tables.domains.c.number == 0)).mappings().one()

    assert (first, second) == ({0}, set())
    assert {name: kept[name] for name in vars(row)} == vars(row)
    assert kept["finished_at"]


def test_eight_who_finish_a_domain_at_once_are_one(engine: Engine, job: str) -> None:
    def finish(turn: int) -> int:
        with engine.begin() as connection:
            return len(domains.finish(connection, job, [done(0, pages=turn)]))

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(finish, range(8))) == 1


def test_a_domain_that_is_asked_for_again_is_a_new_generation(engine: Engine, job: str) -> None:
    with engine.begin() as connection:
        domains.finish(connection, job, [Finished(0, 1, DomainState.FAILED, "HTTP 403 Forbidden"), done(1)])
        failed = list(domains.failed(connection, job))
        reopened = domains.reopen(connection, job, [*failed, 2])

        assert (failed, reopened) == ([0], {0})
        seed = domains.unfinished(connection, job)[0]
        assert (seed.number, seed.generation, seed.state) == (0, 2, "waiting")


def test_a_late_final_row_of_an_older_generation_changes_nothing(engine: Engine, job: str) -> None:
    with engine.begin() as connection:
        domains.finish(connection, job, [done(0)])
        domains.reopen(connection, job, [0])

        assert not domains.finish(connection, job, [done(0, generation=1)])
        assert domains.finish(connection, job, [done(0, generation=2)]) == {0}


def test_domains_of_another_job_are_left_alone(engine: Engine, job: str, new_job: Callable[..., NewJob]) -> None:
    with engine.begin() as connection:
        other = jobs.create(connection, new_job()).job
        domains.finish(connection, job, [done(0), done(1), done(2)])

        assert domains.tally(connection, other)[DomainState.WAITING] == 3
