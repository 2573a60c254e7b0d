"""Is what the account was charged what the ledger says, whatever happens? Three seeds of a web, each with everything at once.

    python -m bench.money [SECONDS_OF_OUTAGE [SEEDS]]

Four workers and two jobs; 5xx bursts, answers that are lost after the bill, two workers killed with calls in flight, a Redis
wiped with calls in flight, an outage (330 s with the first seed, 20 s with the others), a budget that is reached. About 12 minutes.
"""

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, Row, make_url

from prospector.core.methods import Mode
from prospector.demo.site import Reach
from prospector.demo.truth import address, canonical
from prospector.frontier import calls
from prospector.jobs import follow
from prospector.jobs.rebuild import rebuild_if_lost
from prospector.jobs.reconcile import reconcile
from prospector.local import attach
from prospector.local.home import Home
from prospector.local.servers import with_home
from prospector.store import schema, server
from tests.crawl.paid.stage import KEY, Stage
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
SHORT_OUTAGE_SECONDS = 20
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

    def watch(self, seconds: float) -> bool:
        """What a steward would do, and whether more was charged than a job may spend. True when both jobs are at rest."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            rebuild_if_lost(self.stage.engine, self.stage.frontier)
            with self.stage.engine.connect() as connection:
                reconcile(connection, self.stage.frontier)
            self.stage.frontier.run(calls.reap())
            states = {str(follow.reconcile(self.stage.engine, self.stage.frontier, job)) for job in self.jobs}
            charged = self.stage.bee.truth()["credits_by_tag"].get(self.jobs[1], 0)
            self.most_overspent = max(self.most_overspent, charged - CAP_CREDITS)
            if not states & {"running", "pausing"}:
                return True
            time.sleep(0.5)
        return False

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
        yield "calls in the outage", outage_calls
        yield "hybrid: credits on pages that direct could read", self._wasted(truth["calls"])
        yield "hybrid: pages lost to ScrapingBee's failures", len(self._hybrid(LOST))
        yield "hybrid: domains done, failed", tuple(self._hybrid(ENDED)[0])
        yield "the key in logs", self.stage.logs().count(KEY)

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
