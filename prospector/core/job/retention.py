"""How long the results of a job are kept, and how a user is told."""

from datetime import datetime, timedelta

from prospector.core.job.states import JobState

EXPORT_DAYS = 7  # as long as the links to its files are good
AT_REST = frozenset({JobState.PAUSED, JobState.COMPLETED, JobState.FAILED, JobState.CANCELLED})


def deleted_on(state: JobState, left_running_at: datetime | None, moved_at: datetime, days: int) -> datetime | None:
    """When the results go; None for a job that is not at rest. One that never ran counts from its last move."""
    return (left_running_at or moved_at) + timedelta(days=days) if state in AT_REST else None


def warning(deletion: datetime | None, days: int) -> str:
    if deletion is None:
        return f"This job will be auto-deleted {days} days after it ends."
    return f"This job will be auto-deleted on {deletion:%Y-%m-%d}. Download your results now."
