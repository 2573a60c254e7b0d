"""Real crawls of the small web: a record, a frontier, a web and worker processes, and what they leave behind."""

import fcntl
import os
import pickle
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from sqlalchemy import Engine, make_url, text

from prospector.core.job.spec import JobSpec
from prospector.core.visits.methods import Mode
from prospector.demo.verdict.checker import Bars, Verdict, check
from prospector.demo.verdict.checker import Crawl as Left
from prospector.demo.verdict.coverage import Row
from prospector.demo.web.own_process import running
from prospector.demo.web.plan import Plan
from prospector.demo.web.request_log import Entry, entries
from prospector.demo.web.serving import Ready
from prospector.demo.web.site import CLIENT, COMPETITORS
from prospector.demo.web.tables import domains
from prospector.demo.web.truth import Limits
from prospector.demo.web.truth import Mode as WebMode
from prospector.frontier import calls, job_calls, keys
from prospector.frontier.client import Frontier
from prospector.jobs.fill import fill
from prospector.local.servers import Servers
from prospector.store import jobs
from prospector.store.jobs import JobState, Keyword, ListedDomain, NewJob
from tests.web_log import entries_until_now

LIMITS = Limits(mode=WebMode.FREE_ONLY, site_threshold=120)
DELAY_MS = 100  # inside ALLOWED_NETWORKS; where the second is the promise, it is asked for
SPEC = JobSpec(
    mode=Mode.FREE_ONLY, threshold_pages=LIMITS.site_threshold, client_domains=(CLIENT,), competitor_domains=COMPETITORS
)


@dataclass
class Crawled:
    """What a crawl left behind: rows as dicts, the web's own log, and what was seen of the workers meanwhile."""

    plan: Plan
    log: Path
    domains: dict[str, dict[str, Any]] = field(default_factory=dict)
    pages: list[dict[str, Any]] = field(default_factory=list)
    mentions: list[dict[str, Any]] = field(default_factory=list)
    peak_mb: int = 0
    ports: set[str] = field(default_factory=set)
    most_queued: int = 0

    def names(self, *kinds: str) -> list[str]:
        return [one.name for site in self.plan.sites if site.kind in kinds for one in site.domains]

    def name(self, kind: str) -> str:
        return self.names(kind)[0]

    def ending(self, kind: str) -> tuple[str, str | None]:
        row = self.domains[self.name(kind)]
        return row["state"], row["reason"]

    def outcomes(self, kind: str) -> dict[str, tuple[str, str | None]]:
        """Path and query -> how the page ended."""
        return {
            row["url"].split("/", 3)[-1]: (row["outcome"], row["detail"])
            for row in self.pages
            if row["domain"] in self.names(kind)
        }

    def requests(self, kind: str) -> list[Entry]:
        hosts = next(site.hosts for site in self.plan.sites if site.kind == kind)
        return [one for one in entries(self.log) if one.host in hosts | {self.name(kind)}]

    def verdict(self, delay_seconds: float = DELAY_MS / 1000) -> Verdict:
        found = [Row(*(row[name] for name in ("domain", "url", "keyword", "frequency"))) for row in self.mentions]
        failed = [name for name, row in self.domains.items() if row["state"] == "failed"]
        return check(
            self.plan, Left(entries(self.log), found, failed), Bars(delay_seconds, LIMITS.site_threshold, limits=LIMITS)
        )


