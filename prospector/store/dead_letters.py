"""Pages that lost their worker again and again, kept for an operator to look at and to try once more."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select, text, update

from prospector.errors import Conflict, NotFound
from prospector.store.tables import dead_letters
from prospector.store.text import records


@dataclass(frozen=True)
class Death:
    job: str
    domain: int
    page: int
    generation: int
    attempts: int
    url: str
    reason: str


@dataclass(frozen=True)
class DeadLetter(Death):
    id: int
    at: datetime
    requeued_at: datetime | None


BURY = text("""
INSERT INTO dead_letters (job, domain, page, generation, attempts, url, reason)
SELECT job, domain, page, generation, attempts, url, reason
FROM json_to_recordset(CAST(:rows AS json)) AS row (
    job text, domain integer, page bigint, generation smallint, attempts smallint, url text, reason text)
ON CONFLICT DO NOTHING
""")


def bury(connection: Connection, deaths: Sequence[Death]) -> None:
    connection.execute(BURY, {"rows": records(deaths)})


def waiting(connection: Connection, limit: int = 100) -> list[DeadLetter]:
    """Oldest first, those that were not tried again."""
    wanted = select(dead_letters).where(dead_letters.c.requeued_at.is_(None)).order_by(dead_letters.c.id).limit(limit)
    return [DeadLetter(**row) for row in connection.execute(wanted).mappings()]


def of_domain(connection: Connection, job: str, domain: int) -> list[int]:
    """Those of a domain that were not tried again."""
    wanted = select(dead_letters.c.id).where(dead_letters.c.job == job, dead_letters.c.domain == domain)
    return list(connection.scalars(wanted.where(dead_letters.c.requeued_at.is_(None)).order_by(dead_letters.c.id)))


def count(connection: Connection) -> int:
    """That were not tried again."""
    return connection.scalar(select(func.count()).where(dead_letters.c.requeued_at.is_(None))) or 0


def requeue(connection: Connection, letter: int) -> DeadLetter:
    """Once: a second caller is told so."""
    taken = (
        update(dead_letters)
        .where(dead_letters.c.id == letter, dead_letters.c.requeued_at.is_(None))
        .values(requeued_at=func.now())
        .returning(dead_letters)
    )
    row = connection.execute(taken).mappings().one_or_none()
    if row is not None:
        return DeadLetter(**row)
    if connection.scalar(select(dead_letters.c.id).where(dead_letters.c.id == letter)) is None:
        raise NotFound(f"There is no dead letter {letter}.", "prospector system queue-status shows them.")
    raise Conflict(f"Dead letter {letter} was queued again before.", "prospector job errors shows what became of it.")
