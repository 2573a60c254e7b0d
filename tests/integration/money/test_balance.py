"""Redis forgets; the ledger does not: what a job may still spend is read from it."""

from sqlalchemy import Engine

from prospector.core.visits.methods import Method
from prospector.core.visits.ticket import Ticket
from prospector.frontier import calls, job_calls, paid_calls
from prospector.frontier.calls import Limits
from prospector.jobs.balance import balance, regain
from prospector.jobs.fill import fill
from prospector.store import spend
from prospector.store.spend import Reservation

from ..frontier.conftest import Hand, Server  # noqa: TID252  # the frontier's suite has the words for it


def reserved(lease: str, job: str) -> Reservation:
    return Reservation(lease, job, domain=0, page=1, method=Method.JS, credits=5)


def money(frontier: Hand, job: str) -> tuple[int, int]:
    counters = frontier.counters(job)
    return counters["spent"], counters["reserved"]


def at_rest(frontier: Hand, ticket: Ticket) -> None:
    """It was the last page that could be paid for."""
    frontier.finish(ticket)
    frontier.claim()
    for ended in frontier.run(calls.ended()):
        frontier.run(calls.close(ended, failed=False))


def test_a_restarted_redis_learns_what_was_spent_before_anything_more_is(
    engine: Engine, job: str, frontier: Hand, own_server: Server
) -> None:
    with engine.begin() as connection:
        fill(connection, frontier, job)
        frontier.run(calls.create(job, Limits(100, first_method=Method.JS)))
        frontier.run(calls.lift(job))
        frontier.advance(2_000)
        (ticket,) = frontier.claim(n=1).tickets
        spend.reserve(connection, [reserved(ticket.lease, job), reserved("1.998", job), reserved("1.999", job)])
        spend.settle(connection, {"1.998": 1})
    frontier.redis.execute_command("WAITAOF", 1, 0, 5_000)
    own_server.kill()
    own_server.start()
    again = Hand(own_server.url)
    again.claim(n=0)
    again.advance(10_000)
    assert again.claim().tickets == ()

    with engine.begin() as connection:
        assert balance(connection, again) == [job]
        assert balance(connection, again) == []

    assert money(again, job) == (6, 5)  # 1 settled, 5 that Redis has forgotten; 5 in flight
    again.advance(2_000)
    assert len(again.claim().tickets) == 2


def test_a_wiped_redis_is_filled_with_what_was_spent_and_what_may_have_been(
    engine: Engine, job: str, frontier: Hand
) -> None:
    with engine.begin() as connection:
        spend.reserve(connection, [reserved("1.1", job), reserved("1.2", job)])
        spend.settle(connection, {"1.1": 3})

        fill(connection, frontier, job)

    frontier.run(calls.lift(job))
    assert money(frontier, job) == (8, 0)
    assert frontier.run(paid_calls.unbalanced()) == []


def test_what_a_killed_worker_was_granted_and_never_paid_is_spent_before_the_job_rests(
    engine: Engine, job: str, frontier: Hand
) -> None:
    with engine.begin() as connection:
        fill(connection, frontier, job)
        frontier.run(calls.create(job, Limits(10, first_method=Method.JS)))
        frontier.run(calls.lift(job))
        frontier.advance(2_000)
        frontier.claim(n=1, worker="gone/a")
        frontier.lose_worker()
        frontier.advance(2_000)
        (ticket,) = frontier.claim().tickets
        spend.reserve(connection, [reserved(ticket.lease, job)])
        frontier.run(paid_calls.charge(ticket.lease, 5))
        at_rest(frontier, ticket)
        assert frontier.run(job_calls.stuck(job)) == "budget"
        assert money(frontier, job) == (10, 0)

        assert regain(connection, frontier, job)

        assert money(frontier, job) == (5, 0)
        frontier.advance(2_000)
        (last,) = frontier.claim().tickets
        spend.reserve(connection, [reserved(last.lease, job)])
        at_rest(frontier, last)
        assert frontier.run(job_calls.stuck(job)) == "budget"
        assert not regain(connection, frontier, job)  # an unsettled call counts in full


def test_only_a_job_s_own_open_calls_are_read(engine: Engine, job: str) -> None:
    with engine.begin() as connection:
        spend.reserve(connection, [reserved("1.1", job), reserved("1.2", job), reserved("1.3", "other1")])
        spend.settle(connection, {"1.1": 3})

        assert spend.unsettled_of(connection, job) == {"1.2": 5}
