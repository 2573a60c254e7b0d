"""Who makes an export: a steward's runners, or whoever asked where nobody leads."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, text

from prospector.errors import Conflict, NotFound
from prospector.jobs.exports import asking
from prospector.jobs.exports.asking import RUNNERS_MOST, Runners
from prospector.store import exports, locks
from prospector.store.kinds import ExportState
from prospector.store.locks import Lock

from .conftest import ALL, CSV_ONLY, ask

PATIENCE_SECONDS = 60


@pytest.fixture
def runners(engine: Engine, tmp_path: Path) -> Iterator[Runners]:
    url = engine.url.render_as_string(hide_password=False)
    made = Runners(engine, os.environ | {"DATABASE_URL": url, "STORAGE_URL": (tmp_path / "files").as_uri()})
    yield made
    made.stop()


def states(engine: Engine, job: str) -> list[ExportState]:
    return [one.state for one in asking.of_job(engine, job)]


def fall_silent(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(text("UPDATE exports SET beat_at = now() - interval '2 minutes'"))


def test_runners_make_all_that_waits(engine: Engine, job: str, runners: Runners) -> None:
    for _ in range(RUNNERS_MOST + 1):
        asking.ask(engine, job, CSV_ONLY)

    until = time.monotonic() + PATIENCE_SECONDS
    while set(states(engine, job)) != {ExportState.READY} and time.monotonic() < until:
        runners.look()
        time.sleep(0.1)

    assert states(engine, job) == [ExportState.READY] * (RUNNERS_MOST + 1)


def test_there_are_no_more_runners_than_there_may_be(
    engine: Engine, job: str, runners: Runners, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []

    def slow(*_: object) -> "subprocess.Popen[bytes]":
        begun.append(1)
        return subprocess.Popen(["sleep", "60"])

    monkeypatch.setattr(asking, "start_runner", slow)
    asking.ask(engine, job, ALL)

    for _ in range(5):
        runners.look()

    assert len(begun) == RUNNERS_MOST


DEAF = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); signal.pause()"


def test_a_runner_that_does_not_hear_is_not_waited_for(
    engine: Engine, job: str, runners: Runners, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = subprocess.Popen([sys.executable, "-c", DEAF], stdout=subprocess.PIPE)
    assert made.stdout
    with made.stdout:
        made.stdout.readline()
    monkeypatch.setattr(asking, "STOP_SECONDS", 0.1)
    monkeypatch.setattr(asking, "start_runner", lambda *_: made)
    asking.ask(engine, job, CSV_ONLY)
    runners.look()

    runners.stop()

    assert made.returncode == -signal.SIGKILL


def test_without_work_no_runner_is_started(engine: Engine, job: str) -> None:
    assert not asking.waits(engine)
    assert not asking.needs_runner(engine)


def test_what_waits_needs_a_runner_only_where_nobody_leads(engine: Engine, job: str) -> None:
    asking.ask(engine, job, CSV_ONLY)

    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as steward:
        steward.detach()
        assert locks.lead(steward, Lock.LEAD)
        while_led = asking.needs_runner(engine)
    afterwards = asking.needs_runner(engine)

    assert (while_led, afterwards) == (False, True)


def test_the_lock_of_another_database_is_not_ours(engine: Engine, empty: Engine, job: str) -> None:
    asking.ask(engine, job, CSV_ONLY)

    with empty.connect().execution_options(isolation_level="AUTOCOMMIT") as other:
        other.detach()
        assert locks.lead(other, Lock.LEAD)
        assert asking.needs_runner(engine)


def test_one_whose_runner_fell_silent_twice_has_failed_and_waits_no_more(engine: Engine, job: str) -> None:
    ask(engine, job)
    fall_silent(engine)
    after_one = asking.waits(engine)
    with engine.begin() as connection:
        exports.claim(connection, 30)
    fall_silent(engine)

    assert (after_one, asking.waits(engine)) == (True, False)
    assert states(engine, job) == [ExportState.FAILED]


def test_a_job_without_exports_says_how_to_make_one(engine: Engine, job: str) -> None:
    with pytest.raises(NotFound, match=f"prospector job export {job}"):
        asking.of_job(engine, job)


def test_of_an_archived_job_nothing_is_exported(engine: Engine, job: str) -> None:
    with engine.begin() as connection:
        connection.execute(text("UPDATE jobs SET state = 'archived' WHERE id = :job"), {"job": job})

    for refused in (lambda: asking.ask(engine, job, CSV_ONLY), lambda: asking.of_job(engine, job)):
        with pytest.raises(Conflict, match=r"\(Results deleted\)"):
            refused()
