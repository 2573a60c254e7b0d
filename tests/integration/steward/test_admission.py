"""New jobs wait while the system is full, and are told why; jobs that wait for a server for a day have failed."""

from collections.abc import Callable
from itertools import count

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError

from prospector.core.job.states import JobState
from prospector.frontier import calls
from prospector.frontier.client import Frontier
from prospector.jobs import control
from prospector.jobs.control import NotNow
from prospector.jobs.steward import admission
from prospector.jobs.steward.absence import DAY_SECONDS, Absences
from prospector.jobs.steward.duties import Duties
from prospector.jobs.steward.gauges import Gauges
from prospector.jobs.steward.post import Post
from prospector.store import jobs
from prospector.store.jobs import NewJob

FULL = "Queue depth growing faster than processing rate."


@pytest.fixture
def made(engine: Engine, new_job: Callable[..., NewJob]) -> Callable[[], str]:
    def one() -> str:
        with engine.begin() as connection:
            return jobs.create(connection, new_job()).job

    return one


def state(engine: Engine, job: str) -> tuple[JobState, str]:
    with engine.connect() as connection:
        found = jobs.job(connection, job)
    return found.state, found.reason


def test_a_job_that_is_started_while_the_system_is_full_waits_with_the_reason(
    engine: Engine, frontier: Frontier, made: Callable[[], str]
) -> None:
    job = made()
    admission.say(frontier, FULL)

    control.start(engine, frontier, job)

    assert state(engine, job) == (JobState.PENDING, f"queued: {FULL}")
    assert admission.admit(engine, frontier) is None
    assert frontier.run(calls.running()) == []


def test_what_waited_starts_by_itself_the_oldest_first_and_only_what_was_to_be_started(
    engine: Engine, frontier: Frontier, made: Callable[[], str]
) -> None:
    first, second, unstarted = made(), made(), made()
    admission.say(frontier, FULL)
    for job in (second, first):
        control.start(engine, frontier, job)
    admission.say(frontier, "")

    admitted = [admission.admit(engine, frontier) for _ in range(3)]

    assert admitted == [first, second, None]
    assert state(engine, first) == (JobState.RUNNING, "started")
    assert set(frontier.run(calls.running())) == {first, second}
    assert state(engine, unstarted)[0] is JobState.PENDING


def test_a_job_that_cannot_be_started_holds_up_none_that_wait_behind_it(
    engine: Engine, frontier: Frontier, made: Callable[[], str]
) -> None:
    broken, second, third = made(), made(), made()
    admission.say(frontier, FULL)
    for job in (broken, second, third):
        control.start(engine, frontier, job)
    admission.say(frontier, "")
    with engine.begin() as connection:
        connection.execute(text("SELECT drop_partitions(:job)"), {"job": broken})

    with pytest.raises(DBAPIError):  # it is said in the steward's log
        admission.admit(engine, frontier)

    assert [state(engine, job)[0] for job in (broken, second, third)] == ["pending", "running", "pending"]


def test_a_queued_job_can_be_cancelled_and_one_that_runs_is_not_queued(
    engine: Engine, frontier: Frontier, made: Callable[[], str]
) -> None:
    running, queued = made(), made()
    control.start(engine, frontier, running)
    admission.say(frontier, FULL)
    control.start(engine, frontier, queued)

    control.cancel(engine, frontier, queued)

    assert state(engine, queued)[0] is JobState.CANCELLED
    with pytest.raises(NotNow):
        control.start(engine, frontier, running)
    assert state(engine, running)[0] is JobState.RUNNING


def test_that_the_system_is_full_is_forgotten_when_no_steward_says_it_any_more(frontier: Frontier) -> None:
    admission.say(frontier, FULL)

    assert 0 < frontier.redis.pttl("prospector:crowded") <= 120_000


def test_the_watch_says_when_the_system_is_full_and_when_it_no_longer_is(
    post: Callable[..., Post], frontier: Frontier, monkeypatch: pytest.MonkeyPatch
) -> None:
    from prospector.core.system import anomalies
    from prospector.frontier import job_calls

    watch = next(duty for duty in Duties(post(), Gauges()).all() if duty.name == "watch")
    # every look sees a full system, then none does
    monkeypatch.setattr(anomalies, "GROWTH_SECONDS", 0)
    monkeypatch.setattr(anomalies, "GROWTH_LEAST_TASKS", 0)
    watch.do()
    full = frontier.run(job_calls.crowded())
    monkeypatch.setattr(anomalies, "GROWTH_LEAST_TASKS", 50_000)
    watch.do()

    assert full.startswith("Queue depth growing faster")
    assert frontier.run(job_calls.crowded()) == ""


def test_a_server_is_away_for_a_day_only_where_it_never_answered_meanwhile() -> None:
    hours = count(0, 12 * 3600)
    absences = Absences(lambda: next(hours))  # every look at the clock is twelve hours later

    looks = [absences.note("Redis", is_away=away) for away in (True, False, True, True, True)]

    assert looks == [False, False, False, False, True]


@pytest.mark.parametrize("server", ["Redis", "Scrapyd"])
def test_a_job_whose_server_was_away_for_a_day_has_failed_and_can_be_resumed(
    server: str, engine: Engine, frontier: Frontier, made: Callable[[], str], post: Callable[..., Post]
) -> None:
    job = made()
    control.start(engine, frontier, job)
    nobody = {
        "Redis": {"frontier": Frontier("redis://127.0.0.1:1/0")},
        "Scrapyd": {"scrapyd_urls": ("http://127.0.0.1:1",)},
    }
    days = count(0, DAY_SECONDS)
    duties = Duties(post(**nobody[server]), Gauges(), Absences(lambda: next(days)))

    for _ in range(2):
        duties.look_for_servers()
    failed = state(engine, job)
    Duties(post(), Gauges()).follow_jobs()
    handed_out = frontier.run(calls.running())
    control.resume(engine, frontier, job)

    assert failed == (JobState.FAILED, f"{server} was away for 24 hours")
    assert handed_out == []
    assert state(engine, job)[0] is JobState.RUNNING
    assert frontier.run(calls.running()) == [job]


def test_workers_that_live_need_no_scrapyd(
    engine: Engine, frontier: Frontier, made: Callable[[], str], post: Callable[..., Post]
) -> None:
    job = made()
    control.start(engine, frontier, job)
    frontier.run(calls.beat("node/a", {"pages": 1}))
    days = count(0, DAY_SECONDS)
    duties = Duties(post(scrapyd_urls=("http://127.0.0.1:1",)), Gauges(), Absences(lambda: next(days)))

    for _ in range(2):
        duties.look_for_servers()

    assert state(engine, job)[0] is JobState.RUNNING


def test_a_record_that_was_away_for_a_day_fails_its_jobs_when_it_is_back(
    engine: Engine, frontier: Frontier, made: Callable[[], str], post: Callable[..., Post]
) -> None:
    job = made()
    control.start(engine, frontier, job)
    duties = Duties(post(), Gauges())
    duties.follow_jobs()

    duties.record_is_away(DAY_SECONDS - 1)
    duties.follow_jobs()
    before = state(engine, job)[0]
    duties.record_is_away(DAY_SECONDS)
    duties.follow_jobs()

    assert before is JobState.RUNNING
    assert state(engine, job) == (JobState.FAILED, "Postgres was away for 24 hours")
    assert frontier.run(calls.running()) == []
