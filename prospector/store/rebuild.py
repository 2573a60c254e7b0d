"""What a frontier that lost everything is filled from, beside jobs, domains, sites and the ledger."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select, text

from prospector.store.partitions import pages_of
from prospector.store.tables import frontier_epoch

ROWS_AT_ONCE = 1_000


@dataclass(frozen=True)
class Settled:
    """A page that is not fetched again, and the addresses that it was the first to name."""

    domain: int
    page: int
    found: Sequence[str]


def next_epoch(connection: Connection) -> int:
    """Never the same twice, whatever is rolled back: leases of an older epoch stay invalid for ever."""
    epoch: int = connection.scalar(select(frontier_epoch.next_value())) or 0
    return epoch


def settled(connection: Connection, job: str) -> Iterator[Settled]:
    """The settled pages of the job's open domains, in their present generation; streamed, so in a transaction."""
    wanted = text(f"""
        SELECT pages.domain, pages.page, pages.found FROM domains
        JOIN {pages_of(job)} AS pages ON pages.domain = domains.number AND pages.generation = domains.generation
        WHERE domains.job = :job AND domains.state = 'open'
    """)  # noqa: S608  # a checked name
    for row in connection.execute(wanted, {"job": job}, execution_options={"yield_per": ROWS_AT_ONCE}):
        yield Settled(row.domain, row.page, row.found or ())
