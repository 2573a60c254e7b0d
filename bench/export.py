"""What an export costs: 50,000 domains and 1,000,000 mentions, by the child process that the steward starts.

    .venv/bin/python bench/export.py [--others 5] [--domains 50000]

First alone in the table, then with `--others` jobs of the same size beside it; each as csv and in all formats. Time is from
the start of the process to its end, memory the largest that its process ever held. Generating takes most of the run.
"""

import argparse
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Engine, text

from prospector.core.states import JobState
from prospector.jobs.exports.order import Format, Order
from prospector.local import attach
from prospector.local.home import Home
from prospector.local.servers import with_home
from prospector.store import exports, jobs, schema, server
from prospector.store.jobs import Keyword, ListedDomain, NewJob
from prospector.store.partitions import mentions_of, pages_of

PAGES_PER_DOMAIN = 10
MENTIONS_PER_PAGE = 2
KEYWORDS = 50
ORDERS = {"csv": Order((Format.CSV,)), "all formats": Order(tuple(Format))}
SPEC = {"mode": "hybrid", "client_domains": ["acme.test"], "metric_column": "DR"}

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


@dataclass(frozen=True)
class Cost:
    seconds: float
    cpu_seconds: float
    peak_mb: float
    size_mb: float


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--others", type=int, default=5)
    options.add_argument("--domains", type=int, default=50_000)
    given = options.parse_args()
    with TemporaryDirectory() as folder:
        home = Home(Path(folder) / "stack")
        url = with_home(home).database_url
        engine = server.engine(url, connections=2)
        schema.migrate(engine)
        try:
            job = make(engine, given.domains)
            measure(engine, url, job, Path(folder), f"alone, {rows(given.domains):,} mentions")
            began = time.monotonic()
            for _ in range(given.others):
                make(engine, given.domains)
            others = given.others * rows(given.domains)
            print(f"generated {others:,} mentions of {given.others} other jobs in {time.monotonic() - began:.0f} s")
            measure(engine, url, job, Path(folder), f"beside {others:,} mentions of others")
        finally:
            engine.dispose()
            attach.stop(home)


def rows(domains: int) -> int:
    return domains * PAGES_PER_DOMAIN * MENTIONS_PER_PAGE


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


def measure(engine: Engine, url: str, job: str, folder: Path, title: str) -> None:
    print(title)
    for name, order in ORDERS.items():
        with engine.begin() as connection:
            exports.ask(connection, job, list(map(str, order.formats)), order.options)
        cost = child(url, folder)
        with engine.connect() as connection:
            made = exports.of_job(connection, job)[0]
        assert made.state == "ready", made.reason
        size_mb = sum(int(str(one["bytes"])) for one in made.files) / 1e6
        print(
            f"  {name:<12} {cost.seconds:6.1f} s ({cost.cpu_seconds:.1f} s CPU)   {cost.peak_mb:4.0f} MB at most   {size_mb:6.0f} MB of files"
        )


def child(url: str, folder: Path) -> Cost:
    environment = os.environ | {"DATABASE_URL": url, "STORAGE_URL": (folder / "files").as_uri(), "TMPDIR": str(folder)}
    began = time.monotonic()
    process = subprocess.Popen([sys.executable, "-m", "prospector.jobs.exports"], env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return Cost(time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, 0)


if __name__ == "__main__":
    main()
