"""Real workers over a small web, a ScrapingBee of our own, a Postgres and a Redis that anything may be done to."""

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, text

from prospector.core.job.spec import JobSpec
from prospector.core.job.states import JobState
from prospector.core.visits.methods import Mode
from prospector.demo.process import Started
from prospector.demo.scrapingbee import server as scrapingbee_server
from prospector.demo.scrapingbee.server import SimulatorConfig
from prospector.demo.verdict.checker import Bars, Crawl, check
from prospector.demo.verdict.coverage import Row
from prospector.demo.web.own_process import running
from prospector.demo.web.plan import Plan
from prospector.demo.web.tables import domains
from prospector.demo.web.truth import Limits
from prospector.frontier import calls, paid_calls
from prospector.frontier.client import Frontier
from prospector.jobs.fill import fill
from prospector.store import jobs, rebuild, spend
from prospector.store.jobs import ListedDomain, NewJob
from prospector.store.spend import Totals
from tests.web_log import entries_until_now

from ...integration.frontier.conftest import Server  # noqa: TID252  # a Redis that can be killed

KEY = "k3y-of-the-crawls-4f6a8c0e2b1d"
WORKER = [sys.executable, "-P", "-m", "scrapy", "crawl", "domain"]
DELAY_MS = 30
OVER_SECONDS = 150
LOOK_SECONDS = 0.1


