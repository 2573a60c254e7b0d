"""A job's counters from the frontier into the record: what a status shows while Redis is away, or when the job has ended."""

from datetime import UTC, datetime

from sqlalchemy import Connection

from prospector.core.job.states import JobState
from prospector.frontier.job_calls import Status
from prospector.store import checkpoints
from prospector.store.checkpoints import Checkpoint
from prospector.store.jobs import Job


def checkpoint(connection: Connection, job: Job, known: Status, state: JobState | None = None) -> None:
    """`state`: where the job has just been moved, if it was."""
    checkpoints.take(
        connection,
        Checkpoint(
            job=job.id,
            taken_at=datetime.now(UTC),
            last_processed_at=known.last_activity,
            domains_total=job.domains_total,
            domains_done=known.domains_done,
            domains_failed=known.domains_failed,
            pages=known.pages,
            mentions=known.mentions,
            credits=known.credits_used,
            state=state or job.state,
        ),
    )