@dataclass
class Fleet:
    """One record and one frontier, with a web and workers on them."""

    engine: Engine
    frontier: Frontier
    redis_url: str
    ready: Ready
    folder: Path
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def job(self, plan: Plan, name: str = "crawl", spec: JobSpec = SPEC) -> str:
        listed = [ListedDomain(str(row["domain"]), place) for place, row in enumerate(domains(plan, LIMITS))]
        wanted = [Keyword(one) for one in plan.keywords]
        with self.engine.begin() as connection:
            new = NewJob(name=name, spec=spec.stored(), max_credits=0, keywords=wanted, domains=listed)
            job = jobs.create(connection, new).job
            jobs.move(connection, job, JobState.RUNNING, "test")
        with self.engine.connect() as connection:
            fill(connection, self.frontier, job)
        self.frontier.run(calls.lift(job))
        return job

    def worker(self, *options: str, **environment: str) -> subprocess.Popen[bytes]:
        env = {
            **os.environ,
            **self.ready.settings,
            "DELAY_MS": str(DELAY_MS),
            "WORKER_IDLE_SECONDS": "60",
            **environment,
        }
        env |= {"DATABASE_URL": _url(self.engine), "REDIS_URL": self.redis_url, "LOG_STYLE": "json"}
        words = [sys.executable, "-m", "scrapy", "crawl", "domain", *options]
        with (self.folder / f"worker-{len(self.workers)}.log").open("wb") as log:
            process = subprocess.Popen(words, env=env, stdout=log, stderr=log, cwd=Path(__file__).parents[2])
        self.workers.append(process)
        return process

    def counters(self, job: str) -> dict[str, int]:
        raw: Mapping[bytes, bytes] = self.frontier.redis.hgetall(keys.key(keys.JOB, job=job))  # type: ignore[assignment]
        return {name.decode(): int(value) for name, value in raw.items() if value.lstrip(b"-").isdigit()}

    def until_over(self, *jobs_: str, seconds: float, look: Callable[[], None] = lambda: None) -> None:
        """Until each job has no domain left but those that wait for a far Retry-After."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            left = self.frontier.run(job_calls.status(jobs_))
            if all(one and one.domains_waiting == 0 and one.domains_open <= one.domains_stalled for one in left):
                return
            assert all(worker.poll() is None for worker in self.workers), "a worker ended"
            look()
            time.sleep(0.2)
        still = [self.frontier.redis.smembers(keys.key(keys.OPEN, job=job)) for job in jobs_]
        raise AssertionError(f"not over after {seconds} s: {left} {still}")

    def stop(self) -> None:
        for worker in self.workers:
            if worker.poll() is None:
                worker.send_signal(signal.SIGTERM)
        for worker in self.workers:
            worker.wait(60)

    def rows(self, query: str, **values: Any) -> list[dict[str, Any]]:
        with self.engine.connect() as connection:
            return [dict(row) for row in connection.execute(text(query), values).mappings()]

    def left(self, plan: Plan, job: str) -> Crawled:
        crawled = Crawled(plan, Path(self.ready.log))
        entries_until_now(crawled.log, self.ready.address)  # whoever reads it finds all that was asked for
        listed = self.rows("SELECT * FROM domains WHERE job = :job", job=job)
        crawled.domains = {row["domain"]: row for row in listed}
        crawled.pages = self.rows(
            "SELECT p.*, d.domain FROM pages p JOIN domains d ON d.job = p.job AND d.number = p.domain WHERE p.job = :job",
            job=job,
        )
        crawled.mentions = self.rows(
            "SELECT m.*, d.domain, p.url, k.keyword FROM mentions m JOIN pages p ON p.job = m.job AND p.page = m.page "
            "JOIN domains d ON d.job = m.job AND d.number = p.domain "
            "JOIN keywords k ON k.job = m.job AND k.number = m.keyword WHERE m.job = :job",
            job=job,
        )
        return crawled


@contextmanager
def fleet(engine: Engine, redis_url: str, ready: Ready, folder: Path) -> Iterator[Fleet]:
    frontier = Frontier(redis_url)
    frontier.run(calls.begin(1))
    made = Fleet(engine, frontier, redis_url, ready, folder)
    try:
        yield made
    finally:
        made.stop()
        frontier.close()


FleetOf = Callable[..., Any]


@pytest.fixture
def crew(engine: Engine, redis_url: str, tmp_path: Path) -> Iterator[Callable[..., Fleet]]:
    """A web of some kinds, with a record and a frontier of this test's own."""
    with ExitStack() as opened:

        def made(kinds: Sequence[str], seed: int = 3, sites: int = 0) -> Fleet:
            web = running(tmp_path / "web.jsonl", seed=seed, sites=sites or len(kinds), kinds=kinds)
            return opened.enter_context(fleet(engine, redis_url, opened.enter_context(web), tmp_path))

        yield made


@contextmanager
def once_a_run(folder: Path, name: str) -> Iterator[Path]:
    """For what is made once for all processes of a run: the others wait here until it is."""
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder / f"{name}.pickle"


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if hasattr(request.config, "workerinput") else own) / "crawls"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def shared_redis_url(stack: Servers) -> str:
    """A Redis database that no other test has."""
    return make_url(stack.redis_url).update_query_dict({"db": "15"}).render_as_string(hide_password=False)


def watch(fleet_: Fleet, crawled: Crawled, job: str) -> Callable[[], None]:
    def look() -> None:
        for worker in fleet_.workers:
            crawled.peak_mb = max(crawled.peak_mb, resident_mb(worker.pid))
            crawled.ports |= listening(worker.pid)
        queues = fleet_.frontier.redis.scan_iter(keys.key(keys.QUEUE, job=job, domain="*"), count=1000)
        crawled.most_queued = max([crawled.most_queued, *(fleet_.frontier.redis.zcard(one) for one in queues)])

    return look


def resident_mb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


def listening(pid: int) -> set[str]:
    """Local addresses of the TCP sockets that this process accepts connections on."""
    sockets = set()
    for one in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # it was closed meanwhile
            sockets.add(str(one.readlink()))
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text(encoding="utf-8").splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and f"socket:[{words[9]}]" in sockets:
                found.add(words[1])
    return found


def save(crawled: Crawled, path: Path) -> Crawled:
    """The plan has functions in it, so that it is made again from its seed."""
    plan = crawled.plan
    path.write_bytes(pickle.dumps((plan.seed, len(plan.sites), plan.kinds, {**vars(crawled), "plan": None})))
    return crawled


def load(path: Path) -> Crawled:
    seed, sites, kinds, facts = pickle.loads(path.read_bytes())
    return Crawled(**{**facts, "plan": Plan(seed, sites, kinds)})


def counted(rows: Sequence[Mapping[str, Any]], name: str) -> Counter[Any]:
    return Counter(row[name] for row in rows)


def _url(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=False)


def flush(redis_url: str) -> None:
    with Redis.from_url(redis_url) as redis:
        redis.flushdb()