class Stage:
    """One web, one ScrapingBee, one record, one frontier; jobs and workers as the test wants them."""

    def __init__(self, engine: Engine, redis: Server, folder: Path, stack: ExitStack) -> None:
        self.engine = engine
        self.redis = redis
        self.folder = folder
        self.workers: list[subprocess.Popen[bytes]] = []
        self.settings: dict[str, str] = {"SCRAPINGBEE_API_KEY": KEY}
        self.bee: Started
        self.web: str
        self.frontier = Frontier(redis.url)
        self.plan: Plan
        self._stack = stack
        self.begin()

    def begin(self) -> None:
        """A Redis with nothing in it, and a second behind it."""
        with self.engine.begin() as connection:
            self.frontier.run(calls.begin(rebuild.next_epoch(connection)))

    def serve(self, *kinds: str, seed: int = 7, sites: int = 0, **account: Any) -> None:
        self.plan = Plan(seed, sites or len(kinds), kinds)
        log = self.folder / "web.jsonl"
        ready = self._stack.enter_context(running(log, seed=seed, sites=sites or len(kinds), kinds=kinds))
        config = SimulatorConfig(
            key=KEY,
            via_token=ready.token,
            resolve=ready.settings["RESOLVE"],
            allowed_networks=ready.settings["ALLOWED_NETWORKS"],
            usage_lag_seconds=0.0,
            truth_file=str(self.folder / "calls.jsonl"),
            **account,
        )
        self.bee = self._stack.enter_context(scrapingbee_server.start(config))
        self.web = ready.address
        self.settings |= {**ready.settings, "SCRAPINGBEE_API_URL": f"http://{self.bee.address}/api/v1/"}

    def job(self, names: Sequence[str] = (), mode: Mode = Mode.HYBRID, cap_credits: int = 10_000, **spec: Any) -> str:
        """The whole web, unless told otherwise; it goes at once."""
        listed = names or [str(row["domain"]) for row in domains(self.plan, Limits())]
        new = NewJob(
            name="paid",
            spec=JobSpec(mode=mode, **spec).stored(),
            max_credits=cap_credits,
            keywords=[jobs.Keyword(one) for one in self.plan.keywords],
            domains=[ListedDomain(one, row) for row, one in enumerate(listed)],
        )
        with self.engine.begin() as connection:
            job = jobs.create(connection, new).job
            jobs.move(connection, job, JobState.RUNNING, "started")
            fill(connection, self.frontier, job)
        self.frontier.run(calls.lift(job))
        return job

    def start(self, workers: int = 1, **settings: str) -> None:
        url = self.engine.url.render_as_string(hide_password=False)
        environment = {
            **os.environ,
            **self.settings,
            "SCRAPY_SETTINGS_MODULE": "prospector.settings",
            "DATABASE_URL": url,
            "WORKER_DATABASE_URL": url,
            "REDIS_URL": self.redis.url,
            "LOG_STYLE": "text",
            "LOG_LEVEL": "debug",
            "WORKER_IDLE_SECONDS": "60",
            "DELAY_MS": str(DELAY_MS),
            **settings,
        }
        for _ in range(workers):
            log = (self.folder / f"worker-{len(self.workers)}.log").open("wb")
            self.workers.append(subprocess.Popen(WORKER, env=environment, cwd=self.folder, stdout=log, stderr=log))
            log.close()

    def until(self, done: Callable[[], bool], *, hurry: bool = False) -> None:
        deadline = time.monotonic() + OVER_SECONDS
        while not done():
            assert not any(worker.poll() for worker in self.workers), self.story()
            assert time.monotonic() < deadline, self.story()
            time.sleep(LOOK_SECONDS)
            if hurry:
                self.hurry()

    def hurry(self) -> None:
        """What waits for its back-off, or for the next probe of a provider that is out, waits no longer."""
        redis = self.frontier.redis
        for entry in redis.zrange("prospector:later", 0, -1):
            redis.zadd("prospector:later", {entry: 1}, xx=True)
        if redis.hexists("prospector:provider", "opened"):
            redis.hset("prospector:provider", mapping={"probe": 1, "called": 1})

    def advance(self, ms: int) -> None:
        self.frontier.redis.hincrby("prospector:meta", "skew", ms)

    def is_out(self) -> bool:
        return self.frontier.run(paid_calls.provider()).open_ms is not None

    def in_flight(self) -> int:
        return self.frontier.run(paid_calls.provider()).in_flight

    def over(self, *of: str) -> bool:
        """Every domain is closed."""
        return all(self.counters(job)["waiting"] + self.counters(job)["open"] == 0 for job in of)

    def stuck(self, job: str, reason: str) -> bool:
        """Only pages parked for this are left, and nothing is on its way."""
        known = self.counters(job)
        parked = int(self.frontier.redis.zcard(f"prospector:parked:{job}:{reason}"))
        idle = known["waiting"] == 0 and known["flying"] == 0 and known["idle"] == known["open"]
        return parked > 0 and idle and not self.frontier.redis.exists(f"prospector:paid:{job}", "prospector:later")

    def stop(self) -> None:
        for worker in self.workers:
            worker.terminate()
        for worker in self.workers:
            worker.wait(60)
        self.workers.clear()

    def kill(self) -> None:
        for worker in self.workers:
            worker.kill()
            worker.wait()
        self.workers.clear()

    def counters(self, job: str) -> dict[str, int]:
        raw = self.frontier.redis.hgetall(f"prospector:job:{job}")
        return {name.decode(): int(value) for name, value in raw.items() if value.lstrip(b"-").isdigit()}

    def ledger(self, job: str) -> Totals:
        with self.engine.connect() as connection:
            return spend.job_totals(connection, job)

    def rows(self, sql: str, **words: Any) -> list[Any]:
        with self.engine.connect() as connection:
            return list(connection.execute(text(sql), words))

    def calls_by_url(self) -> Counter[str]:
        return Counter(call["url"] for call in self.bee.truth()["calls"])

    def logs(self) -> str:
        return "".join(path.read_text(errors="replace") for path in sorted(self.folder.glob("worker-*.log")))

    def story(self) -> str:
        """What a failure shows."""
        states = {key.decode(): self.frontier.redis.hgetall(key) for key in self.frontier.redis.scan_iter("*:job:*")}
        lines = [line[:300] for line in self.logs().splitlines() if "[DEBUG]" not in line and "Enabled" not in line]
        known = [self.frontier.redis.hgetall(f"prospector:{one}") for one in ("provider", "meta")]
        return f"{states}\n{known}\n" + "\n".join(lines[-40:])

    def verdict(self, job: str) -> list[str]:
        """What the checker finds wrong with the crawl of a job over the whole web."""
        found = self.rows(
            """SELECT d.domain, p.url, k.keyword, m.frequency FROM mentions m
            JOIN pages p ON p.job = m.job AND p.page = m.page
            JOIN keywords k ON k.job = m.job AND k.number = m.keyword
            JOIN domains d ON d.job = m.job AND d.number = p.domain WHERE m.job = :job""",
            job=job,
        )
        failed = self.rows("SELECT domain FROM domains WHERE job = :job AND state = 'failed'", job=job)
        asked = entries_until_now(self.folder / "web.jsonl", self.web)
        crawl = Crawl(asked, [Row(*one) for one in found], [one.domain for one in failed])
        lines = check(self.plan, crawl, Bars(delay_seconds=DELAY_MS / 1000)).lines
        return [f"{line.what}: {line.seen} {line.examples}" for line in lines if line.good is False]


def everything_in_postgres(stage: Stage) -> str:
    tables = stage.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    dump = "".join(repr(stage.rows(f'SELECT * FROM "{one.tablename}"')) for one in tables)
    assert "scrapingbee-js" in dump
    return dump


def everything_in_redis(stage: Stage) -> bytes:
    redis = stage.frontier.redis
    dump = b"".join(key + (redis.dump(key) or b"") for key in redis.scan_iter("*"))
    assert b"prospector:job:" in dump
    return dump
