"""What a job has found last, to show while it runs."""

from dataclasses import dataclass

from sqlalchemy import Connection, text

from prospector.store.partitions import mentions_of, pages_of

# for jobs of a few thousand pages: no index leads to the last one
NEWEST = """
SELECT k.keyword, p.url, m.snippet
FROM {pages} AS p JOIN {mentions} AS m ON m.job = :job AND m.page = p.page
    JOIN keywords AS k ON k.job = :job AND k.number = m.keyword
WHERE p.job = :job ORDER BY p.settled_at DESC LIMIT 1
"""


@dataclass(frozen=True)
class Find:
    keyword: str
    url: str
    snippet: str


def newest(connection: Connection, job: str) -> Find | None:
    wanted = NEWEST.format(pages=pages_of(job), mentions=mentions_of(job))
    row = connection.execute(text(wanted), {"job": job}).one_or_none()
    return None if row is None else Find(*row)
