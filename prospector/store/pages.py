"""Settled pages with their mentions: batches that are committed whole, and change nothing when they come twice."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from functools import cache

from sqlalchemy import Connection, Engine, RowMapping, TextClause, text
from sqlalchemy.exc import DBAPIError

from prospector.core.reading.traits import LinkStatus, PageFlag, PageKind
from prospector.core.reading.zones import Zone
from prospector.core.visits.methods import Method
from prospector.core.visits.outcomes import PageOutcome
from prospector.store import server
from prospector.store.failures import Failure, again, failure, is_without_table
from prospector.store.partitions import ResultsDeleted, mentions_of, pages_of
from prospector.store.text import records

NO_FLAGS = PageFlag(0)


@dataclass(frozen=True)
class MentionRow:
    """`keyword` is its number in the job's list; `zones` counts by zone, or None where all are in `zone`."""

    keyword: int
    frequency: int
    zone: Zone
    snippet: str
    zones: Mapping[Zone, int] | None = None
    anchor: str | None = None


@dataclass(frozen=True)
class PageRow:
    """`page` and `canonical` are fingerprints, `domain` the domain's number in its job.

    `found`: addresses that this page was the first to name, each followed by a space and its state where it is not fetched as
    a new page (frontier/codec.py); a frontier that lost everything is filled from them.
    `links`: the page's links to the client and to competitors. `spellings`: near spellings of keywords seen on it.
    """

    page: int
    domain: int
    url: str
    outcome: PageOutcome
    settled_at: datetime
    generation: int = 1
    method: Method | None = None
    status: int | None = None
    attempts: int = 1
    depth: int = 0
    flags: PageFlag = NO_FLAGS
    detail: str | None = None
    kind: PageKind | None = None
    link: LinkStatus | None = None
    canonical: int | None = None
    title: str | None = None
    language: str | None = None
    links: Sequence[Mapping[str, object]] | None = None
    spellings: Sequence[str] | None = None
    found: Sequence[str] | None = None
    mentions: Sequence[MentionRow] = ()


@dataclass(frozen=True)
class Written:
    """`fresh`: pages that this call stored. The others were there already. `refused`: page -> what Postgres said."""

    fresh: frozenset[int]
    refused: Mapping[int, str] = field(default_factory=dict)


# one statement, so that the batch is one round trip and one commit
# - in the order of the key, so that two writers of the same pages queue up instead of deadlocking
# - a page that is there stays as it is, unless its domain has since been opened anew (a higher generation)
#   or it was a dead letter
# - only a page of a later generation can leave mentions behind that are no longer true
WRITE = """
WITH given AS (
    SELECT * FROM json_to_recordset(CAST(:pages AS json)) AS row (
        page bigint, settled_at timestamptz, canonical bigint, domain integer, method method, outcome page_outcome,
        link link_status, kind page_kind, generation smallint, status smallint, attempts smallint, depth smallint,
        flags smallint, url text, detail text, title text, language text, links jsonb, spellings text[], found text[])
), fresh AS (
    INSERT INTO {pages} AS old (job, page, settled_at, canonical, domain, method, outcome, link, kind, generation, status,
        attempts, depth, flags, url, detail, title, language, links, spellings, found)
    SELECT :job, page, settled_at, canonical, domain, method, outcome, link, kind, generation, status,
        attempts, depth, flags, url, detail, title, language, links, spellings, found
    FROM given ORDER BY page
    ON CONFLICT (job, page) DO UPDATE SET
        settled_at = excluded.settled_at, canonical = excluded.canonical, domain = excluded.domain,
        method = excluded.method, outcome = excluded.outcome, link = excluded.link, kind = excluded.kind,
        generation = excluded.generation, status = excluded.status, attempts = excluded.attempts,
        depth = excluded.depth, flags = excluded.flags, url = excluded.url, detail = excluded.detail,
        title = excluded.title, language = excluded.language, links = excluded.links,
        spellings = excluded.spellings, found = excluded.found
    WHERE old.generation < excluded.generation OR (old.outcome = 'dead' AND old.generation = excluded.generation)
    RETURNING page, generation
), said AS (
    SELECT row.* FROM json_to_recordset(CAST(:mentions AS json)) AS row (
        page bigint, keyword smallint, frequency integer, zone zone, snippet text, zones jsonb, anchor text)
    JOIN fresh USING (page)
), stale AS (
    DELETE FROM {mentions} AS old USING fresh
    WHERE fresh.generation > 1 AND old.job = :job AND old.page = fresh.page
        AND NOT EXISTS (SELECT FROM said WHERE said.page = old.page AND said.keyword = old.keyword)
), kept AS (
    INSERT INTO {mentions} (job, page, keyword, frequency, zone, snippet, zones, anchor)
    SELECT :job, page, keyword, frequency, zone, snippet, zones, anchor FROM said ORDER BY page, keyword
    ON CONFLICT (job, page, keyword) DO UPDATE SET
        frequency = excluded.frequency, zone = excluded.zone, snippet = excluded.snippet,
        zones = excluded.zones, anchor = excluded.anchor
)
SELECT page FROM fresh
"""


