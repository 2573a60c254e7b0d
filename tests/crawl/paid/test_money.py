"""Budget and ledger over real workers, whatever happens to a worker, to Redis or to ScrapingBee."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import text

from prospector.core.job.states import JobState
from prospector.core.visits.methods import Mode
from prospector.frontier import calls, paid_calls
from prospector.jobs import control, follow
from prospector.jobs.balance import balance
from prospector.jobs.rebuild import rebuild_if_lost
from prospector.store import spend

from .stage import KEY, Stage, everything_in_postgres, everything_in_redis

PROBE_SECONDS = 15  # between two tries of a provider that is out


def test_a_budget_is_met_to_the_credit_and_a_higher_one_goes_on_with_exactly_the_pages_that_wait(stage: Stage) -> None:
    stage.serve("refused", sites=12)
    stage.bee.order("latency", low_ms=50, high_ms=150)
    job = stage.job(cap_credits=11)
    stage.start(2)
    stage.until(lambda: stage.stuck(job, "budget"))

    assert stage.bee.truth()["credits"] == 11 == stage.ledger(job).used == stage.counters(job)["spent"]
    assert stage.counters(job)["reserved"] == 0
    assert follow.reconcile(stage.engine, stage.frontier, job) is JobState.PAUSED

    control.resume(stage.engine, stage.frontier, job, 10_000)
    stage.until(lambda: stage.over(job))
    stage.stop()

    assert stage.verdict(job) == []
    assert max(stage.calls_by_url().values()) == 1
    assert stage.bee.truth()["credits"] == stage.ledger(job).used == stage.counters(job)["spent"]


@contextmanager
def ledger_held(stage: Stage) -> Iterator[None]:
    with stage.engine.begin() as connection:
        connection.execute(text("LOCK TABLE spend IN SHARE MODE"))
        yield


def test_a_worker_killed_between_answer_and_settlement_is_never_booked_below_what_was_charged(stage: Stage) -> None:
    stage.serve("refused", sites=8)
    stage.bee.order("latency", low_ms=1_500, high_ms=1_500)
    job = stage.job(cap_credits=30)
    stage.start()
    while stage.workers:
        stage.until(lambda: stage.ledger(job).reserved >= 5)
        with ledger_held(stage):
            if stage.ledger(job).reserved >= 5:  # they were not settled in the moment before
                stage.until(lambda: stage.bee.truth()["credits"] > max(4, stage.ledger(job).used))
                stage.kill()

    unsettled = stage.ledger(job)
    assert unsettled.used + unsettled.reserved >= stage.bee.truth()["credits"] > unsettled.used

    stage.bee.lift("latency")
    stage.advance(61_000)
    stage.start()
    stage.until(lambda: stage.over(job) or stage.stuck(job, "budget"))
    stage.stop()

    ledger, charged = stage.ledger(job), stage.bee.truth()["credits"]
    assert 30 >= ledger.used + ledger.reserved >= charged
    assert stage.counters(job)["spent"] >= charged
    with stage.engine.begin() as connection:  # what an operator reads off the account
        spend.settle(connection, dict.fromkeys(spend.unsettled_of(connection, job), 1))
    assert stage.ledger(job) == spend.Totals(charged, 0)


def test_a_redis_that_loses_everything_with_calls_in_flight_lets_no_job_spend_more(stage: Stage) -> None:
    stage.serve("refused", sites=10)
    stage.bee.order("latency", low_ms=800, high_ms=1_200)
    job = stage.job(cap_credits=12)
    stage.start(2)
    stage.until(lambda: stage.in_flight() >= 6)
    stage.redis.kill()
    stage.redis.start("--appendonly", "no")
    stage.frontier.redis.flushdb()
    assert rebuild_if_lost(stage.engine, stage.frontier)

    def at_rest() -> bool:
        with stage.engine.connect() as connection:  # as the steward does
            balance(connection, stage.frontier)
        return stage.over(job) or stage.stuck(job, "budget")

    stage.until(at_rest)
    stage.until(lambda: stage.ledger(job).reserved == 0)
    stage.stop()

    assert 0 < stage.bee.truth()["credits"] == stage.ledger(job).used <= 12  # a lease that Redis forgot is not spent on
    assert stage.counters(job)["spent"] >= stage.bee.truth()["credits"]


def test_bursts_of_failures_and_an_outage_lose_no_page_and_cost_nothing(stage: Stage) -> None:
    stage.serve("refused", "challenge", "application", "company", "refused", "empty", sites=8)
    stage.bee.order("server_error", probability=0.3)
    job = stage.job()
    stage.start(2)
    stage.until(lambda: stage.bee.truth()["credits"] >= 5, hurry=True)
    stage.bee.lift("server_error")
    stage.bee.order("outage_error")
    stage.until(stage.is_out)
    stage.until(lambda: stage.in_flight() == 0)
    since, before = time.monotonic(), len(stage.bee.truth()["calls"])
    stage.until(lambda: stage.counters(job)["flying"] == 0)

    probes = len(stage.bee.truth()["calls"]) - before
    assert probes <= 1 + (time.monotonic() - since) // PROBE_SECONDS
    assert stage.counters(job)["parked"] > 0

    stage.bee.lift("outage_error")
    stage.until(lambda: stage.over(job), hurry=True)
    stage.stop()

    assert stage.verdict(job) == []
    assert stage.ledger(job) == spend.Totals(stage.bee.truth()["credits"], 0)
    assert stage.counters(job)["spent"] == stage.bee.truth()["credits"]
    assert max(stage.calls_by_url().values()) <= 12


def command_lines() -> bytes:
    """Of all processes."""
    found = b""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(FileNotFoundError, ProcessLookupError):  # it ended meanwhile
            found += path.read_bytes()
    return found


def test_four_workers_and_two_jobs_keep_to_the_slots_and_the_key_is_nowhere(stage: Stage) -> None:
    stage.serve("refused", "application", "company", "challenge", sites=8, max_concurrency=3)
    stage.bee.order("latency", low_ms=250, high_ms=400)  # so that there are calls for the key to change under
    names = [domain.name for site in stage.plan.sites for domain in site.domains]
    first = stage.job(names[::2], mode=Mode.PREMIUM_ONLY, max_pages=3)
    stage.start(4, SCRAPINGBEE_CONCURRENCY="3")
    stage.until(lambda: stage.counters(first)["pages"] >= 2)
    stage.bee.control(account={"key": "another-one"})
    jobs = (first, stage.job(names[1::2], mode=Mode.PREMIUM_ONLY, max_pages=3))
    stage.until(lambda: stage.frontier.run(paid_calls.provider()).stopped == "key")
    processes = command_lines()
    stage.bee.control(account={"key": KEY})
    stage.until(lambda: all(stage.counters(job)["flying"] == 0 for job in jobs))  # what was refused is parked
    for job in jobs:
        stage.frontier.run(calls.lift(job, ["key"]))
    stage.until(lambda: stage.over(*jobs))
    stage.stop()

    truth = stage.bee.truth()
    assert truth["peak_concurrency"] == 3
    assert truth["outcomes"].get("too_many", 0) == 0
    assert truth["outcomes"]["bad_key"] > 0
    assert sum(stage.ledger(job).used for job in jobs) == truth["credits"]
    assert truth["key_in_url"] == []
    assert KEY not in stage.logs()
    assert "Spb" not in stage.logs() or "provider_refuses" in stage.logs()
    assert KEY.encode() not in processes
    assert KEY not in everything_in_postgres(stage)
    assert KEY.encode() not in everything_in_redis(stage)
