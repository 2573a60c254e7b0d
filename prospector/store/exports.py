"""Runs of exports: asked for, claimed by one runner, beating while it works, then ready or failed."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, RowMapping, func, insert, select, text, update

from prospector.store.kinds import ExportState
from prospector.store.tables import exports
from prospector.store.text import storable

ID_BYTES = 16  # it is part of the address of the files, so nobody may guess it
MOST_ATTEMPTS = 2


@dataclass(frozen=True)
class Export:
    id: str
    job: str
    state: ExportState
    reason: str | None
    formats: Sequence[str]
    options: Mapping[str, object]
    attempts: int
    rows_done: int
    rows_total: int | None
    files: Sequence[Mapping[str, object]]
    asked_at: datetime
    beat_at: datetime | None
    finished_at: datetime | None
    expires_at: datetime | None


def ask(connection: Connection, job: str, formats: Sequence[str], options: Mapping[str, object]) -> str:
    export = secrets.token_hex(ID_BYTES)
    connection.execute(insert(exports).values(id=export, job=job, formats=list(formats), options=dict(options)))
    return export


def of_job(connection: Connection, job: str) -> list[Export]:
    """Newest first."""
    wanted = select(exports).where(exports.c.job == job).order_by(exports.c.asked_at.desc())
    return [_export(row) for row in connection.execute(wanted).mappings()]


# the oldest that waits, or whose runner has been silent; SKIP LOCKED gives two runners two different ones
CLAIM = text("""
UPDATE exports SET state = 'running', attempts = attempts + 1, rows_done = 0, beat_at = now()
WHERE id = (
    SELECT id FROM exports
    WHERE attempts < :most AND (state = 'waiting'
        OR state = 'running' AND beat_at < now() - make_interval(secs => :silent_seconds))
    ORDER BY asked_at LIMIT 1 FOR UPDATE SKIP LOCKED
)
RETURNING *
""")

CLAIMABLE = text("""
SELECT EXISTS (
    SELECT FROM exports
    WHERE attempts < :most AND (state = 'waiting'
        OR state = 'running' AND beat_at < now() - make_interval(secs => :silent_seconds))
)
""")

GIVE_UP = text("""
UPDATE exports SET state = 'failed', finished_at = now(), reason = 'its runner ended without a word, twice'
WHERE state = 'running' AND attempts >= :most AND beat_at < now() - make_interval(secs => :silent_seconds)
RETURNING id
""")


def claimable(connection: Connection, silent_seconds: int) -> bool:
    given = {"most": MOST_ATTEMPTS, "silent_seconds": silent_seconds}
    return bool(connection.scalar(CLAIMABLE, given))


def claim(connection: Connection, silent_seconds: int) -> Export | None:
    row = connection.execute(CLAIM, {"most": MOST_ATTEMPTS, "silent_seconds": silent_seconds}).mappings().one_or_none()
    return None if row is None else _export(row)


def give_up(connection: Connection, silent_seconds: int) -> frozenset[str]:
    """Those that were retried once and fell silent again."""
    return frozenset(connection.scalars(GIVE_UP, {"most": MOST_ATTEMPTS, "silent_seconds": silent_seconds}))


def beat(connection: Connection, export: Export, rows_done: int, rows_total: int) -> bool:
    """False: another runner has it, and this one stops."""
    return _change(connection, export, {"beat_at": func.now(), "rows_done": rows_done, "rows_total": rows_total})


def ready(connection: Connection, export: Export, files: Sequence[Mapping[str, object]], expires_at: datetime) -> bool:
    values = {"state": ExportState.READY, "files": list(files), "expires_at": expires_at, "finished_at": func.now()}
    return _change(connection, export, values)


def fail(connection: Connection, export: Export, reason: str) -> bool:
    values = {"state": ExportState.FAILED, "reason": storable(reason), "finished_at": func.now()}
    return _change(connection, export, values)


TRY_AGAIN = text("""
UPDATE exports SET reason = :reason, beat_at = NULL,
    state = CASE WHEN attempts < :most THEN 'waiting' ELSE 'failed' END,
    finished_at = CASE WHEN attempts < :most THEN NULL ELSE now() END
WHERE id = :export AND state = 'running' AND attempts = :attempts
""")


def try_again(connection: Connection, export: Export, reason: str) -> None:
    """It waits for its second try, or has failed if this was the second."""
    given = {"reason": storable(reason), "most": MOST_ATTEMPTS, "export": export.id, "attempts": export.attempts}
    connection.execute(TRY_AGAIN, given)


HAND_BACK = text("""
UPDATE exports SET state = 'waiting', attempts = attempts - 1, beat_at = NULL
WHERE id = :export AND state = 'running' AND attempts = :attempts
""")


def hand_back(connection: Connection, export: Export) -> None:
    """It waits again as if it had not been claimed, and its runner does nothing more for it."""
    connection.execute(HAND_BACK, {"export": export.id, "attempts": export.attempts})


def expire(connection: Connection) -> list[Export]:
    """Marks those whose time has come and returns them: their files are to be deleted."""
    due = (
        update(exports)
        .where(exports.c.state == ExportState.READY, exports.c.expires_at < func.now())
        .values(state=ExportState.EXPIRED)
        .returning(exports)
    )
    return [_export(row) for row in connection.execute(due).mappings()]


def _change(connection: Connection, export: Export, values: Mapping[str, object]) -> bool:
    """The attempt is the fence: a runner that was given up on changes nothing."""
    mine = (exports.c.id == export.id, exports.c.state == ExportState.RUNNING, exports.c.attempts == export.attempts)
    return connection.execute(update(exports).where(*mine).values(**values)).rowcount == 1


def _export(row: RowMapping) -> Export:
    return Export(**{**row, "state": ExportState(row["state"])})
