"""A job that has been crawled, in the record: as rows that Postgres makes itself, and as batches that a worker would write."""

import random
from datetime import UTC, datetime

from sqlalchemy import Engine, text

from prospector.core.job.states import JobState
from prospector.core.reading.traits import LinkStatus, PageKind
from prospector.core.reading.zones import Zone
from prospector.core.visits.methods import Method
from prospector.core.visits.outcomes import PageOutcome
from prospector.store import jobs
from prospector.store.jobs import Keyword, ListedDomain, NewJob
from prospector.store.pages import MentionRow, PageRow
from prospector.store.partitions import mentions_of, pages_of

PAGES_PER_DOMAIN = 10
MENTIONS_PER_PAGE = 2
KEYWORDS = 50
SPEC = {"mode": "hybrid", "client_domains": ["acme.test"], "metric_column": "DR"}
SNIPPET = "… the words around it, as they are shown to the reader of the page, on both sides of the keyword " * 3

# as crawled: the pages of a domain lie far apart, their fingerprints are scattered
PAGES = """
INSERT INTO {pages} (job, page, settled_at, domain, method, outcome, link, kind, generation, status, attempts, depth, flags,
    url, title, language)
SELECT :job, hashint8extended(n, 7), now(), n % :domains, 'direct', 'read',
    CASE WHEN n % 97 = 0 THEN 'follow' ELSE 'unlinked' END::link_status, 'article', 1, 200, 1, 1, 0,
    'https://site-' || n % :domains || '.example.com/blog/2026/' || n || '-the-best-tools-of-the-year.html',
    'The ' || n || ' best tools of the year, compared', 'en'
FROM generate_series(0, :domains * :each - 1) AS n
"""
MENTIONS = """
INSERT INTO {mentions} (job, page, keyword, frequency, zone, snippet)
SELECT :job, hashint8extended(n, 7), (n * 7 + k * 13) % :keywords, 1 + n % 5,
    (ARRAY['main', 'h1', 'heading', 'list', 'footer', 'comment'])[1 + (n + k) % 6]::zone,
    n || repeat(' … the words around it, as they are shown to the reader of the page', 4)
FROM generate_series(0, :domains * :each - 1) AS n, generate_series(1, :mentions) AS k
"""


def make(engine: Engine, domains: int) -> str:
    listed = [ListedDomain(f"site-{n}.example.com", n + 2, {"DR": str(n % 90)}) for n in range(domains)]
    keywords = [Keyword(f"keyword {number}") for number in range(KEYWORDS)]
    new = NewJob("bench", SPEC, 10_000, keywords, listed, input_rows=domains, input_columns=["DR"])
    given = {"domains": domains, "each": PAGES_PER_DOMAIN, "mentions": MENTIONS_PER_PAGE, "keywords": KEYWORDS}
    with engine.begin() as connection:
        job = jobs.create(connection, new).job
        jobs.move(connection, job, JobState.RUNNING, "bench")
        connection.execute(text(PAGES.format(pages=pages_of(job))), given | {"job": job})
        connection.execute(text(MENTIONS.format(mentions=mentions_of(job))), given | {"job": job})
        done = "UPDATE domains SET state = 'done', finished_at = now(), pages = :each WHERE job = :job"
        connection.execute(text(done), given | {"job": job})
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"VACUUM ANALYZE {pages_of(job)}, {mentions_of(job)}, domains"))
    return job


def batch(domains: int, keywords: int) -> list[PageRow]:
    """100 pages, of which two thirds have mentions."""
    return [row(domains, keywords) for _ in range(100)]


def row(domains: int, keywords: int) -> PageRow:
    domain = random.randrange(domains)
    url = f"https://site-{domain}.example.com/blog/article-{random.getrandbits(30)}.html"
    said = random.sample(range(keywords), random.choice((0, 1, 2)))
    return PageRow(
        random.getrandbits(62),
        domain,
        url,
        PageOutcome.READ,
        datetime.now(UTC),
        method=Method.DIRECT,
        status=200,
        depth=2,
        kind=PageKind.ARTICLE,
        link=LinkStatus.UNLINKED,
        title="An article about something",
        language="en",
        found=[url + "/next"],
        mentions=[MentionRow(number, 2, Zone.MAIN, SNIPPET) for number in said],
    )
