"""What a job could not read, for its error report: domains that failed, and pages of any domain."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select, text

from prospector.core.visits.outcomes import SITEMAP, DomainState
from prospector.store.partitions import pages_of
from prospector.store.tables import domains

ROWS_AT_ONCE = 1_000
REASONS_MOST = 1_000  # they are words of ours, with a status or a name in some


@dataclass(frozen=True)
class FailedDomain:
    """The columns of the error report, in its order."""

    domain: str
    failure_reason: str
    http_status: int | None
    retry_count: int
    last_attempt_timestamp: datetime | None


@dataclass(frozen=True)
class UnreadPage:
    domain: str
    url: str
    outcome: str
    failure_reason: str
    http_status: int | None
    retry_count: int
    last_attempt_timestamp: datetime


def failed_domains(connection: Connection, job: str) -> Iterator[FailedDomain]:
    """In the order of the list."""
    columns = domains.c
    wanted = (
        select(
            columns.domain,
            func.coalesce(columns.reason, "unknown"),
            columns.last_status,
            func.greatest(columns.attempts - 1, 0),
            columns.finished_at,
        )
        .where(columns.job == job, columns.state == DomainState.FAILED)
        .order_by(columns.number)
    )
    for row in connection.execute(wanted, execution_options={"yield_per": ROWS_AT_ONCE}):
        yield FailedDomain(*row)


def unread_pages(connection: Connection, job: str) -> Iterator[UnreadPage]:
    """Domain by domain, in the order of the list. Sitemaps are no pages: that a site has none is no error."""
    wanted = text(f"""
        SELECT domains.domain, pages.url, pages.outcome, coalesce(pages.detail, pages.outcome::text), pages.status,
            greatest(pages.attempts - 1, 0), pages.settled_at
        FROM {pages_of(job)} AS pages JOIN domains ON domains.job = :job AND domains.number = pages.domain
        WHERE pages.outcome NOT IN ('read', 'redirected') AND pages.detail IS DISTINCT FROM :sitemap
        ORDER BY pages.domain, pages.url
    """)  # noqa: S608  # a checked name
    for row in connection.execute(
        wanted, {"job": job, "sitemap": SITEMAP}, execution_options={"yield_per": ROWS_AT_ONCE}
    ):
        yield UnreadPage(*row)


def reasons(connection: Connection, job: str) -> dict[str, int]:
    """Why domains failed, and how many for each reason: the most frequent ones first."""
    why, count = func.coalesce(domains.c.reason, "unknown"), func.count()
    wanted = select(why, count).where(domains.c.job == job, domains.c.state == DomainState.FAILED)
    found = connection.execute(wanted.group_by(why).order_by(count.desc(), why).limit(REASONS_MOST))
    return {row[0]: row[1] for row in found}
