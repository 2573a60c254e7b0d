"""What a worker's extensions promise: an end is recorded before it is forgotten, and a defect of ours costs no page."""

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from scrapy import signals
from scrapy.http import Response
from twisted.python.failure import Failure

from prospector.core.visits.outcomes import DomainState
from prospector.core.visits.ticket import Ticket, Verdict
from prospector.extensions import closer, memory_limit
from prospector.extensions.closer import Closer
from prospector.extensions.memory_limit import MemoryLimit, resident_mb
from prospector.extensions.second_chance import SecondChance
from prospector.extensions.site_memory import SiteMemories
from prospector.extensions.vitals import Vitals
from prospector.frontier import calls
from prospector.frontier.calls import Fetch
from prospector.spiders.readings import DEFECT_TRIES

from .conftest import Bench, run, until, working


class Running:
    """Of Scrapy's engine, what the closer asks: whether it still runs."""

    running = True


@asynccontextmanager
async def closing(bench: Bench, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    monkeypatch.setattr(closer, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(closer, "IDLE_SECONDS", 0.02)
    bench.crawler.engine = Running()  # type: ignore[assignment]
    made = Closer.from_crawler(bench.crawler)
    async with working(bench, redis_url):
        made.spider_opened(bench.spider)
        yield
        made.spider_closed()


def end(bench: Bench, ticket: Ticket, verdict: Verdict = Verdict.DONE, **facts: Any) -> None:
    bench.frontier.run(calls.release(ticket.lease, Fetch.FINE, 0, 1, 60_000))
    bench.frontier.run(calls.settle(ticket.lease, verdict, **facts))


def states(bench: Bench) -> dict[str, str]:
    return {row["domain"]: row["state"] for row in bench.rows("SELECT domain, state FROM domains")}


def test_a_domain_with_nothing_left_gets_its_final_row_and_is_forgotten(
    bench: Bench, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with closing(bench, redis_url, monkeypatch):
            await until(lambda: len(bench.got) == 3)
            done, failed, _ = sorted(bench.got, key=lambda one: one.domain)
            end(bench, done)
            end(bench, failed, Verdict.FAILED, facts={"reason": "HTTP 403 Forbidden", "status": 403, "attempts": 1})
            await until(lambda: bench.counter("done") + bench.counter("failed") == 2)

    run(work())
    assert states(bench) == {"a.test": "done", "b.test": "failed", "c.test": "waiting"}
    assert bench.rows("SELECT reason FROM domains WHERE domain = 'b.test'") == [{"reason": "HTTP 403 Forbidden"}]


def test_while_the_record_is_away_nothing_is_forgotten(
    bench: Bench, redis_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    of_worker = bench.spider.engine
    away = of_worker.url.set(database="not_there").render_as_string(hide_password=False)

    async def work() -> None:
        async with closing(bench, redis_url, monkeypatch):
            bench.spider.engine = closer_engine(away)
            end(bench, await bench.ticket())
            await until(lambda: "record_away" in caplog.text)
            assert bench.counter("done") == 0
            bench.spider.engine = of_worker
            bench.frontier.redis.hincrby("prospector:meta", "skew", 600_000)  # it is told to a closer again by then
            await until(lambda: bench.counter("done") == 1)

    run(work())
    assert list(states(bench).values()).count(DomainState.DONE) == 1


def closer_engine(url: str) -> Any:
    from prospector.store import server

    return server.engine(url)


# --- a defect of ours


class Broken(Exception):
    """What no site can cause."""


def defective(bench: Bench, ticket: Ticket) -> None:
    """A pipeline fails on this page."""
    item = bench.item(ticket)
    bench.crawler.signals.send_catch_log(
        signals.item_error, item=item, response=None, failure=Failure(Broken("the pipeline"))
    )


def test_a_page_whose_pipeline_failed_is_tried_again_and_fails_as_a_page_in_the_end(
    bench: Bench, redis_url: str
) -> None:
    _made = SecondChance.from_crawler(bench.crawler)
    attempts = []

    async def work() -> None:
        async with working(bench, redis_url):
            await until(lambda: len(bench.got) == 3)
            ticket = bench.got.pop(0)
            bench.got.clear()
            for _ in range(DEFECT_TRIES):
                attempts.append(ticket.state.attempt)
                bench.frontier.run(calls.release(ticket.lease, Fetch.FINE, 0, 1, 60_000))
                defective(bench, ticket)
                if len(attempts) < DEFECT_TRIES:
                    ticket = await bench.ticket()
            await until(lambda: bench.frontier.redis.hget(f"prospector:domain:{bench.job}:{ticket.domain}", "reason"))

    run(work())
    assert attempts == list(range(DEFECT_TRIES))
    assert bench.spider.uncommitted == 0


def test_a_page_whose_callback_failed_is_tried_again(bench: Bench, redis_url: str) -> None:
    _made = SecondChance.from_crawler(bench.crawler)

    async def work() -> None:
        async with working(bench, redis_url):
            await until(lambda: len(bench.got) == 3)
            ticket = bench.got.pop(0)
            bench.got.clear()
            request = bench.spider.request_of(ticket)
            response = Response(ticket.url, request=request)
            bench.crawler.signals.send_catch_log(
                signals.spider_error, failure=Failure(Broken("the callback")), response=response, spider=bench.spider
            )
            bench.frontier.run(calls.release(ticket.lease, Fetch.FINE, 0, 1, 60_000))
            assert (await bench.ticket()).state.attempt == 1

    run(work())


# --- memory, vitals, and a spider that was never opened


class Stoppable:
    """Of Scrapy's crawler, what the memory limit asks: to stop."""

    stopped = False

    def __init__(self, crawler: Any) -> None:
        self.settings, self.signals = crawler.settings, crawler.signals

    async def stop_async(self) -> None:
        self.stopped = True


@pytest.mark.parametrize(("limit_mb", "stops"), [(1, True), (1_000_000, False)])
def test_a_worker_that_has_grown_too_large_is_asked_to_end(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, limit_mb: int, stops: bool
) -> None:
    monkeypatch.setattr(memory_limit, "LOOK_SECONDS", 0.01)
    bench.crawler.settings.set("WORKER_MEMORY_MB", limit_mb, priority="cmdline")
    crawler = Stoppable(bench.crawler)

    async def work() -> None:
        made = MemoryLimit.from_crawler(crawler)  # type: ignore[arg-type]
        made.spider_opened(bench.spider)
        await asyncio.sleep(0.2)
        if stops:
            await until(lambda: crawler.stopped)
        made.spider_closed()

    run(work())
    assert crawler.stopped is stops
    assert 10 < resident_mb() < 10_000


@pytest.mark.parametrize("extension", [Closer, SiteMemories, MemoryLimit])
def test_a_spider_that_was_never_opened_may_close(bench: Bench, extension: Any) -> None:
    made = extension.from_crawler(bench.crawler)

    told = asyncio.run(
        bench.crawler.signals.send_catch_log_async(signals.spider_closed, spider=bench.spider, reason="shutdown")
    )

    assert [one for receiver, one in told if getattr(receiver, "__self__", None) is made] == [None]


def test_a_thread_that_waits_for_a_server_without_end_does_not_keep_the_process() -> None:
    """A Postgres that hangs, a name server that is away: a worker that is told to end ends all the same."""
    program = """
import asyncio, threading
from scrapy.utils.reactor import install_reactor
install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
from twisted.internet import reactor
from prospector.extensions.punctual_end import PunctualEnd
PunctualEnd.from_crawler(None)
reactor.callWhenRunning(lambda: asyncio.get_running_loop().run_in_executor(None, threading.Event().wait))
reactor.callLater(0.1, reactor.stop)
reactor.run()
"""

    ended = subprocess.run([sys.executable, "-c", program], timeout=60, capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stdout) == (0, "")


def test_vitals_tell_what_a_worker_has_done_and_has_in_hand(bench: Bench, redis_url: str) -> None:
    made = Vitals.from_crawler(bench.crawler)
    made.spider_opened(bench.spider)

    async def work() -> None:
        async with working(bench, redis_url):
            await until(lambda: len(bench.got) == 3)
            bench.spider.writes.begin(time.monotonic())
            made.item_scraped(bench.item(bench.got[0]))
            told = bench.spider.about()
            assert (told["pages"], told["failed"], told["domains"]) == (1, 0, 3)
            assert told["memory_mb"]

    run(work())
