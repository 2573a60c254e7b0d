"""The ledger of credits: a reservation before each paid call, a settlement after it; nothing is ever changed."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, func, select, text

from prospector.core.visits.methods import Method
from prospector.store.kinds import SpendKind
from prospector.store.tables import domains, spend
from prospector.store.text import records


@dataclass(frozen=True)
class Reservation:
    """`credits` is the highest price of the method."""

    lease: str
    job: str
    domain: int
    page: int
    method: Method
    credits: int


@dataclass(frozen=True)
class Totals:
    """What is used for certain, and what unsettled calls may still cost; both count against the budget."""

    used: int
    reserved: int


@dataclass(frozen=True)
class Unsettled:
    """`domain` and `method` are what an operator finds the call by at the provider; None: the job is deleted."""

    lease: str
    job: str
    domain: str | None
    method: str
    credits: int
    at: datetime


SUMS = (
    func.coalesce(func.sum(spend.c.used_credits), 0).label("used"),
    func.coalesce(func.sum(spend.c.reserved_credits), 0).label("reserved"),
)

RESERVE = text("""
INSERT INTO spend (lease, kind, job, domain, page, method, reserved_credits, used_credits)
SELECT lease, 'reserved', job, domain, page, method, credits, 0
FROM json_to_recordset(CAST(:rows AS json)) AS row (
    lease text, job text, domain integer, page bigint, method method, credits integer)
ON CONFLICT DO NOTHING
""")

# takes off exactly what its own reservation had put on
SETTLE = text("""
INSERT INTO spend (lease, kind, job, domain, page, method, reserved_credits, used_credits)
SELECT lease, 'settled', job, domain, page, method, -reserved_credits, row.used
FROM json_to_recordset(CAST(:rows AS json)) AS row (lease text, used integer)
JOIN spend USING (lease) WHERE spend.kind = 'reserved'
ON CONFLICT DO NOTHING RETURNING lease
""")


def reserve(connection: Connection, rows: Sequence[Reservation]) -> None:
    """Committed before the calls are made; a lease that is there already stays as it is."""
    connection.execute(RESERVE, {"rows": records(rows)})


def settle(connection: Connection, used_credits: Mapping[str, int]) -> frozenset[str]:
    """Lease -> what the call cost. Returns those settled now; the first settlement of a lease stands."""
    rows = records({"lease": lease, "used": used} for lease, used in used_credits.items())
    return frozenset(connection.scalars(SETTLE, {"rows": rows}))


def calls_lately(connection: Connection, minutes: int) -> int:
    """How many calls were begun in the last minutes, over all jobs."""
    since = func.now() - func.make_interval(0, 0, 0, 0, 0, minutes)
    wanted = select(func.count()).where(spend.c.at > since, spend.c.kind == SpendKind.RESERVED)
    return connection.scalar(wanted) or 0


def job_totals(connection: Connection, job: str) -> Totals:
    return _totals(connection, select(*SUMS).where(spend.c.job == job))


def domain_totals(connection: Connection, job: str) -> Iterator[tuple[int, Totals]]:
    """By the domain's number, in order."""
    wanted = select(spend.c.domain, *SUMS).where(spend.c.job == job).group_by(spend.c.domain)
    for domain, used, reserved in connection.execute(wanted.order_by(spend.c.domain)):
        yield domain, Totals(used, reserved)


def totals_by_job(connection: Connection) -> dict[str, Totals]:
    """Of all jobs, deleted ones included."""
    rows = connection.execute(select(spend.c.job, *SUMS).group_by(spend.c.job))
    return {job: Totals(used, reserved) for job, used, reserved in rows}


def unsettled(connection: Connection, jobs: Collection[str], older_than: datetime) -> list[Unsettled]:
    """Calls of these jobs whose outcome nobody knows: they count at full price until an operator settles them."""
    old = _unsettled().where(spend.c.job.in_(jobs), spend.c.at < older_than).order_by(spend.c.at)
    return [Unsettled(**row) for row in connection.execute(old).mappings()]


def unsettled_call(connection: Connection, lease: str) -> Unsettled | None:
    """None: there is no such call, or it is settled."""
    found = connection.execute(_unsettled().where(spend.c.lease == lease)).mappings().one_or_none()
    return None if found is None else Unsettled(**found)


def unsettled_of(connection: Connection, job: str) -> dict[str, int]:
    """Lease -> reserved credits, of calls in flight as well. Read before what is used, nothing is missed in between."""
    rows = connection.execute(_unsettled().where(spend.c.job == job))
    return {row.lease: row.credits for row in rows}


def _unsettled() -> Select[Any]:
    settled = spend.alias()
    # the job says nothing more, but where it is known the index of its rows finds both sides
    its_end = (settled.c.lease == spend.c.lease, settled.c.job == spend.c.job, settled.c.kind == SpendKind.SETTLED)
    return (
        select(
            spend.c.lease,
            spend.c.job,
            domains.c.domain,
            spend.c.method,
            spend.c.reserved_credits.label("credits"),
            spend.c.at,
        )
        .outerjoin(domains, (domains.c.job == spend.c.job) & (domains.c.number == spend.c.domain))
        .where(spend.c.kind == SpendKind.RESERVED)
        .where(~select(settled).where(*its_end).exists())
    )


def _totals(connection: Connection, wanted: Select[Any]) -> Totals:
    return Totals(**connection.execute(wanted).mappings().one())
