"""A crawl of the small web by real worker processes, which a test may do anything to; then the verdict on it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine, text

from prospector.core.job.spec import JobSpec
from prospector.core.job.states import JobState
from prospector.core.visits.methods import Mode
from prospector.demo.verdict.checker import Bars, check
from prospector.demo.verdict.checker import Crawl as Judged
from prospector.demo.verdict.coverage import Row
from prospector.demo.web import own_process, prose, request_log
from prospector.demo.web.plan import Plan
from prospector.demo.web.truth import Limits
from prospector.demo.web.truth import Mode as Judge
from prospector.errors import ServerUnreachable
from prospector.frontier import job_calls, rebuild_calls
from prospector.frontier.client import Frontier
from prospector.frontier.job_calls import Status
from prospector.jobs.rebuild import rebuild_if_lost
from prospector.store import jobs
from prospector.store.jobs import Keyword, ListedDomain, NewJob

from ..integration.frontier.conftest import Server  # noqa: TID252  # a Redis that may be killed

ROOT = Path(__file__).parents[2]
LEASE_SECONDS = 60  # no machine stands still for so long
SHORT_LEASE_SECONDS = 4  # where a worker dies, and its lease is waited for
PATIENCE_SECONDS = 150  # of a loaded machine; every wait ends with its condition

ROWS = """
SELECT domains.domain, pages.url, keywords.keyword, mentions.frequency
FROM mentions JOIN pages USING (job, page)
JOIN keywords ON keywords.job = mentions.job AND keywords.number = mentions.keyword
JOIN domains ON domains.job = mentions.job AND domains.number = pages.domain
WHERE mentions.job = :job
"""


@dataclass(frozen=True)
class Verdict:
    """What was seen, by line of the checker."""

    lines: dict[str, str]
    broken: list[str]
    requests: list[tuple[float, str, str]]  # moment (by the monotonic clock, in seconds), host and path of each

    @property
    def broken_by_a_kill(self) -> list[str]:
        """A robots.txt whose reader was killed or frozen before it could tell, or that was wiped, has to be read again."""
        return [line for line in self.broken if not line.startswith("robots.txt read again")]


class Crawl:
    def __init__(
        self,
        folder: Path,
        engine: Engine,
        redis: Server,
        *,
        sites: int,
        kinds: Sequence[str],
        delay_ms: int,
        seed: int = 7,
    ) -> None:
        self.folder, self.engine, self.redis, self.delay_ms = folder, engine, redis, delay_ms
        self.plan = Plan(seed, sites, tuple(kinds))
        self._open = ExitStack()
        self.log = folder / "web.jsonl"
        self.web = self._open.enter_context(own_process.running(self.log, seed=seed, sites=sites, kinds=kinds))
        self.frontier = Frontier(redis.url)
        self.jobs: list[str] = []
        self.workers: list[subprocess.Popen[bytes]] = []
        self.redis_url = redis.url
        self.lease_seconds = LEASE_SECONDS

    def close(self) -> None:
        for worker in self.workers:
            if worker.poll() is None:
                worker.kill()
                worker.wait()
        self._open.close()
        self.frontier.close()

    def job(self, name: str = "crawl") -> str:
        keywords = [Keyword(one) for one in prose.keywords()]
        listed = [ListedDomain(one.name, row) for row, one in enumerate(self.plan.domains)]
        spec = JobSpec(mode=Mode.FREE_ONLY).stored()
        with self.engine.begin() as connection:
            made = jobs.create(connection, NewJob(name, spec, 0, keywords, listed)).job
            jobs.move(connection, made, JobState.RUNNING, "go")
        self.jobs.append(made)
        rebuild_if_lost(self.engine, self.frontier)
        return made

    def environment(self, node: str) -> dict[str, str]:
        """Of a worker."""
        database = self.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        return {
            **os.environ,
            **self.web.settings,
            "DATABASE_URL": database,
            "REDIS_URL": self.redis_url,
            "NODE_NAME": node,
            "DELAY_MS": str(self.delay_ms),
            "LEASE_SECONDS": str(self.lease_seconds),
            "LOG_STYLE": "text",
            "SCRAPY_SETTINGS_MODULE": "prospector.settings",
        }

    def worker(
        self, node: str = "node", *, harm: Mapping[str, str] | None = None, **settings: str
    ) -> subprocess.Popen[bytes]:
        """`harm`: what unsound_settings.py does to it."""
        environment = self.environment(node) | settings
        if harm:
            environment |= {**harm, "SCRAPY_SETTINGS_MODULE": "unsound_settings"}
            environment["PYTHONPATH"] = str(Path(__file__).parent)
        with (self.folder / f"worker-{len(self.workers)}.log").open("wb") as log:
            command = [sys.executable, "-P", "-m", "scrapy", "crawl", "domain"]
            made = subprocess.Popen(command, env=environment, cwd=self.folder, stdout=log, stderr=log)
        self.workers.append(made)
        return made

    def said(self) -> str:
        return "\n".join(one.read_text(errors="replace") for one in sorted(self.folder.glob("worker-*.log")))

    def status(self, job: str | None = None) -> Status | None:
        return self.frontier.run(job_calls.status([job or self.jobs[0]]))[0]

    def pages(self) -> int:
        return sum(status.pages for one in self.jobs if (status := self.status(one)))

    def wait(self, what: Callable[[], object], seconds: float = PATIENCE_SECONDS, every_seconds: float = 0.1) -> None:
        """Meanwhile this process keeps the promises of a steward: a frontier that lost something is filled again."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                rebuild_if_lost(self.engine, self.frontier)
                if what():
                    return
            except ServerUnreachable:
                pass
            time.sleep(every_seconds)
        raise AssertionError(f"it did not come to that\n{self.said()[-6_000:]}")

    def crawled(self, pages: int) -> Callable[[], bool]:
        return lambda: self.pages() >= pages

    def is_done(self) -> bool:
        found = [self.status(job) for job in self.jobs]
        lost = self.frontier.run(rebuild_calls.lost(self.jobs)).anything
        return not lost and all(one and one.domains_waiting + one.domains_open == 0 for one in found)

    def finish(self) -> Verdict:
        self.wait(self.is_done)
        told_at = time.monotonic()
        for worker in self.workers:
            if worker.poll() is None:
                worker.send_signal(signal.SIGTERM)
        for worker in self.workers:
            worker.wait(PATIENCE_SECONDS)
        self.stopping_seconds = time.monotonic() - told_at
        self._open.close()
        return self.verdict()

    def verdict(self) -> Verdict:
        """Of all jobs: each must have found everything by itself."""
        bars = Bars(self.delay_ms / 1000, limits=Limits(mode=Judge.FREE_ONLY))
        lines: dict[str, str] = {}
        broken: list[str] = []
        entries = list(request_log.entries(self.log))
        for job in self.jobs:
            found = check(self.plan, Judged(entries, self.rows(job)), bars)
            lines |= {line.what: line.seen for line in found.lines}
            broken += [f"{line.what}: {line.seen} {line.examples}" for line in found.lines if line.good is False]
            recall = next(line for line in found.lines if line.what == "recall")
            if not recall.seen.startswith("1.0000"):
                broken.append(f"recall: {recall.seen} {recall.examples}")
        return Verdict(lines, broken, [(entry.at_ns / 1e9, entry.host, entry.path) for entry in entries])

    def rows_of_pages(self, outcomes: str) -> int:
        counted = f"SELECT count(*) FROM pages WHERE job = :job AND outcome IN ({outcomes})"
        with self.engine.connect() as connection:
            return connection.scalar(text(counted), {"job": self.jobs[0]}) or 0

    def rows(self, job: str) -> list[Row]:
        with self.engine.connect() as connection:
            return [Row(*row) for row in connection.execute(text(ROWS), {"job": job})]


@contextmanager
def crawling(
    folder: Path,
    engine: Engine,
    *,
    sites: int = 6,
    kinds: Sequence[str] = ("company", "subdomains"),
    delay_ms: int = 200,
) -> Iterator[Crawl]:
    """`delay_ms`: less than a second where the promise is about order and loss, a second where it is about the second."""
    redis = Server(folder)
    redis.start()
    made = Crawl(folder, engine, redis, sites=sites, kinds=kinds, delay_ms=delay_ms)
    try:
        yield made
    finally:
        made.close()
        redis.kill()
