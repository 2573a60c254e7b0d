"""The parts of Scrapy and scrapy-redis that are nobody's promise and that we lean on, against the pinned versions.

When one of these fails after an update: read what its message names, then mend the module it names.
"""

import inspect
from importlib.metadata import version
from pathlib import Path

import pytest
import scrapy_redis.dupefilter
import scrapy_redis.queue
import scrapy_redis.scheduler
from scrapy.core import engine, scraper
from scrapy.core.downloader.handlers import http11
from scrapy.core.engine import ExecutionEngine
from scrapy.core.scheduler import BaseScheduler
from scrapy.spiders import CrawlSpider
from twisted.protocols.tls import (
    BufferingTLSTransport,
    TLSMemoryBIOFactory,
    TLSMemoryBIOProtocol,
    _AggregateSmallWrites,
)
from twisted.web import client

from prospector.fetch.direct import DirectHandler
from prospector.fetch.resolver import Resolver
from prospector.frontier.dupefilter import FrontierDupeFilter
from prospector.frontier.queue import FrontierQueue
from prospector.scheduler import Scheduler

LOCK = Path(__file__).parents[2] / "requirements" / "run.txt"


def source(of: object) -> str:
    return inspect.getsource(of)  # type: ignore[arg-type]


@pytest.mark.parametrize("package", ["scrapy", "scrapy-redis", "twisted"])
def test_the_versions_read_here_are_the_ones_that_are_pinned(package: str) -> None:
    assert f"\n{package}=={version(package).lower()}" in "\n" + LOCK.read_text(), (
        "Install what requirements/run.txt locks."
    )


def test_the_engine_is_woken_through_its_slot() -> None:
    slot = source(engine._Slot.__init__)

    assert "self.nextcall" in slot, (
        "prospector/scheduler.py wakes the engine by engine._slot.nextcall.schedule(): see engine._Slot."
    )
    assert "self._slot" in source(ExecutionEngine.__init__), (
        "engine._slot is gone: see ExecutionEngine.open_spider_async."
    )
    assert callable(getattr(type(nextcall()), "schedule", None)), (
        "nextcall has no schedule(): see scrapy.utils.reactor.CallLaterOnce."
    )


def nextcall() -> object:
    from scrapy.utils.reactor import CallLaterOnce

    return CallLaterOnce(lambda: None)


def test_the_engine_says_by_running_that_it_is_stopping() -> None:
    assert "self.running" in source(ExecutionEngine), (
        "prospector/scheduler.py reads engine.running: see ExecutionEngine.stop_async."
    )
    stopping = source(ExecutionEngine.stop_async)
    assert stopping.index("self.running =") < stopping.index("close_spider_async"), (
        "engine.running must be False before the spider closes, or workers claim while they stop: see ExecutionEngine.stop_async."
    )


def test_the_engine_says_that_it_starts_right_before_it_runs() -> None:
    starting = source(ExecutionEngine.start_async)

    assert 0 < starting.find("signals.engine_started") < starting.index("self.running = True"), (
        "prospector/scheduler.py watches engine.running from engine_started on: see ExecutionEngine.start_async."
    )


def test_the_engine_asks_the_scheduler_until_it_gives_nothing() -> None:
    asked = source(ExecutionEngine._start_scheduled_request)

    assert "next_request()" in asked, (
        "The pump delivers to Scheduler.next_request: see ExecutionEngine._start_scheduled_request."
    )
    assert "needs_backout" in source(ExecutionEngine), (
        "Back-pressure of the engine has changed: see ExecutionEngine.needs_backout."
    )


def test_the_scheduler_has_what_the_engine_calls() -> None:
    for method in ("open", "close", "next_request", "enqueue_request", "has_pending_requests"):
        ours = inspect.signature(getattr(Scheduler, method))
        theirs = inspect.signature(getattr(BaseScheduler, method))
        assert list(ours.parameters) == list(theirs.parameters), (
            f"prospector/scheduler.py: {method} of BaseScheduler has changed."
        )


def test_closing_waits_for_requests_in_flight_before_it_closes_the_scheduler() -> None:
    closing = source(ExecutionEngine.close_spider_async)
    order = [closing.index(words) for words in ("slot.close()", "scraper.close_spider_async()", "scheduler.close(")]

    assert order == sorted(order), (
        "The rows of the last pages are committed before the pump stops: see ExecutionEngine.close_spider_async and Scheduler.close."
    )


