"""Results are kept for so many days after a job last ran; then they are deleted and what the job was stays, as archived."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, Engine

from prospector import logs
from prospector.core.job.retention import AT_REST, deleted_on
from prospector.core.job.states import JobState
from prospector.store import events, jobs, partitions
from prospector.store.jobs import IllegalMove, Job
from prospector.store.kinds import EventKind
from prospector.store.partitions import ResultsInUse

LOG = logs.named(__name__)
WARNED_BEFORE = timedelta(days=7)


@dataclass(frozen=True)
class Kept:
    archived: tuple[str, ...]
    warned: tuple[str, ...]


def keep_in_time(engine: Engine, now: datetime, days: int) -> Kept:
    with engine.connect() as connection:
        at_rest = jobs.listed(connection, AT_REST)
    archived, warned = [], []
    for job in at_rest:
        due = deleted_on(job.state, job.left_running_at, job.moved_at, days)
        assert due
        if job.state is JobState.PAUSED and job.warned_at is None and now >= due - WARNED_BEFORE:
            with engine.begin() as connection:
                _warn(connection, job, max(due, now + WARNED_BEFORE))
            warned.append(job.id)
        elif now >= due and _was_warned_in_time(job, now) and _archive(engine, job, days):
            archived.append(job.id)
    return Kept(tuple(archived), tuple(warned))


def _was_warned_in_time(job: Job, now: datetime) -> bool:
    """A paused job may be meant to go on: its owner has the time between the warning and the end, however late it came."""
    return job.state is not JobState.PAUSED or (job.warned_at is not None and now >= job.warned_at + WARNED_BEFORE)


def _warn(connection: Connection, job: Job, due: datetime) -> None:
    words = (
        f"Job {job.id} has been paused since {job.moved_at:%Y-%m-%d}: its results are deleted on {due:%Y-%m-%d}. "
        f"Go on with it: prospector job resume {job.id}, or keep them: prospector job export {job.id}"
    )
    LOG.warning("job_is_deleted_soon", job=job.id, message=words)
    jobs.warn(connection, job.id)
    events.record(connection, EventKind.NOTE, words, job.id)


def _archive(engine: Engine, job: Job, days: int) -> bool:
    """In one transaction: a job is never called archived with its results there, or the other way round."""
    try:
        with engine.begin() as connection:
            jobs.move(connection, job.id, JobState.ARCHIVED, f"results deleted after {days} days")
            partitions.drop(connection, job.id)
    except (
        IllegalMove,
        ResultsInUse,
    ) as error:  # it was resumed just now, or is being exported: the next round looks again
        LOG.info("job_is_not_archived", job=job.id, error=str(error))
        return False
    LOG.info("job_archived", job=job.id)
    return True
