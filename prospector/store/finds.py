"""What a job has found on a page, to show while it runs."""

from dataclasses import dataclass

from sqlalchemy import Connection, text

from prospector.core.web.urls import fingerprint
from prospector.store.partitions import mentions_of, pages_of

# by the key of each table: the same work at any size
ON_PAGE = """
SELECT k.keyword, p.url, m.snippet
FROM {pages} AS p JOIN {mentions} AS m ON m.job = :job AND m.page = p.page
    JOIN keywords AS k ON k.job = :job AND k.number = m.keyword
WHERE p.job = :job AND p.page = :page ORDER BY m.keyword LIMIT 1
"""


@dataclass(frozen=True)
class Find:
    keyword: str
    url: str
    snippet: str


def on_page(connection: Connection, job: str, url: str) -> Find | None:
    """None: there is none any more."""
    wanted = ON_PAGE.format(pages=pages_of(job), mentions=mentions_of(job))
    row = connection.execute(text(wanted), {"job": job, "page": fingerprint(url)}).one_or_none()
    return None if row is None else Find(*row)
