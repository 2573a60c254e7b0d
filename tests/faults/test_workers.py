"""W1-W7: workers are killed, stopped, frozen; nothing is lost, nothing comes twice, no gap is short.

The gap is kept at 200 ms inside ALLOWED_NETWORKS, so that a crawl takes seconds; test_shared_sites.py keeps the full second.
"""

import os
import signal
import subprocess
import time
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Engine

from prospector.demo.web.site import Reach
from prospector.demo.web.truth import address, canonical
from prospector.frontier import calls
from prospector.jobs.queue import queue_status, requeue
from prospector.jobs.workers import start
from prospector.store import dead_letters

from ..integration.nodes.conftest import Scrapyd  # noqa: TID252  # one that may be killed
from .crawl import PATIENCE_SECONDS, SHORT_LEASE_SECONDS, Crawl, crawling


def test_a_worker_that_is_killed_loses_nothing(crawl: Crawl) -> None:
    """W1"""
    crawl.lease_seconds = SHORT_LEASE_SECONDS
    crawl.job()
    first, _ = crawl.worker("one"), crawl.worker("two")
    crawl.wait(crawl.crawled(15))

    first.kill()
    verdict = crawl.finish()

    assert verdict.broken_by_a_kill == []
    in_flight = 20  # no more than it had in hand
    assert int(verdict.lines["pages fetched again"]) <= in_flight


def test_all_workers_killed_and_others_started_lose_nothing(crawl: Crawl) -> None:
    """W2: each goes with its node, which counts against no page; on one that lives on, a page in hand twice is to blame."""
    crawl.lease_seconds = SHORT_LEASE_SECONDS
    crawl.job()
    for number in range(2):
        # they wait for it in the middle of their work: a test that stands still for a moment finds them not at its end
        killed = [
            crawl.worker(f"node-{number}{side}", harm={"FROST": moment, "FROST_PAGE": "4"})
            for side, moment in (("a", "asked"), ("b", "answered"))
        ]
        for worker in killed:
            crawl.wait(partial(has_stopped, worker))
        for worker in killed:
            worker.kill()
    status = crawl.status()
    assert status
    assert status.domains_open > 0
    crawl.worker()

    assert crawl.finish().broken_by_a_kill == []


def test_a_poison_page_becomes_a_dead_letter_and_takes_nothing_with_it(crawl: Crawl) -> None:
    """W3: whoever keeps workers alive starts another each time; a node that lives on shows that the page is to blame."""
    crawl.lease_seconds = SHORT_LEASE_SECONDS
    job = crawl.job()
    site = next(one for one in crawl.plan.sites if len(one.pages) > 4)
    page = next(one for one in site.pages.values() if one.reach is Reach.DIRECT and one.target != "/")
    poison = canonical(address(page, site))

    def given_up() -> bool:
        for _ in range(2 - sum(one.poll() is None for one in crawl.workers)):
            crawl.worker(harm={"POISON": poison})
        with crawl.engine.connect() as connection:
            return bool(dead_letters.waiting(connection))

    crawl.wait(given_up)
    letters = queue_status(crawl.engine, crawl.frontier).letters
    for (
        worker
    ) in crawl.workers:  # in good order: what a killed one has in hand may be a suspect, and is the next letter
        worker.terminate()
    for worker in crawl.workers:
        worker.wait(PATIENCE_SECONDS)
    crawl.worker()
    crawl.wait(lambda: (found := crawl.status()) and found.domains_waiting + found.domains_open <= 1)
    requeue(crawl.engine, crawl.frontier, str(letters[0].id))
    verdict = crawl.finish()

    assert [(canonical(one.url), one.reason) for one in letters] == [(poison, "its worker died with it")]
    assert letters[0].job == job
    assert verdict.broken_by_a_kill == []


def test_a_worker_that_is_told_to_stop_gives_back_what_it_has_and_is_gone_in_time(folder: Path, engine: Engine) -> None:
    """W4: also with pages on their way that take longer than it has. No lease of it is waited for."""
    with crawling(folder, engine, kinds=("company", "slow-headers"), sites=6) as crawl:
        crawl.job()
        told = crawl.worker("one")
        crawl.wait(crawl.crawled(10))

        began = time.monotonic()
        told.send_signal(signal.SIGTERM)
        told.wait(PATIENCE_SECONDS)
        took_seconds = time.monotonic() - began
        hands = crawl.frontier.redis.keys("prospector:hands:one/*")

        assert took_seconds < 20  # a page that is on its way may take 30
        assert hands == []
        assert "frontier_not_told" not in crawl.said()


def has_stopped(worker: subprocess.Popen[bytes]) -> bool:
    pid, status = os.waitpid(worker.pid, os.WNOHANG | os.WUNTRACED)
    return bool(pid) and os.WIFSTOPPED(status)


@pytest.mark.parametrize("moment", ["asked", "answered"])
def test_a_worker_that_wakes_after_its_lease_changes_nothing(crawl: Crawl, moment: str) -> None:
    """W6: frozen with a page that it is about to ask for, or that was just answered."""
    crawl.lease_seconds = SHORT_LEASE_SECONDS
    crawl.job()
    frozen = crawl.worker("one", harm={"FROST": moment, "FROST_PAGE": "8"})
    crawl.wait(lambda: has_stopped(frozen))
    crawl.worker("two")
    crawl.wait(lambda: "leases_reaped" in crawl.said())
    frozen.send_signal(signal.SIGCONT)
    crawl.wait(lambda: crawl.frontier.redis.keys("prospector:worker:one/*"))  # it spoke again
    verdict = crawl.finish()

    assert verdict.broken_by_a_kill == []


def test_workers_whose_scrapyd_is_killed_go_on_and_one_that_dies_then_is_followed(crawl: Crawl) -> None:
    """W5: nobody watches the orphans. The one that lives finishes, with what the one that dies had in its hands."""
    crawl.lease_seconds = SHORT_LEASE_SECONDS
    crawl.job()
    scrapyd = Scrapyd(crawl.folder / "scrapyd", crawl.environment("node"))
    try:
        scrapyd.start()
        for _ in range(2):
            start(scrapyd.url)
        crawl.wait(lambda: len(crawl.frontier.run(calls.workers())) == 2 and crawl.crawled(8)())
        orphans: list[int] = []
        crawl.wait(lambda: orphans.extend(scrapyd.spiders()) or orphans)
        scrapyd.kill_scrapyd_alone()
        some_more = crawl.crawled(crawl.pages() + 8)
        crawl.wait(lambda: some_more() or crawl.is_done())

        os.kill(orphans[0], signal.SIGKILL)
        verdict = crawl.finish()
    finally:
        scrapyd.kill()

    assert len(orphans) == 2
    assert verdict.broken_by_a_kill == []


@pytest.mark.parametrize("hours", [1, -1])
def test_a_clock_that_jumps_ends_no_lease_and_causes_no_burst(crawl: Crawl, hours: int) -> None:
    """W7: a worker's own clock is never asked; this is the server's, on which everything leans."""
    crawl.job()
    crawl.worker("one")
    crawl.wait(crawl.crawled(10))

    crawl.frontier.redis.hincrby("prospector:meta", "skew", hours * 3_600_000)
    verdict = crawl.finish()

    assert verdict.broken == []
