"""A long crawl of the small web by three workers while everything goes wrong; then the checker's verdict.

    .venv/bin/python bench/soak.py [--sites 420] [--kills 20]

Workers are killed at random and replaced, Redis is killed once and wiped once, all of it behind 5 ms of latency, with the full
second between two requests to a site. Exit code 1 if anything was lost or doubled, or a gap was short. Some minutes.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # the harness of the fault suites

from sqlalchemy import make_url  # noqa: E402

from prospector.demo.proxy.faults import ProxyFault  # noqa: E402
from prospector.demo.proxy.proxy import FaultProxy  # noqa: E402
from prospector.jobs.queue import queue_status, requeue  # noqa: E402
from prospector.local import attach  # noqa: E402
from prospector.local.home import Home  # noqa: E402
from prospector.local.servers import with_home  # noqa: E402
from prospector.store import schema, server  # noqa: E402
from tests.faults.crawl import Crawl, crawling  # noqa: E402

WORKERS = 3


def soak(crawl: Crawl, kills: int, expected_pages: int) -> None:
    """Spread over the crawl: a kill each so many pages, Redis killed after a third of them and wiped after two thirds."""
    crawl.job()
    marks = [(expected_pages * (number + 1) // (kills + 2), "worker") for number in range(kills)]
    marks += [(expected_pages // 3, "redis"), (expected_pages * 2 // 3, "wipe")]
    for pages, what in sorted(marks):
        crawl.wait(lambda pages=pages: (keep(crawl) and crawl.pages() >= pages) or crawl.is_done(), 900)
        print(f"{time.strftime('%X')} {crawl.pages():6,} pages, next: {what}", flush=True)
        if what == "worker":
            random.choice([one for one in crawl.workers if one.poll() is None]).kill()
        elif what == "redis":
            crawl.redis.kill()
            time.sleep(2)
            crawl.redis.start()
        else:
            crawl.frontier.redis.flushall()
    crawl.wait(lambda: keep(crawl) and crawl.is_done(), 900)
    again(crawl)


def again(crawl: Crawl) -> None:
    """What a killed worker had alone in its hands was given up, as it should be: an operator tries it once more."""
    letters = queue_status(crawl.engine, crawl.frontier).letters
    for one in letters:
        print(f"dead letter: {one.reason}, {one.attempts} attempts, {one.url}; tried again", flush=True)
        requeue(crawl.engine, crawl.frontier, str(one.id))
    crawl.wait(lambda: keep(crawl) and crawl.is_done(), 300)


def keep(crawl: Crawl) -> bool:
    for _ in range(WORKERS - sum(one.poll() is None for one in crawl.workers)):
        crawl.worker(f"node-{random.randrange(2)}")
    return True


def database_beside(url: str) -> str:
    """Not the one that the stack's own steward looks after: it has another Redis."""
    server.make_database(url, "soak")
    return make_url(url).set(database="soak").render_as_string(hide_password=False)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--sites", type=int, default=420)
    words.add_argument("--kills", type=int, default=20)
    given = words.parse_args()
    os.environ["LOCAL_IDLE_SECONDS"] = "5"
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        home = Home(Path(folder) / "stack")
        engine = server.engine(database_beside(with_home(home).database_url), connections=3)
        schema.migrate(engine)
        (Path(folder) / "crawl").mkdir()
        began = time.perf_counter()
        try:
            with (
                crawling(Path(folder) / "crawl", engine, sites=given.sites, kinds=("twenty",), delay_ms=1_000) as crawl,
                FaultProxy(crawl.redis.socket) as proxy,
            ):
                proxy.order(ProxyFault.LATENCY, 5)
                crawl.redis_url = f"redis://{proxy.address}"
                soak(crawl, given.kills, given.sites * 20)
                verdict = crawl.finish()
        finally:
            engine.dispose()
            attach.detach(home)
            attach.stop(home)
    print(f"{time.perf_counter() - began:.0f} s, {given.kills} kills, Redis killed once and wiped once")
    print(f"from SIGTERM to the end of the last worker: {crawl.stopping_seconds:.1f} s")
    for what, seen in verdict.lines.items():
        print(f"{what:34}{seen}")
    broken = verdict.broken_by_a_kill
    print("\n".join(["broken:", *broken] if broken else ["nothing is broken"]))
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
