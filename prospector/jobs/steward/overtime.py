"""A job that has run for longer than it was allowed to is paused: one that never ends is a mistake that nobody looks at."""

from datetime import datetime, timedelta

from sqlalchemy import Engine

from prospector.core.job.halts import Halt
from prospector.core.job.spec import spec_from
from prospector.core.job.states import JobState
from prospector.frontier.client import Frontier
from prospector.jobs.follow import reconcile
from prospector.store import jobs
from prospector.store.jobs import IllegalMove

RUNNING = frozenset({JobState.RUNNING})


def pause_overtime(engine: Engine, frontier: Frontier, now: datetime) -> list[str]:
    """The time counts from its start or its last resume. Returns those that were paused."""
    with engine.connect() as connection:
        running = jobs.listed(connection, RUNNING)
    paused = []
    for job in running:
        hours = spec_from(job.spec).max_hours
        if now - job.moved_at < timedelta(hours=hours):
            continue
        try:
            with engine.begin() as connection:
                jobs.move(connection, job.id, JobState.PAUSING, f"{Halt.HOURS} ({hours} h)", RUNNING)
        except IllegalMove:  # somebody was faster
            continue
        reconcile(engine, frontier, job.id)
        paused.append(job.id)
    return paused
