"""Scrapy extension: a worker that has grown too large ends in good order, before a kernel or a container ends it otherwise.

It gives back what it has not sent and finishes what is in flight; the steward starts another in its place.
"""

import asyncio
import resource
import sys
from pathlib import Path
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler

from prospector import logs

LOG = logs.named(__name__)
LOOK_SECONDS = 5.0
MEGABYTE = 1_000_000
PAGES = Path("/proc/self/statm")


class MemoryLimit:
    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._task: asyncio.Task[None] | None = None
        self._limit_mb = crawler.settings.getint("WORKER_MEMORY_MB")
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "MemoryLimit":
        return cls(crawler)

    def spider_opened(self, spider: Any) -> None:
        self._task = asyncio.ensure_future(self._watch())
        spider.watch(self._task)

    def spider_closed(self) -> None:
        if self._task:  # the spider may close without having been opened
            self._task.cancel()

    async def _watch(self) -> None:
        memory_mb = 0
        while memory_mb < self._limit_mb:
            await asyncio.sleep(LOOK_SECONDS)  # first: an engine that does not run yet hears nothing
            memory_mb = resident_mb()
        LOG.warning("worker_drains", memory_mb=memory_mb, limit_mb=self._limit_mb)
        self._stopping = asyncio.ensure_future(self._crawler.stop_async())


def resident_mb() -> int:
    """Of this process now; its peak where the system does not say (macOS)."""
    if PAGES.exists():
        return int(PAGES.read_text(encoding="ascii").split()[1]) * resource.getpagesize() // MEGABYTE
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // MEGABYTE if sys.platform == "darwin" else peak * 1024 // MEGABYTE
