"""The last known counters of a job: what a status shows when the frontier is away, and a rebuild begins with."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select
from sqlalchemy.dialects.postgresql import insert

from prospector.core.job.states import JobState
from prospector.store.tables import checkpoints


@dataclass(frozen=True)
class Checkpoint:
    """`domains_done` without those that failed."""

    job: str
    taken_at: datetime
    last_processed_at: datetime | None
    domains_total: int
    domains_done: int
    domains_failed: int
    pages: int
    mentions: int
    credits: int
    state: JobState


def take(connection: Connection, checkpoint: Checkpoint) -> None:
    """The newest moment wins, whoever comes last."""
    new = insert(checkpoints).values(vars(checkpoint))
    changed = {name: new.excluded[name] for name in vars(checkpoint) if name != "job"}
    connection.execute(
        new.on_conflict_do_update(
            index_elements=["job"], set_=changed, where=checkpoints.c.taken_at < new.excluded.taken_at
        )
    )


def last(connection: Connection, jobs: list[str]) -> dict[str, Checkpoint]:
    """By job; a job that never ran has none."""
    rows = connection.execute(select(checkpoints).where(checkpoints.c.job.in_(jobs))).mappings()
    return {row["job"]: Checkpoint(**{**row, "state": JobState(row["state"])}) for row in rows}
