"""The client's addresses that pages of a job link to, what is known of them, and the pages whose link status that changes."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, text

from prospector.core.reading.linking import CLIENT
from prospector.core.reading.traits import LinkStatus
from prospector.store.partitions import pages_of
from prospector.store.text import records

SPELLINGS_MOST = 50_000  # of one job, the most frequent ones
ROWS_AT_ONCE = 1_000

# what is said to be dead already stays so, and needs no look
LINKS = "link IN ('follow', 'nofollow', 'ugc', 'sponsored')"

LINKED = """
SELECT kept ->> 'url', count(*) FROM {pages}, jsonb_array_elements(links) AS kept
WHERE job = :job AND {links} AND kept ->> 'whose' = :client
GROUP BY 1 ORDER BY 2 DESC, (kept ->> 'url') COLLATE "C" LIMIT :most
"""

SETTLED = """
SELECT page, coalesce(detail, '') AS detail FROM {pages} WHERE job = :job AND page = ANY(CAST(:numbers AS bigint[]))
"""

LINKING = """
SELECT page, domain, link, links FROM {pages}
WHERE job = :job AND {links} AND EXISTS (
    SELECT FROM jsonb_array_elements(links) AS kept WHERE kept ->> 'url' = ANY(CAST(:urls AS text[])))
"""

RELABEL = """
UPDATE {pages} AS old SET link = row.link
FROM json_to_recordset(CAST(:rows AS json)) AS row (page bigint, link link_status)
WHERE old.job = :job AND old.page = row.page
"""

REJUDGE = text("UPDATE domains SET verdict = NULL WHERE job = :job AND number = ANY(CAST(:numbers AS int[]))")


@dataclass(frozen=True)
class LinkingPage:
    page: int
    domain: int
    link: LinkStatus
    links: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Relabelled:
    page: int
    domain: int
    link: LinkStatus


def linked(connection: Connection, job: str) -> list[tuple[str, int]]:
    """Each address of the client as it is written, and on how many pages it is; the most frequent first."""
    given = {"job": job, "client": CLIENT, "most": SPELLINGS_MOST}
    return [(url, pages) for url, pages in connection.execute(_named(LINKED, job), given)]


def settled(connection: Connection, job: str, numbers: Collection[int]) -> dict[int, str]:
    """Those of these pages that have a row, and its detail."""
    found = connection.execute(_named(SETTLED, job), {"job": job, "numbers": list(numbers)})
    return {row.page: row.detail for row in found}


def linking(connection: Connection, job: str, urls: Sequence[str]) -> Iterator[list[LinkingPage]]:
    """The pages that link to one of these addresses, as written, some at a time; each may be relabelled meanwhile."""
    streamed = {"stream_results": True, "yield_per": ROWS_AT_ONCE}
    found = connection.execute(_named(LINKING, job), {"job": job, "urls": list(urls)}, execution_options=streamed)
    for rows in found.partitions():
        yield [LinkingPage(row.page, row.domain, LinkStatus(row.link), row.links) for row in rows]


def relabel(connection: Connection, job: str, rows: Sequence[Relabelled]) -> None:
    """Their domains are judged anew."""
    connection.execute(_named(RELABEL, job), {"job": job, "rows": records(rows)})
    connection.execute(REJUDGE, {"job": job, "numbers": sorted({one.domain for one in rows})})


def _named(statement: str, job: str) -> Any:
    return text(statement.format(pages=pages_of(job), links=LINKS))
