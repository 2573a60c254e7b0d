"""Asking for an export, and who makes it: the steward, or a process started for whoever asked where there is none."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from sqlalchemy import Engine

from prospector.core.states import JobState
from prospector.errors import Conflict, NotFound
from prospector.jobs.exports.heart import SILENT_SECONDS
from prospector.jobs.exports.order import Order
from prospector.store import exports, jobs, locks
from prospector.store.exports import Export
from prospector.store.jobs import Job
from prospector.store.locks import Lock


class ResultsDeleted(Conflict):
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
            raise ResultsDeleted(job)
        exports.ask(connection, job_id, [str(one) for one in order.formats], order.options)
        return job


def of_job(engine: Engine, job_id: str) -> Sequence[Export]:
    """At least one, newest first."""
    with engine.connect() as connection:
        found = exports.of_job(connection, job_id)
        job = jobs.job(connection, job_id)
    if job.state is JobState.ARCHIVED:
        raise ResultsDeleted(job)
    if not found:
        raise NotFound(f"Job {job_id} has no export.", f"To make one: prospector job export {job_id}")
    return found


def needs_runner(engine: Engine) -> bool:
    """An export waits or its runner fell silent, and no steward leads who would see to it. Says of dead ones that they are."""
    with engine.begin() as connection:
        exports.give_up(connection, SILENT_SECONDS)
        return exports.claimable(connection, SILENT_SECONDS) and not locks.is_held(connection, Lock.LEAD)


def start_runner(environment: Mapping[str, str], log: Path) -> "subprocess.Popen[bytes]":
    """It claims the oldest export that waits, and outlives its caller: Ctrl-C in this terminal is not meant for it."""
    with log.open("ab") as written:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "prospector.jobs.exports"],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=written,
            start_new_session=True,
        )
