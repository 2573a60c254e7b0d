"""What jobs have cost: by domain, in words, for the next estimate, and beside the account."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from sqlalchemy import Engine, text

from prospector.core.job.cost import PastJob
from prospector.core.job.states import JobState
from prospector.core.reading.traits import PageFlag
from prospector.core.visits.methods import Method, Mode
from prospector.core.visits.outcomes import DomainState, PageOutcome
from prospector.demo.control import Control
from prospector.errors import Conflict, NotFound
from prospector.fetch.usage import Usage
from prospector.frontier import calls, paid_calls
from prospector.frontier.calls import Limits
from prospector.jobs import books, cost
from prospector.store import costs, domains, jobs, pages, spend
from prospector.store.domains import Finished
from prospector.store.pages import PageRow
from prospector.store.spend import Reservation

from ..conftest import KEY  # noqa: TID252  # of the simulator that all suites share
from ..frontier.conftest import Hand  # noqa: TID252  # the frontier's suite has the words for it

CENT = Decimal("0.01")


def paid(engine: Engine, job: str, lease: str, used: int | None, method: Method = Method.JS, domain: int = 0) -> None:
    price = 5 if method is Method.JS else 1
    with engine.begin() as connection:
        spend.reserve(connection, [Reservation(lease, job, domain, 1, method, price)])
        if used is not None:
            spend.settle(connection, {lease: used})


def grown_old(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(text("UPDATE spend SET at = at - interval '10 minutes'"))


def test_the_report_has_a_line_a_domain_and_says_what_each_has_cost(engine: Engine, job: str) -> None:
    with engine.begin() as connection:
        done = Finished(
            0, 1, DomainState.DONE, pages=47, direct_requests=50, standard_requests=2, js_requests=3, js_pages=3
        )
        domains.finish(connection, job, [done])
    for number in range(3):
        paid(engine, job, f"1.{number}", 5)
    paid(engine, job, "1.8", 1, Method.STANDARD)
    paid(engine, job, "1.9", 0, Method.STANDARD)

    with cost.cost_report(engine, job, CENT) as report:
        first, *others = report
    with cost.js_shares(engine, job) as shares:
        said = [str(one) for one in shares]

    assert first == cost.DomainCost("a.example", 47, 50, 2, 3, 16, Decimal("0.16"))
    assert [one.domain for one in others] == ["b.example", "c.example"]
    assert sum(one.total_credits for one in others) == 0
    assert said == ["a.example: 3/47 pages required JS rendering"]


def test_pages_that_needed_a_browser_are_told_of_a_domain_that_is_not_finished_too(engine: Engine, job: str) -> None:
    """Of a job that has paused for its budget most are not."""
    now = datetime.now(UTC)
    rows = [
        PageRow(1, 0, "https://a.example/", PageOutcome.READ, now, method=Method.JS),
        PageRow(2, 0, "https://a.example/b", PageOutcome.READ, now, flags=PageFlag.NEEDS_BROWSER),
        PageRow(3, 0, "https://a.example/c", PageOutcome.READ, now, method=Method.DIRECT),
        PageRow(4, 0, "https://a.example/d", PageOutcome.FAILED, now, method=Method.JS),
    ]
    with engine.begin() as connection:
        domains.open_(connection, job, [0])
    pages.write(engine, job, rows)

    with cost.js_shares(engine, job) as shares:
        assert [str(one) for one in shares] == ["a.example: 2/4 pages required JS rendering"]


def test_ended_jobs_of_the_mode_are_the_history_of_the_next_estimate(engine: Engine, job: str) -> None:
    paid(engine, job, "1.1", 4)
    paid(engine, job, "1.2", None)
    with engine.begin() as connection:
        assert costs.history(connection, Mode.HYBRID) == []
        jobs.move(connection, job, JobState.COMPLETED, "3 succeeded")

        assert costs.history(connection, Mode.HYBRID) == [PastJob(3, 4)]
        assert costs.history(connection, Mode.PREMIUM_ONLY) == []


def test_a_job_that_has_paid_for_nothing_says_nothing_about_costs(engine: Engine, job: str) -> None:
    paid(engine, job, "1.1", 0)

    with engine.begin() as connection:
        jobs.move(connection, job, JobState.COMPLETED, "3 succeeded")

        assert costs.history(connection, Mode.HYBRID) == []


def test_the_books_show_the_ledger_the_account_and_their_difference(engine: Engine, job: str) -> None:
    paid(engine, job, "1.1", 5)
    paid(engine, job, "1.2", None)
    paid(engine, "gone99", "1.3", 1, Method.STANDARD)
    grown_old(engine)
    told = Usage(1_000, 9, 10, 0, datetime.now(UTC) + timedelta(days=3))

    found = books.books(engine, told)

    assert (found.ledger.used, found.ledger.reserved) == (6, 5)
    assert (found.used_in_period, found.difference) == (6, 3)
    assert [(one.lease, one.domain, one.method, one.credits) for one in found.unsettled] == [
        ("1.2", "a.example", "scrapingbee-js", 5)
    ]
    assert books.books(engine, None).difference is None


def test_a_call_that_may_still_be_answered_is_not_listed_and_not_settled(
    engine: Engine, job: str, frontier: Hand
) -> None:
    paid(engine, job, "1.1", None)

    assert books.books(engine, None).unsettled == ()
    with pytest.raises(Conflict, match="may still be answered"):
        books.settle(engine, frontier, "1.1", 0)


def test_an_operator_settles_a_call_and_the_job_has_the_rest_again(engine: Engine, job: str, frontier: Hand) -> None:
    paid(engine, job, "1.1", None)
    grown_old(engine)
    frontier.run(calls.create(job, Limits(10), spent=5))

    assert books.settle(engine, frontier, "1.1", 1) == job

    assert frontier.counters(job)["spent"] == 1
    assert books.books(engine, None).unsettled == ()
    with pytest.raises(NotFound, match="no unsettled call"):
        books.settle(engine, frontier, "1.1", 0)


def test_the_account_s_own_limit_is_learned_and_without_a_key_nothing_is_asked(bee: Control, frontier: Hand) -> None:
    bee.control(account={"max_concurrency": 7})
    url = f"http://{bee.address}/api/v1/"

    assert books.learn_limit(frontier, url, None) is None
    told = books.learn_limit(frontier, url, KEY)

    assert told is not None
    assert frontier.run(paid_calls.provider()).allowed == told.max_concurrency == 7
    assert bee.truth()["usage_requests"] == 1
