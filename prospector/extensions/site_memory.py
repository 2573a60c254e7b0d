"""Scrapy extension: long blocks and slow paces of sites go to the record too, for a frontier that loses everything."""

import asyncio
from datetime import UTC, datetime
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from prospector import logs
from prospector.errors import ServerUnreachable
from prospector.store import sites
from prospector.store.sites import ORDINARY_DELAY_MS, SiteMemory

LOG = logs.named(__name__)
WRITE_SECONDS = 2.0
CLOSE_SECONDS = 0.8  # when the worker ends: what Postgres does not take then, the sites will say again
LONG_BLOCK_MS = 5_000
SLOW_MOST = 20_000  # one beyond stays slow in the record when it becomes fast again


class SiteMemories:
    """What is ordinary is not written, but for a site that was not before."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._task: asyncio.Task[None] | None = None
        self._unwritten: dict[str, SiteMemory] = {}
        self._slow: dict[str, None] = {}  # those that became so last
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "SiteMemories":
        return cls(crawler)

    def spider_opened(self, spider: Any) -> None:
        spider.pump.heard_pace = self.note
        self._task = asyncio.ensure_future(self._write_now_and_then(spider.engine))
        spider.watch(self._task)

    async def spider_closed(self, spider: Any) -> None:
        if self._task:  # the spider may close without having been opened
            self._task.cancel()
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._write(spider.engine)
        except TimeoutError:
            LOG.warning("sites_unwritten")

    def note(self, site: str, delay_ms: int, blocked_ms: int) -> None:
        """`blocked_ms`: the moment until which the site is blocked, 0 if it is not."""
        now = datetime.now(UTC)
        blocked = blocked_ms > now.timestamp() * 1000 + LONG_BLOCK_MS
        if delay_ms <= ORDINARY_DELAY_MS and not blocked and site not in self._slow:
            return
        until = datetime.fromtimestamp(blocked_ms / 1000, UTC) if blocked else None
        self._unwritten[site] = SiteMemory(site, now, delay_ms, until)
        if delay_ms > ORDINARY_DELAY_MS:
            self._slow[site] = None
            if len(self._slow) > SLOW_MOST:
                del self._slow[next(iter(self._slow))]
        else:
            self._slow.pop(site, None)

    async def _write_now_and_then(self, engine: Engine) -> None:
        while True:
            await asyncio.sleep(WRITE_SECONDS)
            await self._write(engine)

    async def _write(self, engine: Engine) -> None:
        batch, self._unwritten = self._unwritten, {}
        if not batch:
            return
        try:
            await asyncio.to_thread(_remember, engine, list(batch.values()))
        except (ServerUnreachable, DBAPIError) as error:
            LOG.error("record_away", sites=len(batch), error=str(error))
            self._unwritten = batch | self._unwritten


def _remember(engine: Engine, memories: list[SiteMemory]) -> None:
    with engine.begin() as connection:
        sites.remember(connection, memories)
