"""What sites have taught us, kept beyond the life of a frontier: long blocks and slow paces."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, or_, select, text

from prospector.store.tables import sites
from prospector.store.text import records

ORDINARY_DELAY_MS = 1_000


@dataclass(frozen=True)
class SiteMemory:
    site: str
    noted_at: datetime
    delay_ms: int
    blocked_until: datetime | None = None
    strikes: int = 0


# in the order of the key: two workers that report the same sites do not deadlock
REMEMBER = text("""
INSERT INTO sites AS old (site, noted_at, blocked_until, delay_ms, strikes)
SELECT site, noted_at, blocked_until, delay_ms, strikes
FROM json_to_recordset(CAST(:rows AS json)) AS row (
    site text, noted_at timestamptz, blocked_until timestamptz, delay_ms integer, strikes smallint)
ORDER BY site
ON CONFLICT (site) DO UPDATE SET
    noted_at = excluded.noted_at, blocked_until = excluded.blocked_until,
    delay_ms = excluded.delay_ms, strikes = excluded.strikes
WHERE old.noted_at < excluded.noted_at
""")


def remember(connection: Connection, memories: Sequence[SiteMemory]) -> None:
    """The newest word on a site stands. Each site once a call."""
    connection.execute(REMEMBER, {"rows": records(memories)})


def recall(connection: Connection) -> list[SiteMemory]:
    """Every site that still wants more than the ordinary."""
    wanted = select(sites).where(or_(sites.c.blocked_until > func.now(), sites.c.delay_ms > ORDINARY_DELAY_MS))
    return [SiteMemory(**row) for row in connection.execute(wanted).mappings()]
