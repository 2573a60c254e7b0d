"""What a job has found, as one consistent picture: a single read-only transaction, read row by row."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, Row, select, text
from sqlalchemy.exc import DBAPIError

from prospector.core.reading.traits import LinkStatus, PageKind
from prospector.core.reading.zones import Zone
from prospector.core.results.findings import Mention
from prospector.core.visits.methods import Method
from prospector.core.visits.outcomes import DomainState, PageOutcome
from prospector.store import jobs, tables
from prospector.store.failures import in_our_words, is_without_table
from prospector.store.jobs import Job, Keyword
from prospector.store.kinds import IssueKind
from prospector.store.partitions import ResultsDeleted, mentions_of, pages_of

ROWS_AT_ONCE = 2_000  # a row of mentions is half a kilobyte
MOST_SPELLINGS = 1_000


@dataclass(frozen=True, slots=True)
class SiteRow:
    """One domain of the job with what its pages and the ledger say; `linking_*` is its best page that links to the client:
    one whose links are all dead where there is no better."""

    number: int
    domain: str
    input_row: int
    state: DomainState
    reason: str | None
    moved_to: str | None
    partial: bool
    attempts: int
    last_status: int | None
    opened_at: datetime | None
    finished_at: datetime | None
    cells: Mapping[str, str] | None
    js_pages: int
    pages: int
    direct_requests: int
    standard_requests: int
    js_requests: int
    used_credits: int
    reserved_credits: int
    pages_read: int
    contact_found: bool
    contact_url: str | None
    linking_url: str | None
    linking: LinkStatus | None
    links: list[dict[str, Any]] | None


@dataclass(frozen=True, slots=True)
class PageTrouble:
    """A page that was lost, though its domain was not."""

    domain: str
    url: str
    outcome: PageOutcome
    detail: str | None
    status: int | None
    attempts: int
    settled_at: datetime


@dataclass(frozen=True, slots=True)
class Issue:
    row: int
    kind: IssueKind
    value: str
    reason: str


# the columns in the order of the fields of Mention
# a cursor is planned for its first rows, so the index on domain gives the order and nothing is sorted on disk
MENTIONS = """
SELECT p.domain, coalesce(p.canonical, p.page), p.url, m.keyword, m.frequency, m.zone, m.zones, m.snippet, m.anchor,
    p.method, p.settled_at, p.status, p.link, p.kind, p.flags, p.language, p.title
FROM {pages} AS p JOIN {mentions} AS m ON m.job = :job AND m.page = p.page
WHERE p.job = :job AND (CAST(:numbers AS int[]) IS NULL OR p.domain = ANY(:numbers))
ORDER BY p.domain, m.keyword, p.url COLLATE "C", p.page
"""

# the columns in the order of the fields of SiteRow
# a finished domain has its own counts; an open one has those of its pages and of the ledger
SITES = """
WITH facts AS (
    SELECT domain, count(*) AS pages, count(*) FILTER (WHERE outcome = 'read') AS read,
        count(*) FILTER (WHERE method = 'direct') AS direct,
        count(*) FILTER (WHERE outcome = 'read' AND (method = 'scrapingbee-js' OR flags & 16 <> 0)) AS js_pages,
        bool_or(flags & 32 <> 0 OR kind = 'contact') AS contact, min(url) FILTER (WHERE kind = 'contact') AS contact_url
    FROM {pages} WHERE job = :job AND (CAST(:numbers AS int[]) IS NULL OR domain = ANY(:numbers)) GROUP BY domain
), linking AS (
    SELECT DISTINCT ON (domain) domain, url, link, links FROM {pages}
    WHERE job = :job AND link IN ('follow', 'nofollow', 'ugc', 'sponsored', 'dead')
        AND (CAST(:numbers AS int[]) IS NULL OR domain = ANY(:numbers)) ORDER BY domain, link, depth, url
), ledger AS (
    SELECT domain, sum(used_credits) AS used, sum(reserved_credits) AS reserved,
        count(*) FILTER (WHERE kind = 'reserved' AND method = 'scrapingbee-standard') AS standard,
        count(*) FILTER (WHERE kind = 'reserved' AND method = 'scrapingbee-js') AS js
    FROM spend WHERE job = :job AND (CAST(:numbers AS int[]) IS NULL OR domain = ANY(:numbers)) GROUP BY domain
)
SELECT d.number, d.domain, d.input_row, d.state, d.reason, d.moved_to, d.partial, d.attempts, d.last_status, d.opened_at,
    d.finished_at, d.cells, greatest(d.js_pages, coalesce(facts.js_pages, 0)), greatest(d.pages, coalesce(facts.pages, 0)),
    greatest(d.direct_requests, coalesce(facts.direct, 0)), greatest(d.standard_requests, coalesce(ledger.standard, 0)),
    greatest(d.js_requests, coalesce(ledger.js, 0)), coalesce(ledger.used, 0), coalesce(ledger.reserved, 0),
    coalesce(facts.read, 0), coalesce(facts.contact, false), facts.contact_url,
    linking.url, linking.link, linking.links
FROM domains AS d LEFT JOIN facts ON facts.domain = d.number LEFT JOIN linking ON linking.domain = d.number
    LEFT JOIN ledger ON ledger.domain = d.number
