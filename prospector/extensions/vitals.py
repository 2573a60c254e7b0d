"""Scrapy extension: what a worker's beats tell of it, for `system workers`, the alerts and /metrics."""

import time
from collections import deque
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler

from prospector.core.system import latency
from prospector.core.visits.ticket import Verdict
from prospector.extensions.memory_limit import resident_mb
from prospector.items import PageItem

RATE_SECONDS = 60.0


class Vitals:
    """Counts since the worker began; the rate is of its last minute."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._pages = 0
        self._failed = 0
        self._told: deque[tuple[float, int]] = deque([(time.monotonic(), 0)])
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.item_scraped, signals.item_scraped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Vitals":
        return cls(crawler)

    def spider_opened(self, spider: Any) -> None:
        spider.vitals = self.told

    def item_scraped(self, item: PageItem) -> None:
        self._pages += 1
        self._failed += item.conclusion.verdict is Verdict.FAILED

    def told(self) -> dict[str, str | int]:
        spider: Any = self._crawler.spider
        return {
            "pages": self._pages,
            "failed": self._failed,
            "rate": f"{self._rate():.2f}",
            "memory_mb": resident_mb(),
            "domains": len({(ticket.job, ticket.domain) for ticket in spider.pump.hands.values()}),
            "writes": latency.written(spider.writes.counts),
            "writing_ms": spider.writes.under_way_ms(time.monotonic()),
        }

    def _rate(self) -> float:
        now = time.monotonic()
        self._told.append((now, self._pages))
        while now - self._told[0][0] > RATE_SECONDS and len(self._told) > 2:  # one to compare with
            self._told.popleft()
        (began, before), (ended, after) = self._told[0], self._told[-1]
        return (after - before) / max(ended - began, 1.0)
