"""A job's counters from the frontier into the record: what a status shows while Redis is away, or when the job has ended."""

from datetime import UTC, datetime

from sqlalchemy import Connection

from prospector.core import progress
from prospector.core.states import JobState
from prospector.frontier.job_calls import Counters
from prospector.store import checkpoints
from prospector.store.checkpoints import Checkpoint
from prospector.store.jobs import Job


def checkpoint(connection: Connection, job: Job, known: Counters, state: JobState | None = None) -> None:
    """`state`: where the job has just been moved, if it was."""
    checkpoints.take(
        connection,
        Checkpoint(
            job=job.id,
            taken_at=moment(known.now_ms),
            last_processed_at=last_activity(known),
            domains_total=job.domains_total,
            domains_done=known.done,
            domains_failed=known.failed,
            pages=known.pages,
            mentions=known.mentions,
            credits=known.used_credits,
            state=state or job.state,
        ),
    )


def last_activity(known: Counters) -> datetime | None:
    last_ms = progress.last_ms(known.pages_by_minute, known.last_ms, known.now_ms)
    return None if last_ms is None else moment(last_ms)


def moment(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)
