"""A stack with work under way is not idle, whoever started it."""

from sqlalchemy import Engine

from prospector.core.job.states import JobState
from prospector.store import activity, exports, jobs


def under_way(engine: Engine) -> str | None:
    return activity.under_way(engine.url.render_as_string(hide_password=False))


def test_a_running_job_keeps_the_servers_until_it_is_paused(engine: Engine, job: str) -> None:
    found = [under_way(engine)]
    for state in (JobState.PAUSING, JobState.PAUSED):
        with engine.begin() as connection:
            jobs.move(connection, job, state, "test")
        found.append(under_way(engine))

    assert found == ["a running job", "a running job", None]


def test_an_export_keeps_the_servers_until_it_ends(engine: Engine, job: str) -> None:
    with engine.begin() as connection:
        jobs.move(connection, job, JobState.CANCELLED, "test")
        exports.ask(connection, job, ["csv"], {})
    asked = under_way(engine)
    with engine.begin() as connection:
        claimed = exports.claim(connection, silent_seconds=60)
        assert claimed
        exports.fail(connection, claimed, "test")

    assert (asked, under_way(engine)) == ("an export", None)


def test_a_database_without_our_tables_has_no_work(empty: Engine) -> None:
    assert under_way(empty) is None


def test_a_database_that_does_not_answer_may_have_work() -> None:
    assert activity.under_way("postgresql://someone@127.0.0.1:1/nothing") == "a Postgres that does not answer"