def write(engine: Engine, job: str, rows: Sequence[PageRow]) -> Written:
    """A row that Postgres refuses is found by halving; it is stored without its findings, as `unwritable`."""
    if not rows:
        return Written(frozenset())
    try:
        return Written(again(lambda: _put(engine, job, rows)))
    except DBAPIError as error:
        if is_without_table(error):
            raise ResultsDeleted(job) from error
        if failure(error) is not Failure.REFUSED:
            raise
        if len(rows) == 1:
            return _refused(engine, job, rows[0], str(error.orig))
    middle = len(rows) // 2
    halves = write(engine, job, rows[:middle]), write(engine, job, rows[middle:])
    return Written(halves[0].fresh | halves[1].fresh, {**halves[0].refused, **halves[1].refused})


def _refused(engine: Engine, job: str, row: PageRow, problem: str) -> Written:
    bare = PageRow(
        page=row.page,
        domain=row.domain,
        url=row.url,
        outcome=PageOutcome.UNWRITABLE,
        settled_at=row.settled_at,
        generation=row.generation,
        detail=" ".join(problem.split()),
    )
    try:
        return Written(again(lambda: _put(engine, job, [bare])), {row.page: problem})
    except DBAPIError as error:
        if failure(error) is not Failure.REFUSED:
            raise
        # not even its number can be stored: the caller reports it, and the others are written
        return Written(frozenset(), {row.page: problem})


def _put(engine: Engine, job: str, rows: Sequence[PageRow]) -> frozenset[int]:
    once = {(row.page): row for row in sorted(rows, key=lambda row: row.generation)}.values()
    given = {
        "job": job,
        "pages": records({**vars(row), "mentions": None} for row in once),
        "mentions": records(_mentions(once)),
    }
    with server.autocommit(engine) as connection:
        return frozenset(connection.execute(_statement(job), given).scalars())


def _mentions(rows: Iterable[PageRow]) -> Iterable[Mapping[str, object]]:
    return ({**vars(mention), "page": row.page} for row in rows for mention in row.mentions)


@cache
def _statement(job: str) -> TextClause:
    return text(WRITE.format(pages=pages_of(job), mentions=mentions_of(job)))


def outcome(connection: Connection, job: str, page: int) -> PageRow | None:
    """What became of one page, without its mentions; None if it is not settled."""
    found = connection.execute(
        text(f"SELECT * FROM {pages_of(job)} WHERE job = :job AND page = :page"),  # noqa: S608  # a checked name
        {"job": job, "page": page},
    ).mappings()
    return next(map(_row, found), None)


CLOSED_SETS: Mapping[str, type[Enum]] = {
    "outcome": PageOutcome,
    "method": Method,
    "kind": PageKind,
    "link": LinkStatus,
    "flags": PageFlag,
}


def _row(values: RowMapping) -> PageRow:
    typed = {name: kind(values[name]) for name, kind in CLOSED_SETS.items() if values[name] is not None}
    return PageRow(**{name: value for name, value in {**values, **typed}.items() if name != "job"})
