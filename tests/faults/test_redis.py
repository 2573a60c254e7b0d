"""R1-R4: Redis is killed, emptied, away, full or set to evict. The record is Postgres; workers wait and go on.

The gap is kept at 200 ms inside ALLOWED_NETWORKS; test_shared_sites.py keeps the full second.
"""

import time
from itertools import pairwise

import pytest

from prospector.demo.proxy.faults import ProxyFault
from prospector.demo.proxy.proxy import FaultProxy
from prospector.errors import EnvironmentInvalid
from prospector.frontier.server import refuse_evicting

from .crawl import PATIENCE_SECONDS, Crawl


def test_a_redis_that_is_killed_and_started_again_loses_nothing(crawl: Crawl) -> None:
    """R1"""
    crawl.job()
    crawl.worker("one")
    crawl.worker("two")
    for pages in (12, 40):
        crawl.wait(crawl.crawled(pages))
        crawl.redis.kill()
        time.sleep(1.5)
        crawl.redis.start()
    verdict = crawl.finish()

    assert verdict.broken_by_a_kill == []
    assert "dead_letters=1" not in crawl.said()


def test_a_redis_that_comes_back_empty_is_filled_from_the_record(crawl: Crawl) -> None:
    """R2: emptied while workers run, and started again without its file."""
    crawl.job()
    crawl.worker("one")
    crawl.worker("two")
    crawl.wait(crawl.crawled(12))
    crawl.frontier.redis.flushall()
    crawl.wait(crawl.crawled(40))
    crawl.redis.kill()
    for file in crawl.folder.glob("appendonlydir/*"):
        file.unlink()
    crawl.redis.start()
    verdict = crawl.finish()
    status = crawl.status()

    assert verdict.broken_by_a_kill == []
    assert status
    assert status.domains_total == status.domains_done + status.domains_failed
    assert (
        crawl.rows_of_pages("'read', 'failed'") <= status.pages <= crawl.rows_of_pages("'read', 'failed', 'redirected'")
    )


def test_while_redis_is_away_nothing_is_asked_for_and_then_it_goes_on(crawl: Crawl) -> None:
    """R3"""
    with FaultProxy(crawl.redis.socket) as proxy:
        crawl.redis_url = f"redis://{proxy.address}"
        crawl.job()
        worker = crawl.worker()
        crawl.wait(crawl.crawled(12))

        proxy.order(ProxyFault.DOWN)
        went_at = time.monotonic()
        time.sleep(6)
        back_at = time.monotonic()
        proxy.lift(ProxyFault.DOWN)
        verdict = crawl.finish()

    assert worker.returncode == 0
    assert verdict.broken == []
    moments = sorted(at for at, _, _ in verdict.requests)
    pause = max(later - earlier for earlier, later in pairwise(moments))
    in_flight_seconds = 4  # until a worker has noticed (two), and what was on its way then
    assert not [at for at in moments if went_at + in_flight_seconds < at < back_at]
    assert pause > 6 - in_flight_seconds


def test_five_milliseconds_to_redis_change_nothing_but_speed(crawl: Crawl) -> None:
    with FaultProxy(crawl.redis.socket) as proxy:
        proxy.order(ProxyFault.LATENCY, 5)
        crawl.redis_url = f"redis://{proxy.address}"
        crawl.job()
        crawl.worker()

        assert crawl.finish().broken == []


def test_a_full_redis_makes_workers_wait_and_loses_nothing(crawl: Crawl) -> None:
    """R4: the server refuses to write until it has room again."""
    crawl.job()
    crawl.worker()
    crawl.wait(crawl.crawled(12))
    crawl.frontier.redis.config_set("maxmemory", 1)
    crawl.wait(lambda: "OOM" in crawl.said() or "maxmemory" in crawl.said())
    time.sleep(3)
    crawl.frontier.redis.config_set("maxmemory", 0)

    assert crawl.finish().broken == []


def test_a_redis_that_would_evict_is_refused_with_the_remedy(crawl: Crawl) -> None:
    """R4"""
    crawl.frontier.redis.config_set("maxmemory-policy", "allkeys-lru")
    crawl.job()
    worker = crawl.worker()

    worker.wait(PATIENCE_SECONDS)

    assert "CONFIG SET maxmemory-policy noeviction" in crawl.said()
    assert crawl.pages() == 0
    with pytest.raises(EnvironmentInvalid, match="allkeys-lru"):
        refuse_evicting("redis://localhost", "allkeys-lru")
