"""Scrapy's SCHEDULER: scrapy-redis' scheduler over the frontier.

Nothing here waits: the pump talks to Redis in the background, `next_request` pops what it has delivered, and the engine is
woken when there is more.
"""

import asyncio
import os
import socket
import time
import uuid
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings
from scrapy.utils.defer import deferred_from_coro
from scrapy_redis.scheduler import Scheduler as RedisScheduler
from twisted.internet.defer import Deferred

from prospector import logs
from prospector.core.system.signals import STOP_FETCHING
from prospector.core.visits.methods import PRICE_CREDITS
from prospector.core.visits.ticket import Ticket, Verdict
from prospector.errors import ProspectorError
from prospector.frontier import calls, codec
from prospector.frontier.calls import Terms
from prospector.frontier.client import AsyncFrontier
from prospector.frontier.dupefilter import FrontierDupeFilter
from prospector.frontier.pump import Pump
from prospector.frontier.queue import FrontierQueue

LOG = logs.named(__name__)

LOOK_SECONDS = 0.2
GRACE_SECONDS = 7.5  # for what is in flight when the worker is asked to stop
FLUSH_SECONDS = 0.8
RESULTS_MOST = 100  # pages read but not yet committed: above this a worker claims nothing


class Scheduler(RedisScheduler):  # type: ignore[misc]  # scrapy-redis has no types
    queue: FrontierQueue

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> "Scheduler":
        """The frontier is never cleared by a worker, whatever SCHEDULER_PERSIST says."""
        return cls(
            server=None,
            persist=True,
            queue_cls=settings["SCHEDULER_QUEUE_CLASS"],
            dupefilter=FrontierDupeFilter(server=None, key=""),
            serializer=codec,
        )

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Scheduler":
        scheduler = cls.from_settings(crawler.settings)
        scheduler.stats = crawler.stats
        scheduler.crawler = crawler
        return scheduler

    def open(self, spider: Spider) -> None:
        settings = self.crawler.settings
        self._idle_seconds = settings.getint("WORKER_IDLE_SECONDS")
        self._flying_most = settings.getint("CONCURRENT_REQUESTS")
        self._busy_at = time.monotonic()
        self._is_stopping = False
        self._watching: asyncio.Task[None] | None = None
        self.pump = spider.pump = Pump(  # type: ignore[attr-defined]  # where middlewares and pipelines find it
            AsyncFrontier(settings["REDIS_URL"]),
            worker_name(settings["NODE_NAME"], getattr(spider, "_job", None)),
            Terms(
                delay_ms=settings.getint("DELAY_MS"),
                open_domains_per_worker=settings.getint("OPEN_DOMAINS_PER_WORKER"),
                paid_most=settings.getint("SCRAPINGBEE_CONCURRENCY"),
                prices=tuple((str(method), price) for method, price in PRICE_CREDITS.items()),
                lease_ms=settings.getint("LEASE_SECONDS") * 1000,
                only_job=getattr(spider, "only_job", ""),
            ),
            room=self._room,
            deliver=self._deliver,
            about=self._about,
            broken=self._broken,
        )
        super().open(spider)
        self.pump.take_back = self.queue.give_back
        self.pump.start()
        self.crawler.signals.connect(self._engine_started, signals.engine_started)

    def _engine_started(self) -> None:
        self._watching = asyncio.ensure_future(self._watch())

    async def _watch(self) -> None:
        """Scrapy tells nobody that it begins to stop, and where Redis is away the pump asks for no room."""
        await asyncio.sleep(LOOK_SECONDS)  # first: the engine runs only after it has said that it started
        while self.crawler.engine.running:
            await asyncio.sleep(LOOK_SECONDS)
        self._begin_to_stop()

    def next_request(self) -> Request | None:
        request = self.queue.pop()
        if request is not None:
            self._busy_at = time.monotonic()
        return request

    def enqueue_request(self, request: Request) -> bool:
        """A request that replaces another under the same ticket, before anything was sent, goes first."""
        ticket = request.meta.get("ticket")
        if ticket is not None:
            self.queue.put_first(request)
        else:
            self.queue.push(request)
        return True

    def has_pending_requests(self) -> bool:
        """A worker with nothing to do, now or soon, stays for a while: the next job should find one."""
        next_work = self.pump.next_work_seconds
        if self.pump.hands or (next_work is not None and next_work < self._idle_seconds):
            return True
        idle: bool = time.monotonic() - self._busy_at >= self._idle_seconds
        return not idle

    def close(self, reason: str) -> Deferred[Any]:
        return deferred_from_coro(self._close())

    async def _close(self) -> None:
        if self._watching:  # the spider may close before the engine has started
            self._watching.cancel()
        self._cut_off()
        if not await self.pump.stop(FLUSH_SECONDS):
            LOG.warning("frontier_not_told", worker=self.pump.worker, leases=len(self.pump.hands))

    def _room(self) -> int:
        if not self.crawler.engine.running:
            self._begin_to_stop()
            return 0
        uncommitted = self.spider.uncommitted
        fetching = len(self.pump.hands) - uncommitted
        room: int = min(self._flying_most - fetching, RESULTS_MOST - uncommitted)
        return room

    def _deliver(self, tickets: list[Ticket]) -> None:
        self.spider.prepare(tickets, self._queue_prepared)

    def _queue_prepared(self, tickets: list[Ticket]) -> None:
        self.queue.deliver(tickets)
        slot = self.crawler.engine._slot  # noqa: SLF001  # tests/crawl/test_contract.py watches it
        if slot is not None:
            slot.nextcall.schedule()

    def _about(self) -> dict[str, str | int]:
        return {"pid": os.getpid(), "flying": len(self.pump.hands), **self.spider.about()}

    def _broken(self, error: BaseException) -> None:
        """A worker that cannot talk to the frontier any more is of no use to anybody."""
        if isinstance(error, ProspectorError):
            LOG.error("worker_refused", worker=self.pump.worker, error=str(error))
        else:
            LOG.error("pump_broken", worker=self.pump.worker, error=logs.in_full(error))
        self._begin_to_stop()  # what waits for its answer would wait for ever
        deferred_from_coro(self.crawler.engine.close_spider_async(reason="frontier_refused"))

    def _begin_to_stop(self) -> None:
        """Gives back at once what was not sent; what is in flight has a while to end, then it is cut off and given back.

        A paid call is not cut off and not given back: what it costs is not known, so its lease runs out instead.
        """
        if self._is_stopping:
            return
        self._is_stopping = True
        self.pump.drain()
        self.queue.give_back()
        asyncio.get_running_loop().call_later(GRACE_SECONDS, self._cut_off)

    def _cut_off(self) -> None:
        for ticket in list(self.pump.hands.values()):
            if ticket.price == 0:
                self.pump.settle(ticket, calls.settle(ticket.lease, Verdict.AGAIN, state=ticket.state))
        self.crawler.signals.send_catch_log(STOP_FETCHING)


def worker_name(node: str | None, run: str | None) -> str:
    """node/worker: what comes before the slash tells which workers share a machine. `run` is its id in Scrapyd."""
    return f"{node or socket.gethostname()}/{run or 'worker-' + uuid.uuid4().hex[:6]}"