WHERE d.job = :job AND (CAST(:numbers AS int[]) IS NULL OR d.number = ANY(:numbers)) ORDER BY d.number
"""

TROUBLES = """
SELECT d.domain, p.url, p.outcome, p.detail, p.status, p.attempts, p.settled_at
FROM {pages} AS p JOIN domains AS d ON d.job = :job AND d.number = p.domain
WHERE p.job = :job AND p.outcome IN ('dead', 'unwritable') ORDER BY p.domain, p.url COLLATE "C"
"""

SPELLINGS = """
SELECT spelling, count(DISTINCT domain) FROM {pages}, unnest(spellings) AS spelling
WHERE job = :job AND spellings IS NOT NULL GROUP BY spelling ORDER BY 2 DESC, 1 LIMIT :most
"""

COLUMNS = """
SELECT DISTINCT jsonb_object_keys(cells) FROM domains WHERE job = :job AND jsonb_typeof(cells) = 'object'
"""

ZONES = {one.value: one for one in Zone}
METHODS = {one.value: one for one in Method} | {None: None}
LINKS = {one.value: one for one in LinkStatus} | {None: None}
KINDS = {one.value: one for one in PageKind} | {None: None}
STATES = {one.value: one for one in DomainState}


class Results:
    """Read inside `snapshot` only; each stream may be read beside the others."""

    def __init__(self, connection: Connection, job: Job) -> None:
        self._connection = connection
        self.job = job
        self.taken_at: datetime = connection.execute(text("SELECT now()")).scalar_one()

    def keywords(self) -> list[Keyword]:
        return jobs.keywords(self._connection, self.job.id)

    def mention_count(self) -> int:
        counted = f"SELECT count(*) FROM {mentions_of(self.job.id)} WHERE job = :job"  # noqa: S608  # a checked name
        return int(self._connection.execute(text(counted), {"job": self.job.id}).scalar_one())

    def mentions(self, numbers: Sequence[int] | None = None) -> Iterator[Mention]:
        """By domain, then keyword, then address. `numbers`: of these domains only."""
        for row in self._stream(MENTIONS, numbers):
            yield _mention(row)

    def sites(self, numbers: Sequence[int] | None = None) -> Iterator[SiteRow]:
        """In the order of the user's list. `numbers`: these domains only."""
        for row in self._stream(SITES, numbers):
            yield _site(row)

    def troubles(self) -> Iterator[PageTrouble]:
        for row in self._stream(TROUBLES):
            domain, url, outcome, *rest = tuple[Any, ...](row)
            yield PageTrouble(domain, url, PageOutcome(outcome), *rest)

    def issues(self) -> Iterator[Issue]:
        table = tables.input_issues
        wanted = select(table.c.row, table.c.kind, table.c.value, table.c.reason).where(table.c.job == self.job.id)
        for row in self._connection.execute(wanted.order_by(table.c.number), execution_options=STREAMED):
            yield Issue(row.row, IssueKind(row.kind), row.value, row.reason)

    def column(self, name: str) -> Iterator[str]:
        """The cells of one of the user's own columns."""
        wanted = text("SELECT cells ->> :name FROM domains WHERE job = :job AND cells ->> :name IS NOT NULL")
        for row in self._connection.execute(wanted, {"job": self.job.id, "name": name}, execution_options=STREAMED):
            yield row[0]

    def columns(self) -> list[str]:
        """The user's own columns, in the order of the file."""
        there = set(self._connection.scalars(text(COLUMNS), {"job": self.job.id}))
        known = [name for name in self.job.input_columns if name in there]
        return known + sorted(there - set(known))

    def spellings(self) -> dict[str, int]:
        """Near spelling -> domains it was seen on."""
        given = {"job": self.job.id, "most": MOST_SPELLINGS}
        return {row[0]: row[1] for row in self._connection.execute(text(self._named(SPELLINGS)), given)}

    def _stream(self, statement: str, numbers: Sequence[int] | None = None) -> Iterator[Row[Any]]:
        given = {"job": self.job.id, "numbers": None if numbers is None else list(numbers)}
        yield from self._connection.execute(text(self._named(statement)), given, execution_options=STREAMED)

    def _named(self, statement: str) -> str:
        return statement.format(pages=pages_of(self.job.id), mentions=mentions_of(self.job.id))


STREAMED = {"stream_results": True, "yield_per": ROWS_AT_ONCE}

# before anything is read: from here on retention has to wait until the export has ended
HOLD = "LOCK TABLE {pages}, {mentions} IN ACCESS SHARE MODE"


@contextmanager
def snapshot(engine: Engine, job_id: str) -> Iterator[Results]:
    """Raises ResultsDeleted where nothing is left to read."""
    with in_our_words():
        yield from _snapshot(engine, job_id)


def _snapshot(engine: Engine, job_id: str) -> Iterator[Results]:
    options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    with engine.connect().execution_options(**options) as connection, connection.begin():
        for setting in (
            "TimeZone = 'UTC'",
            "statement_timeout = 0",
            "idle_in_transaction_session_timeout = 0",
            "jit = off",
        ):
            connection.execute(text(f"SET LOCAL {setting}"))
        held = HOLD.format(pages=pages_of(job_id), mentions=mentions_of(job_id))
        try:
            connection.execute(text(held))
        except DBAPIError as error:
            if is_without_table(error):
                raise ResultsDeleted(job_id) from error
            raise
        yield Results(connection, jobs.job(connection, job_id))


def _mention(row: Row[Any]) -> Mention:
    domain, identity, url, keyword, frequency, zone, zones, snippet, anchor, method, at, status, link, kind, *rest = (
        tuple[Any, ...](row)
    )
    return Mention(
        domain, identity, url, keyword, frequency, ZONES[zone], zones, snippet, anchor, METHODS[method], at, status,
        LINKS[link], KINDS[kind], *rest,
    )  # fmt: skip


def _site(row: Row[Any]) -> SiteRow:
    number, domain, input_row, state, *rest, linking, links = tuple[Any, ...](row)
    known: tuple[Any, ...] = (number, domain, input_row, STATES[state], *rest, LINKS[linking], links)
    return SiteRow(*known)
