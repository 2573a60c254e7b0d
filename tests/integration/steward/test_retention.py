"""Results go when their time is over; what the job was stays."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import Engine, inspect, text

from prospector.core.job.states import JobState
from prospector.jobs.steward import retention
from prospector.store import events, jobs

NOW = datetime.now(UTC)
DAYS = 90


def rest(engine: Engine, job: str, state: JobState, days_ago: float) -> None:
    """The job left running so long ago."""
    with engine.begin() as connection:
        if state is JobState.PAUSED:
            jobs.move(connection, job, JobState.PAUSING, "asked")
        jobs.move(connection, job, state, "at rest")
        since = NOW - timedelta(days=days_ago)
        connection.execute(text("UPDATE jobs SET left_running_at = :since, moved_at = :since"), {"since": since})


def state(engine: Engine, job: str) -> JobState:
    with engine.connect() as connection:
        return jobs.job(connection, job).state


def has_results(engine: Engine, job: str) -> bool:
    return inspect(engine).has_table(f"pages_{job}")


def test_90_days_after_it_last_ran_a_job_is_archived_and_only_its_results_are_gone(engine: Engine, job: str) -> None:
    rest(engine, job, JobState.COMPLETED, 90.1)

    kept = retention.keep_in_time(engine, NOW, DAYS)

    assert kept.archived == (job,)
    assert state(engine, job) is JobState.ARCHIVED
    assert not has_results(engine, job)
    with engine.connect() as connection:
        assert len(jobs.keywords(connection, job)) == 2
        assert events.of_job(connection, job)[0].reason == "results deleted after 90 days"


def test_a_day_earlier_nothing_is_deleted(engine: Engine, job: str) -> None:
    rest(engine, job, JobState.COMPLETED, 89)

    assert retention.keep_in_time(engine, NOW, DAYS).archived == ()
    assert has_results(engine, job)


def test_a_running_job_is_never_archived(engine: Engine, job: str) -> None:
    with engine.begin() as connection:
        connection.execute(text("UPDATE jobs SET moved_at = now() - interval '400 days'"))

    assert retention.keep_in_time(engine, NOW, DAYS).archived == ()


def test_a_paused_job_is_warned_once_and_archived_a_week_after_the_warning_at_the_earliest(
    engine: Engine, job: str
) -> None:
    rest(engine, job, JobState.PAUSED, 200)

    first = retention.keep_in_time(engine, NOW, DAYS)
    second = retention.keep_in_time(engine, NOW + timedelta(days=6), DAYS)
    third = retention.keep_in_time(engine, NOW + timedelta(days=7, hours=1), DAYS)

    assert (first.warned, first.archived) == ((job,), ())
    assert (second.warned, second.archived) == ((), ())
    assert third.archived == (job,)


def test_a_warning_says_the_day_and_what_to_do(engine: Engine, job: str) -> None:
    rest(engine, job, JobState.PAUSED, 84)

    retention.keep_in_time(engine, NOW, DAYS)

    with engine.connect() as connection:
        words = events.of_job(connection, job)[0].reason
    assert f"its results are deleted on {NOW + timedelta(days=7):%Y-%m-%d}" in words
    assert f"prospector job resume {job}" in words


def test_results_that_are_being_exported_are_kept_until_the_next_round(engine: Engine, job: str) -> None:
    rest(engine, job, JobState.COMPLETED, 100)
    with engine.connect() as reader:
        reader.execute(text(f"SELECT count(*) FROM pages_{job}"))

        during = retention.keep_in_time(engine, NOW, DAYS)

    assert during.archived == ()
    assert state(engine, job) is JobState.COMPLETED
    assert retention.keep_in_time(engine, NOW, DAYS).archived == (job,)
