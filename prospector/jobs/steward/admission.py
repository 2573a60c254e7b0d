"""New jobs wait while those that run find pages faster than they are fetched; then they start by themselves, the oldest first."""

from contextlib import suppress
from datetime import timedelta

from sqlalchemy import Engine

from prospector.core.job.halts import is_queued
from prospector.core.job.states import JobState
from prospector.frontier import job_calls
from prospector.frontier.client import Frontier
from prospector.jobs import control
from prospector.store import jobs
from prospector.store.failures import each
from prospector.store.jobs import Job

SAID_FOR = timedelta(minutes=2)  # a steward looks every 15 s; without one new jobs wait for nothing
PENDING = frozenset({JobState.PENDING})


def say(frontier: Frontier, why: str) -> None:
    """Empty: there is room."""
    frontier.run(job_calls.crowd(why, int(SAID_FOR.total_seconds() * 1000)))


def admit(engine: Engine, frontier: Frontier) -> str | None:
    """One a look, for each adds to what the next one has to wait for; one that cannot be started is in nobody's way.

    Returns the job.
    """
    with engine.connect() as connection:
        queued = [one for one in jobs.listed(connection, PENDING) if is_queued(one.reason)]
    if not queued or frontier.run(job_calls.crowded()):
        return None
    admitted: list[str] = []

    def start(job: Job) -> None:
        if not admitted:
            with suppress(control.NotNow):  # somebody was faster, or it was cancelled
                control.start(engine, frontier, job.id)
                admitted.append(job.id)

    each(reversed(queued), start)
    return admitted[0] if admitted else None