def test_scrapy_redis_seams_are_where_we_extend_them() -> None:
    assert issubclass(Scheduler, scrapy_redis.scheduler.Scheduler)
    assert issubclass(FrontierQueue, scrapy_redis.queue.Base)
    assert issubclass(FrontierDupeFilter, scrapy_redis.dupefilter.RFPDupeFilter)
    opening = source(scrapy_redis.scheduler.Scheduler.open)
    for words in ("server=self.server", "spider=spider", "serializer=self.serializer", "queue_cls", "flush_on_start"):
        assert words in opening, (
            f"prospector/scheduler.py calls super().open(): {words} is gone from scrapy_redis.scheduler.Scheduler.open."
        )
    assert "len(self.queue)" in opening, (
        "FrontierQueue.__len__ is called while it opens: see scrapy_redis.scheduler.Scheduler.open."
    )
    for method in ("push", "pop", "clear", "__len__"):
        assert method in vars(FrontierQueue), f"prospector/frontier/queue.py must have {method}."


def test_the_direct_handler_stands_on_the_one_that_scrapy_gives_for_http() -> None:
    assert issubclass(DirectHandler, http11.HTTP11DownloadHandler)
    assert inspect.iscoroutinefunction(http11.HTTP11DownloadHandler.download_request), (
        "prospector/fetch/direct.py awaits download_request of HTTP11DownloadHandler: it is no coroutine any more."
    )
    assert list(inspect.signature(http11.HTTP11DownloadHandler.__init__).parameters) == ["self", "crawler"]


def test_a_connection_is_looked_at_once_more_before_it_carries_a_request() -> None:
    handler, getting = source(http11.HTTP11DownloadHandler), source(client.HTTPConnectionPool)
    assert "self._pool: HTTPConnectionPool" in handler, (
        "prospector/fetch/direct.py gives the handler a _pool of its own."
    )
    assert "callLater(self._disconnect_timeout," in handler, (
        "prospector/fetch/direct.py waits for no connection when it closes: see HTTP11DownloadHandler.close."
    )
    assert "pool=self._pool" in handler, "The handler's _pool is not what its agents use: see HTTP11DownloadHandler."
    assert "self._pool._factory = _LenientHTTP11ClientFactory" in handler, (
        "prospector/fetch/last_look.py extends another factory than Scrapy uses: see HTTP11DownloadHandler.__init__."
    )
    for words in ("self._factory(quiescentCallback", "if self.retryAutomatically"):
        assert words in getting, f"prospector/fetch/last_look.py leans on {words}: see HTTPConnectionPool."
    assert "self.wrappedProtocol.handshakeCompleted()" in source(TLSMemoryBIOProtocol), (
        "prospector/fetch/last_look.py waits for handshakeCompleted: see twisted.protocols.tls."
    )
    assert TLSMemoryBIOFactory.protocol is BufferingTLSTransport
    for method in (_AggregateSmallWrites.flush, TLSMemoryBIOProtocol._unbufferPendingWrites):
        assert callable(method), "prospector/fetch/last_look.py empties the buffers of TLS: see twisted.protocols.tls."
    assert "self._aggregator = _AggregateSmallWrites(" in source(BufferingTLSTransport)


def test_the_resolver_is_installed_the_way_scrapy_installs_one() -> None:
    for method in ("from_crawler", "install_on_reactor"):
        assert callable(getattr(Resolver, method, None)), f"prospector/fetch/resolver.py must have {method}."
    from scrapy import crawler

    assert "install_on_reactor()" in source(crawler), (
        "TWISTED_DNS_RESOLVER is installed differently: see scrapy.crawler.CrawlerProcess."
    )


def test_rules_are_followed_in_one_method_that_we_replace() -> None:
    assert "parse_with_rules" in source(CrawlSpider._parse), (
        "prospector/spiders/domain.py replaces CrawlSpider.parse_with_rules."
    )
    assert list(inspect.signature(CrawlSpider.parse_with_rules).parameters) == [
        "self",
        "response",
        "callback",
        "cb_kwargs",
        "follow",
    ]


def test_a_failed_item_and_a_failed_callback_are_signalled() -> None:
    wrong = source(scraper.Scraper)

    for signal in ("spider_error", "item_error", "item_dropped"):
        assert f"signals.{signal}" in wrong, (
            f"prospector/extensions/second_chance.py waits for {signal}: see scrapy.core.scraper.Scraper."
        )
