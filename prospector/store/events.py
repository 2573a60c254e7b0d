"""What happened: every move of a job (written by the move itself), alerts, notes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ARRAY, BigInteger, Connection, RowMapping, all_, func, literal, select, text

from prospector.store.kinds import EventKind
from prospector.store.tables import events
from prospector.store.text import storable, storable_json


@dataclass(frozen=True)
class Event:
    id: int
    at: datetime
    job: str | None
    kind: EventKind
    from_state: str | None
    to_state: str | None
    reason: str
    facts: Mapping[str, object] | None


RECORD = text("""
INSERT INTO events (job, kind, reason, facts) VALUES (:job, :kind, :reason, CAST(:facts AS jsonb))
""")


def record(
    connection: Connection,
    kind: EventKind,
    reason: str,
    job: str | None = None,
    facts: Mapping[str, object] | None = None,
) -> None:
    """Without a job it concerns the system."""
    written = None if facts is None else storable_json(facts)
    connection.execute(RECORD, {"job": job, "kind": kind, "reason": storable(reason), "facts": written})


def has(connection: Connection, kind: EventKind, job: str, facts: Mapping[str, object]) -> bool:
    """Whether there is one of this job with these facts."""
    wanted = select(events.c.id).where(events.c.job == job, events.c.kind == kind, events.c.facts.contains(facts))
    return connection.scalar(wanted.limit(1)) is not None


def of_job(connection: Connection, job: str, limit: int = 100) -> list[Event]:
    """Newest first."""
    wanted = select(events).where(events.c.job == job).order_by(events.c.id.desc()).limit(limit)
    return [_event(row) for row in connection.execute(wanted).mappings()]


def moves_beside(connection: Connection, told: Sequence[int], limit: int = 100) -> list[Event]:
    """Moves of all jobs after the first of `told`, without these; oldest first. A transaction that took its time commits an
    id that is smaller than what was told since."""
    new = (
        events.c.kind == EventKind.MOVED,
        events.c.id > told[0],
        events.c.id != all_(literal(list(told), ARRAY(BigInteger))),
    )
    wanted = select(events).where(*new).order_by(events.c.id).limit(limit)
    return [_event(row) for row in connection.execute(wanted).mappings()]


def newest_moves(connection: Connection, limit: int) -> list[int]:
    """Their ids."""
    wanted = select(events.c.id).where(events.c.kind == EventKind.MOVED).order_by(events.c.id.desc()).limit(limit)
    return list(connection.scalars(wanted))


def lately(connection: Connection, kind: EventKind, seconds: int) -> list[Event]:
    """Oldest first."""
    since = func.now() - func.make_interval(0, 0, 0, 0, 0, 0, seconds)
    wanted = select(events).where(events.c.kind == kind, events.c.at >= since).order_by(events.c.id)
    return [_event(row) for row in connection.execute(wanted).mappings()]


def _event(row: RowMapping) -> Event:
    return Event(**{**row, "kind": EventKind(row["kind"])})
