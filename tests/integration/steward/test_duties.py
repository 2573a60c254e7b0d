"""What the steward does again and again, on a record and a frontier, with a hand that crawls without a web."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, make_url, text
from sqlalchemy.exc import DBAPIError

from prospector.core.job.states import JobState
from prospector.core.visits.methods import PRICE_CREDITS
from prospector.core.visits.ticket import Verdict
from prospector.demo.proxy.faults import ProxyFault
from prospector.demo.proxy.proxy import FaultProxy
from prospector.errors import ServerUnreachable
from prospector.frontier import calls, job_calls
from prospector.frontier.calls import Fetch, Terms
from prospector.frontier.client import Frontier
from prospector.frontier.job_calls import Status
from prospector.jobs import control, follow, rebuild
from prospector.jobs.steward import closing
from prospector.jobs.steward.counters import Counters
from prospector.jobs.steward.duties import Duties
from prospector.jobs.steward.gauges import Gauges
from prospector.jobs.steward.overtime import pause_overtime
from prospector.jobs.steward.post import Post
from prospector.store import checkpoints, domains, events, jobs, partitions
from prospector.store.jobs import NewJob

TERMS = Terms(40, 1000, 100, tuple((str(method), price) for method, price in PRICE_CREDITS.items()))


def start(engine: Engine, frontier: Frontier, new: NewJob) -> str:
    with engine.begin() as connection:
        job = jobs.create(connection, new).job
    control.start(engine, frontier, job)
    return job


@pytest.fixture
def running(engine: Engine, frontier: Frontier, new_job: Callable[..., NewJob]) -> str:
    """A job of three domains, under way."""
    return start(engine, frontier, new_job())


@pytest.fixture
def duties(post: Callable[..., Post]) -> Duties:
    return Duties(post(), Gauges())


def read_homepages(frontier: Frontier, most: int = 3) -> None:
    """A worker that reads so many, and dies before it closes their domains."""
    run = str(frontier.redis.info("server")["run_id"])
    frontier.run(calls.claim("node/a", 0, TERMS, run))
    frontier.redis.hincrby("prospector:meta", "skew", 10_000)
    for ticket in frontier.run(calls.claim("node/a", most, TERMS, run)).tickets:
        frontier.run(calls.release(ticket.lease, Fetch.FINE, 0, 40, 60_000))
        frontier.run(calls.settle(ticket.lease, Verdict.DONE, 2))


def status(frontier: Frontier, job: str) -> Status | None:
    return frontier.run(job_calls.status([job]))[0]


def state(engine: Engine, job: str) -> tuple[JobState, str]:
    with engine.connect() as connection:
        found = jobs.job(connection, job)
    return found.state, found.reason


def test_domains_whose_worker_died_are_closed_and_their_job_ends(
    engine: Engine, frontier: Frontier, running: str, duties: Duties
) -> None:
    read_homepages(frontier)
    duties.follow_jobs()
    assert state(engine, running)[0] is JobState.RUNNING

    closed = closing.close_ended(engine, frontier)
    duties.follow_jobs()

    assert closed == 3
    assert state(engine, running) == (JobState.COMPLETED, "3 succeeded")
    with engine.connect() as connection:
        assert domains.unfinished(connection, running) == []


def test_a_job_that_cannot_be_filled_or_followed_keeps_no_other_from_it(
    engine: Engine, frontier: Frontier, new_job: Callable[..., NewJob], duties: Duties
) -> None:
    broken, good, broken_too = (start(engine, frontier, new_job()) for _ in range(3))
    with engine.begin() as connection:
        for job in (broken, broken_too):
            partitions.drop(connection, job)
    frontier.redis.flushdb()

    with pytest.raises(DBAPIError):
        rebuild.rebuild_if_lost(engine, frontier)
    assert frontier.run(calls.running()) == [good]
    read_homepages(frontier)
    closing.close_ended(engine, frontier)
    with pytest.raises(DBAPIError):
        duties.follow_jobs()

    assert state(engine, good) == (JobState.COMPLETED, "3 succeeded")
    assert [state(engine, job)[0] for job in (broken, broken_too)] == [JobState.RUNNING, JobState.RUNNING]


def test_counters_are_kept_every_so_many_domains_and_before_the_steward_ends(
    engine: Engine, frontier: Frontier, running: str
) -> None:
    counters = Counters(engine, frontier, every_domains=2)
    first = counters.keep()
    read_homepages(frontier, most=1)
    closing.close_ended(engine, frontier)

    after_one, at_the_end = counters.keep(), counters.keep_all()

    assert (first, after_one, at_the_end) == ([running], [], [running])
    with engine.connect() as connection:
        kept = checkpoints.last(connection, [running])[running]
    assert (kept.domains_total, kept.domains_done, kept.pages, kept.mentions) == (3, 1, 1, 2)


def test_a_job_that_runs_longer_than_it_may_is_paused_with_the_reason(
    engine: Engine, frontier: Frontier, running: str
) -> None:
    now = datetime.now(UTC)

    too_early = pause_overtime(engine, frontier, now + timedelta(hours=47))
    paused = pause_overtime(engine, frontier, now + timedelta(hours=49))

    assert (too_early, paused) == ([], [running])
    assert state(engine, running) == (JobState.PAUSED, "the time limit of the job has passed (48 h)")


def test_while_the_record_is_away_nothing_is_handed_out_and_it_goes_on_by_itself(
    engine: Engine, frontier: Frontier, running: str, duties: Duties
) -> None:
    duties.follow_jobs()
    duties.record_is_away(10.0)
    assert frontier.run(calls.running()) == [running]

    duties.record_is_away(61.0)
    held = frontier.run(calls.running())
    duties.follow_jobs()

    assert held == []
    assert frontier.run(calls.running()) == [running]
    with engine.connect() as connection:
        assert "because the database did not answer; resumed by itself" in events.of_job(connection, running)[0].reason


def test_jobs_are_held_as_soon_as_redis_answers_where_it_was_away_with_the_record(
    post: Callable[..., Post], frontier: Frontier, redis_url: str, running: str
) -> None:
    url = make_url(redis_url)
    with FaultProxy(f"{url.host}:{url.port}" if url.host else f"/{url.database}") as proxy:
        duties = Duties(post(frontier=Frontier(f"redis://{proxy.address}?db={url.query['db']}")), Gauges())
        duties.follow_jobs()
        proxy.order(ProxyFault.DOWN)
        with pytest.raises(ServerUnreachable):
            duties.record_is_away(61.0)
        proxy.lift(ProxyFault.DOWN)

        duties.record_is_away(62.0)

        assert frontier.run(calls.running()) == []


def test_a_job_that_was_cancelled_or_deleted_halfway_is_handed_out_no_more(
    engine: Engine, frontier: Frontier, running: str, duties: Duties
) -> None:
    with engine.begin() as connection:  # and then the command died
        jobs.move(connection, running, JobState.CANCELLED, "cancelled")

    duties.follow_jobs()
    after_cancel = status(frontier, running)
    frontier.run(calls.create(running, calls.Limits(0)))
    frontier.run(calls.lift(running))
    with engine.begin() as connection:
        jobs.remove(connection, running)
    duties.follow_jobs()

    assert after_cancel is None
    assert frontier.run(calls.running()) == []


@pytest.mark.parametrize("deleted", [False, True])
def test_a_paused_job_that_ended_while_redis_was_away_leaves_it_within_the_hour(
    engine: Engine, frontier: Frontier, running: str, duties: Duties, new_job: Callable[..., NewJob], deleted: bool
) -> None:
    with engine.begin() as connection:
        others = [jobs.create(connection, new_job(name=name)).job for name in ("paused", "filled, to be started")]
    control.start(engine, frontier, others[0])
    control.pause(engine, frontier, others[0])
    follow.prepare(engine, frontier, others[1])
    control.pause(engine, frontier, running)
    with engine.begin() as connection:  # by retention, or a command that then lost Redis
        if deleted:
            jobs.remove(connection, running)
        else:
            jobs.move(connection, running, JobState.ARCHIVED, "results deleted after 90 days")

    duties.follow_jobs()
    before = status(frontier, running)
    next(duty for duty in duties.all() if duty.name == "ended jobs").do()

    assert before
    assert not list(frontier.redis.scan_iter(f"*{running}*"))
    assert [status(frontier, job) is None for job in others] == [False, False]


def test_a_redis_that_has_lost_everything_is_filled_by_the_duties(
    engine: Engine, frontier: Frontier, running: str, duties: Duties
) -> None:
    frontier.redis.flushdb()

    for duty in duties.all():
        if duty.name == "rebuild":
            duty.do()

    found = status(frontier, running)
    assert found
    assert (found.domains_waiting, found.held) == (3, False)


def test_every_duty_can_be_done_on_an_empty_system_and_twice(duties: Duties) -> None:
    for duty in [*duties.all(), *duties.all()]:
        duty.do()


def test_the_watch_counts_what_was_done_between_two_looks(
    post: Callable[..., Post], engine: Engine, frontier: Frontier, running: str
) -> None:
    gauges = Gauges()
    watch = next(duty for duty in Duties(post(), gauges).all() if duty.name == "watch")
    watch.do()
    read_homepages(frontier)
    watch.do()
    closing.close_ended(engine, frontier)
    watch.do()

    read = gauges.registry.get_sample_value
    assert read("prospector_jobs", {"state": "running"}) == 1
    assert read("prospector_pages_total") == 3
    assert read("prospector_domains_finished_total", {"outcome": "done"}) == 3
    assert read("prospector_postgres_connections_allowed") == 97


def test_no_label_of_metrics_names_a_job_a_domain_or_a_page(
    duties: Duties, post: Callable[..., Post], frontier: Frontier, running: str
) -> None:
    gauges = Gauges()
    watch = next(duty for duty in Duties(post(), gauges).all() if duty.name == "watch")
    watch.do()

    labels = {label for metric in gauges.registry.collect() for sample in metric.samples for label in sample.labels}

    assert labels <= {"state", "node", "reason", "outcome", "le_ms", "kind", "duty"}


def test_results_kept_for_too_long_go_by_the_duty(engine: Engine, running: str, duties: Duties) -> None:
    with engine.begin() as connection:
        jobs.move(connection, running, JobState.COMPLETED, "3 succeeded")
        connection.execute(text("UPDATE jobs SET left_running_at = now() - interval '91 days'"))

    duties.keep_in_time()

    assert state(engine, running)[0] is JobState.ARCHIVED
