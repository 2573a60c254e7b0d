"""Is what the account was charged what the ledger says, whatever happens? Three seeds of a web, each with everything at once.

    python -m bench.money [SECONDS_OF_OUTAGE [SEEDS]]

Four workers and two jobs; 5xx bursts, answers that are lost after the bill, two workers killed with calls in flight, a Redis
wiped with calls in flight, an outage (330 s with the first seed, 40 s with the others), a budget that is reached. About 12 minutes.
Calls in the outage are those until the breaker opens, and probes from then on. The key is looked for in logs, in Postgres, in
Redis, in the command lines of processes and in the addresses of calls.
"""

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, Row, make_url

from prospector.core.visits.methods import Mode
from prospector.demo.web.site import Reach
from prospector.demo.web.truth import address, canonical
from prospector.frontier import calls, paid_calls
from prospector.jobs import follow
from prospector.jobs.balance import balance
from prospector.jobs.rebuild import rebuild_if_lost
from prospector.local import attach
from prospector.local.home import Home
from prospector.local.servers import with_home
from prospector.store import schema, server
from tests.crawl.paid.stage import KEY, Stage, everything_in_postgres, everything_in_redis
from tests.integration.frontier.conftest import Server

OUTAGE_SECONDS = int(sys.argv[1]) if len(sys.argv) > 1 else 330
SEEDS = [int(one) for one in sys.argv[2:]] or [1, 2, 3]
KINDS = (
    "refused",
    "challenge",
    "application",
    "company",
    "blog",
    "empty",
    "captcha",
    "refused-twice",
    "half-application",
)
SITES = 27
SLOTS = 6
CAP_CREDITS = 60  # of the second job: reached
SHORT_OUTAGE_SECONDS = 40  # two probes
OPENING_SECONDS = 1.0  # a call that was granted just before the breaker opened may be sent just after
LOST = "SELECT 1 FROM pages WHERE job = :job AND detail = 'ScrapingBee could not fetch it'"
ENDED = """
SELECT count(*) FILTER (WHERE state = 'done'), count(*) FILTER (WHERE state = 'failed') FROM domains WHERE job = :job
"""


@contextmanager
def databases(folder: Path) -> Iterator[str]:
    home = Home(folder / "stack")
    try:
        yield with_home(home).database_url
    finally:
        attach.detach(home)
        attach.stop(home)


def record(database_url: str, seed: int) -> Engine:
    url = make_url(database_url).set(database=f"money_{seed}").render_as_string(hide_password=False)
    server.make_database(database_url, f"money_{seed}")
    made = server.engine(url, connections=4)
    schema.migrate(made)
    return made


