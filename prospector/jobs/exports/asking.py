"""Asking for an export, and who makes it: the steward, or a process started for whoever asked where there is none."""

import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from sqlalchemy import Engine

from prospector.core.job.states import JobState
from prospector.errors import Conflict, NotFound
from prospector.jobs.exports.heart import SILENT_SECONDS
from prospector.jobs.exports.order import Order
from prospector.store import exports, jobs, locks
from prospector.store.exports import Export
from prospector.store.jobs import Job
from prospector.store.locks import Lock

RUNNERS_MOST = 2
STOP_SECONDS = 10.0  # half of what a steward is given


class NothingToExport(Conflict):
    def __init__(self, job: Job) -> None:
        super().__init__(
            f"Job {job.id} is archived: nothing is left to export. (Results deleted)",
            "prospector job list --include-archived shows what it was.",
        )


def ask(engine: Engine, job_id: str, order: Order) -> Job:
    """Also of a job that still runs: the files then hold what is known when they are made. Returns the job as it is now."""
    with engine.begin() as connection:
        job = jobs.job(connection, job_id)
        if job.state is JobState.ARCHIVED:
            raise NothingToExport(job)
        exports.ask(connection, job_id, [str(one) for one in order.formats], order.options)
        return job


def of_job(engine: Engine, job_id: str) -> Sequence[Export]:
    """At least one, newest first."""
    with engine.connect() as connection:
        found = exports.of_job(connection, job_id)
        job = jobs.job(connection, job_id)
    if job.state is JobState.ARCHIVED:
        raise NothingToExport(job)
    if not found:
        raise NotFound(f"Job {job_id} has no export.", f"To make one: prospector job export {job_id}")
    return found


def waits(engine: Engine) -> bool:
    """An export waits, or its runner fell silent. Says of those that did so twice that they have failed."""
    with engine.begin() as connection:
        exports.give_up(connection, SILENT_SECONDS)
        return exports.claimable(connection, SILENT_SECONDS)


def needs_runner(engine: Engine) -> bool:
    """No steward leads who would see to what waits."""
    with engine.connect() as connection:
        is_led = locks.is_held(connection, Lock.LEAD)
    return not is_led and waits(engine)


def start_runner(environment: Mapping[str, str], log: Path | None = None) -> "subprocess.Popen[bytes]":
    """It claims the oldest export that waits. Without a `log` its words join those of its parent.

    A session of its own: Ctrl-C in the terminal of somebody who waits is not meant for it.
    """
    with ExitStack() as opened:
        words = opened.enter_context(log.open("ab")) if log else None
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "prospector.jobs.exports"],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=words,
            stderr=words,
            start_new_session=True,
        )


class Runners:
    """Those of a steward: as many at once as its machine should bear, each for one export."""

    def __init__(self, engine: Engine, environment: Mapping[str, str]) -> None:
        self._engine, self._environment = engine, environment
        self._runners: list[subprocess.Popen[bytes]] = []

    def look(self) -> None:
        self._runners = [one for one in self._runners if one.poll() is None]
        if len(self._runners) < RUNNERS_MOST and waits(self._engine):
            self._runners.append(start_runner(self._environment))

    def stop(self) -> None:
        """They hand back what they were at, for the next steward. One that hangs counts as a try that failed."""
        for one in self._runners:
            one.terminate()
        end = time.monotonic() + STOP_SECONDS
        for one in self._runners:
            try:
                one.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()
