"""What a frontier that lost everything is filled from, beside jobs, domains, sites and the ledger."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select, text

from prospector.core.reading.traits import PageFlag
from prospector.core.visits.methods import Method
from prospector.core.visits.outcomes import PageOutcome
from prospector.store.partitions import mentions_of, pages_of
from prospector.store.tables import frontier_epoch

ROWS_AT_ONCE = 1_000
# what settle.lua counts; a row that Postgres has refused was of a page that was fetched
COUNTED = f"(outcome IN ('read', 'failed', 'unwritable') OR flags & {int(PageFlag.COUNTED)} <> 0)"


@dataclass(frozen=True)
class Settled:
    """A page that is not fetched again. `found`: the addresses that it was the first to name, as pages.PageRow has them."""

    domain: int
    page: int
    found: Sequence[str]
    outcome: PageOutcome
    method: Method | None
    attempts: int
    status: int | None
    mentions: int
    counted: bool  # as a page fetched
    after_seconds: float  # since its domain was opened


@dataclass(frozen=True)
class Counted:
    domains_done: int
    domains_failed: int
    pages: int
    mentions: int
    dead_letters: int
    pages_failed: int


def next_epoch(connection: Connection) -> int:
    """Never the same twice, whatever is rolled back: leases of an older epoch stay invalid for ever."""
    epoch: int = connection.scalar(select(frontier_epoch.next_value())) or 0
    return epoch


def settled(connection: Connection, job: str) -> Iterator[Settled]:
    """The settled pages of the job's open domains, in their present generation, domain by domain; streamed, so in a
    transaction. A dead letter that an operator has queued again is not settled."""
    wanted = text(f"""
        SELECT pages.domain, pages.page, coalesce(pages.found, '{{}}') AS found, pages.outcome, pages.method, pages.attempts,
            pages.status, {COUNTED} AS counted, extract(epoch FROM pages.settled_at - domains.opened_at)::float AS after_seconds,
            (SELECT count(*) FROM {mentions_of(job)} AS said
                WHERE said.job = :job AND said.page = pages.page) AS mentions
        FROM domains
        JOIN {pages_of(job)} AS pages ON pages.domain = domains.number AND pages.generation = domains.generation
        WHERE domains.job = :job AND domains.state = 'open' AND NOT (pages.outcome = 'dead' AND EXISTS (
            SELECT FROM dead_letters AS letter WHERE letter.job = :job AND letter.page = pages.page
                AND letter.generation = pages.generation AND letter.requeued_at IS NOT NULL))
        ORDER BY pages.domain
    """)  # noqa: S608  # a checked name
    for row in connection.execute(wanted, {"job": job}, execution_options={"yield_per": ROWS_AT_ONCE}).mappings():
        method = Method(row["method"]) if row["method"] else None
        yield Settled(**{**row, "outcome": PageOutcome(row["outcome"]), "method": method})


def counted(connection: Connection, job: str) -> Counted:
    """What a status counts, from the rows themselves."""
    fetched = text(f"""
        SELECT (SELECT count(*) FROM {pages_of(job)} WHERE {COUNTED}) AS pages,
            (SELECT count(*) FROM {pages_of(job)} WHERE outcome = 'failed') AS pages_failed,
            (SELECT count(*) FROM {mentions_of(job)}) AS mentions,
            (SELECT count(*) FROM dead_letters WHERE job = :job AND requeued_at IS NULL) AS dead_letters,
            count(*) FILTER (WHERE state = 'done') AS domains_done,
            count(*) FILTER (WHERE state = 'failed') AS domains_failed
        FROM domains WHERE job = :job
    """)  # noqa: S608  # a checked name
    return Counted(**connection.execute(fetched, {"job": job}).mappings().one())