class Run:
    def __init__(self, stage: Stage, seed: int) -> None:
        stage.serve(*KINDS, seed=seed, sites=SITES, max_concurrency=SLOTS)
        names = [domain.name for site in stage.plan.sites for domain in site.domains]
        self.stage = stage
        self.jobs = stage.job(names[::2]), stage.job(names[1::2], mode=Mode.PREMIUM_ONLY, cap_credits=CAP_CREDITS)
        self.most_overspent = 0
        self.open: list[tuple[float, float]] = []  # when the breaker opened, and when it was last seen open
        self.key_in_processes = 0

    def watch(self, seconds: float) -> bool:
        """What a steward would do, and whether more was charged than a job may spend. True when both jobs are at rest."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            rebuild_if_lost(self.stage.engine, self.stage.frontier)
            with self.stage.engine.connect() as connection:
                balance(connection, self.stage.frontier)
            self.stage.frontier.run(calls.reap())
            self.look_at_breaker()
            self.key_in_processes += b"".join(map(command_line, Path("/proc").glob("[0-9]*"))).count(KEY.encode())
            states = {str(follow.reconcile(self.stage.engine, self.stage.frontier, job)) for job in self.jobs}
            charged = self.stage.bee.truth()["credits_by_tag"].get(self.jobs[1], 0)
            self.most_overspent = max(self.most_overspent, charged - CAP_CREDITS)
            if not states & {"running", "pausing"}:
                return True
            time.sleep(0.5)
        return False

    def look_at_breaker(self) -> None:
        open_ms = self.stage.frontier.run(paid_calls.provider()).open_ms
        if open_ms is None:
            return
        now = time.time()
        opened = now - open_ms / 1000
        if self.open and abs(self.open[-1][0] - opened) < OPENING_SECONDS:
            opened = self.open.pop()[0]
        self.open.append((opened, now))

    def probes(self) -> list[float]:
        """The moments of the calls that were sent while the breaker was open."""
        calls_made = self.stage.bee.truth()["calls"]
        at = sorted(call["unix_time"] - (call["ended"] - call["started"]) for call in calls_made)  # noted at its end
        return [one for one in at if any(begin + OPENING_SECONDS < one <= end for begin, end in self.open)]

    def key_hits(self) -> Iterator[tuple[str, int]]:
        yield "logs", self.stage.logs().count(KEY)
        yield "Postgres", everything_in_postgres(self.stage).count(KEY)
        yield "Redis", everything_in_redis(self.stage).count(KEY.encode())
        yield "processes", self.key_in_processes
        yield "addresses", len(self.stage.bee.truth()["key_in_url"])

    def faults(self, outage_seconds: float) -> int:
        """Gives the calls that were made while ScrapingBee was out."""
        stage = self.stage
        stage.bee.order("latency", low_ms=200, high_ms=1_000)
        stage.bee.order("server_error", probability=0.1)
        stage.bee.order("reset_after_billing", probability=0.03)
        stage.start(4, SCRAPINGBEE_CONCURRENCY=str(SLOTS))
        self.watch(8)
        for _ in range(2):
            killed = stage.workers.pop(0)
            killed.kill()
            killed.wait()
            stage.start(1, SCRAPINGBEE_CONCURRENCY=str(SLOTS))
            self.watch(4)
        stage.redis.kill()
        stage.redis.start("--appendonly", "no")
        stage.frontier.redis.flushdb()
        self.watch(6)
        before = len(stage.bee.truth()["calls"])
        stage.bee.order("outage_error", seconds=outage_seconds)
        self.watch(outage_seconds)
        return len(stage.bee.truth()["calls"]) - before

    def told(self, outage_calls: int) -> Iterator[tuple[str, object]]:
        truth = self.stage.bee.truth()
        ledgers = [self.stage.ledger(job) for job in self.jobs]
        used, unsettled = sum(one.used for one in ledgers), sum(one.reserved for one in ledgers)
        yield "charged by ScrapingBee", truth["credits"]
        yield "settled in the ledger, unsettled beside it", f"{used}, {unsettled}"
        yield "charged and in neither", max(0, truth["credits"] - used - unsettled)
        yield f"charged beyond a budget of {CAP_CREDITS}, at any moment", self.most_overspent
        yield "charged to that job", truth["credits_by_tag"].get(self.jobs[1], 0)
        yield f"most calls in flight, of {SLOTS}", truth["peak_concurrency"]
        probes = self.probes()
        apart = [later - earlier for earlier, later in pairwise(probes)]
        yield "calls in the outage: before the breaker opened, probes", f"{outage_calls - len(probes)}, {len(probes)}"
        yield "least seconds between two probes", f"{min(apart):.1f}" if apart else "only one"
        yield "hybrid: credits on pages that direct could read", self._wasted(truth["calls"])
        yield "hybrid: pages lost to ScrapingBee's failures", len(self._hybrid(LOST))
        yield "hybrid: domains done, failed", tuple(self._hybrid(ENDED)[0])
        yield "the key, anywhere", ", ".join(f"{where} {hits}" for where, hits in self.key_hits())

    def _hybrid(self, statement: str) -> list[Row[Any]]:
        return self.stage.rows(statement, job=self.jobs[0])

    def _wasted(self, made: list[dict[str, Any]]) -> int:
        direct = {
            canonical(address(page, site), site.ignored_query)
            for site in self.stage.plan.sites
            for page in site.pages.values()
            if page.reach is Reach.DIRECT
        }
        hybrid = [call for call in made if call["tag"] == self.jobs[0]]
        return sum(call["cost"] for call in hybrid if canonical(call["url"]) in direct)


def command_line(process: Path) -> bytes:
    with suppress(OSError):  # it has ended
        return (process / "cmdline").read_bytes()
    return b""


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="money-") as name, databases(Path(name)) as database_url:
        for number, seed in enumerate(SEEDS):
            folder = Path(name) / str(seed)
            folder.mkdir()
            redis = Server(folder)
            redis.start()
            with ExitStack() as stack:
                stage = Stage(record(database_url, seed), redis, folder, stack)
                try:
                    began = time.monotonic()
                    run = Run(stage, seed)
                    in_outage = run.faults(SHORT_OUTAGE_SECONDS if number else OUTAGE_SECONDS)
                    ended = run.watch(180)
                    stage.stop()
                    if not ended:
                        print(stage.story())
                    print(
                        f"\nseed {seed}: {'at rest' if ended else 'NOT AT REST'} after {time.monotonic() - began:.0f} s"
                    )
                    for what, figure in run.told(in_outage):
                        print(f"  {what:<55} {figure}", flush=True)
                finally:
                    stage.kill()
                    redis.kill()


if __name__ == "__main__":
    main()
