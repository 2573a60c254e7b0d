"""The domains of a job: read in order to be crawled, opened, and finished once a generation."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, case, func, select, text, update

from prospector.core.visits.methods import Method
from prospector.core.visits.outcomes import FINISHED, DomainState
from prospector.store.tables import domains, jobs
from prospector.store.text import records


@dataclass(frozen=True)
class Seed:
    """`number` is what pages call the domain by."""

    number: int
    domain: str
    generation: int
    state: DomainState


@dataclass(frozen=True)
class Listed(Seed):
    job: str


@dataclass(frozen=True)
class Finished:
    """The final row of a domain: `reason` is empty only where everything was read."""

    number: int
    generation: int
    state: DomainState
    reason: str | None = None
    last_status: int | None = None
    attempts: int = 0
    pages: int = 0
    mentions: int = 0
    direct_requests: int = 0
    standard_requests: int = 0
    js_requests: int = 0
    js_pages: int = 0
    credits: int = 0
    blocks: int = 0
    delay_ms: int | None = None
    partial: bool = False
    moved_to: str | None = None


def unfinished(connection: Connection, job: str, after: int = -1, limit: int = 10_000) -> list[Seed]:
    """In the order of the list: the next call gets the last number as `after`."""
    wanted = (
        select(domains.c.number, domains.c.domain, domains.c.generation, domains.c.state)
        .where(domains.c.job == job, domains.c.number > after, domains.c.state.not_in(FINISHED))
        .order_by(domains.c.number)
        .limit(limit)
    )
    return [Seed(row.number, row.domain, row.generation, DomainState(row.state)) for row in connection.execute(wanted)]


def names(connection: Connection, job: str) -> Iterator[str]:
    """All that the job has listed."""
    yield from connection.scalars(select(domains.c.domain).where(domains.c.job == job))


def listed(connection: Connection, domain: str) -> list[Listed]:
    """In every job that lists it, the newest job first."""
    wanted = (
        select(domains.c.number, domains.c.domain, domains.c.generation, domains.c.state, domains.c.job)
        .join(jobs, jobs.c.id == domains.c.job)
        .where(domains.c.domain == domain)
        .order_by(jobs.c.created_at.desc())
    )
    found = connection.execute(wanted).mappings()
    return [Listed(**{**row, "state": DomainState(row["state"])}) for row in found]


def seed(connection: Connection, job: str, number: int) -> Seed:
    wanted = select(domains.c.number, domains.c.domain, domains.c.generation, domains.c.state)
    row = connection.execute(wanted.where(domains.c.job == job, domains.c.number == number)).mappings().one()
    return Seed(**{**row, "state": DomainState(row["state"])})


def open_(connection: Connection, job: str, numbers: Sequence[int]) -> None:
    """Before the first request of each. From then on its settled pages count when the frontier is rebuilt."""
    connection.execute(
        update(domains)
        .where(domains.c.job == job, domains.c.number.in_(numbers), domains.c.state == DomainState.WAITING)
        .values(state=DomainState.OPEN, opened_at=func.now())
    )


FINISH = text("""
UPDATE domains AS old SET
    state = row.state, reason = row.reason, finished_at = now(), last_status = row.last_status, attempts = row.attempts,
    pages = row.pages, mentions = row.mentions, direct_requests = row.direct_requests,
    standard_requests = row.standard_requests, js_requests = row.js_requests, js_pages = row.js_pages,
    credits = row.credits, blocks = row.blocks, delay_ms = row.delay_ms, partial = row.partial, moved_to = row.moved_to
FROM json_to_recordset(CAST(:rows AS json)) AS row (
    number integer, generation smallint, state text, reason text, last_status smallint, attempts smallint,
    pages integer, mentions integer, direct_requests integer, standard_requests integer, js_requests integer,
    js_pages integer, credits integer, blocks integer, delay_ms integer, partial boolean, moved_to text)
WHERE old.job = :job AND old.number = row.number AND old.generation = row.generation
    AND old.state NOT IN ('done', 'failed')
RETURNING old.number
""")


def finish(connection: Connection, job: str, rows: Sequence[Finished]) -> frozenset[int]:
    """Those that this call finished; the others were finished before, or belong to an older generation."""
    return frozenset(connection.scalars(FINISH, {"job": job, "rows": records(rows)}))


def reopen(connection: Connection, job: str, numbers: Sequence[int]) -> frozenset[int]:
    """A new generation of each one that is finished. What the old one found stays until the new one replaces it, and so does
    the reason for which it failed."""
    again = (
        update(domains)
        .where(domains.c.job == job, domains.c.number.in_(numbers), domains.c.state.in_(FINISHED))
        .values(
            state=DomainState.WAITING,
            generation=domains.c.generation + 1,
            opened_at=None,
            finished_at=None,
            reason=case((domains.c.state == DomainState.FAILED, domains.c.reason)),
            partial=False,
            verdict=None,
        )
        .returning(domains.c.number)
    )
    return frozenset(connection.scalars(again))


def fail_again(connection: Connection, job: str) -> None:
    """Those that had failed, were to be tried again and never came to an end: they have failed, for the reason they had."""
    unfinished = domains.c.state.not_in(FINISHED) & domains.c.reason.is_not(None)
    failed = update(domains).where(domains.c.job == job, unfinished)
    connection.execute(failed.values(state=DomainState.FAILED, finished_at=func.now()))


def failed(connection: Connection, job: str) -> Iterator[int]:
    wanted = select(domains.c.number).where(domains.c.job == job, domains.c.state == DomainState.FAILED)
    yield from connection.scalars(wanted.order_by(domains.c.number))


def by_dearest_method(connection: Connection, job: str) -> dict[Method, int]:
    """How many finished domains needed which method at most."""
    dearest = case(
        (domains.c.js_requests > 0, Method.JS), (domains.c.standard_requests > 0, Method.STANDARD), else_=Method.DIRECT
    )
    wanted = select(dearest, func.count()).where(domains.c.job == job, domains.c.state.in_(FINISHED)).group_by(dearest)
    return dict.fromkeys(Method, 0) | {Method(method): rows for method, rows in connection.execute(wanted)}


def tally(connection: Connection, job: str) -> dict[DomainState, int]:
    """How many are in each state, counted from the rows: for a rebuild; a status reads counters."""
    counted = select(domains.c.state, func.count()).where(domains.c.job == job).group_by(domains.c.state)
    return dict.fromkeys(DomainState, 0) | {DomainState(state): rows for state, rows in connection.execute(counted)}
