"""How long the results of a job are kept, and how a user is told."""

from datetime import datetime, timedelta

KEPT_DAYS = 90  # after the last move out of running
EXPORT_DAYS = 7  # as long as the links to its files are good


def deleted_at(left_running_at: datetime) -> datetime:
    return left_running_at + timedelta(days=KEPT_DAYS)


def warning(left_running_at: datetime | None) -> str:
    if left_running_at is None:
        return f"This job will be auto-deleted {KEPT_DAYS} days after it ends."
    return f"This job will be auto-deleted on {deleted_at(left_running_at):%Y-%m-%d}. Download your results now."
