"""Scrapy extension: a page whose callback or pipeline failed is tried again, and fails as a page when it does so again."""

from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from twisted.python.failure import Failure

from prospector.core.visits.ticket import Ticket
from prospector.items import PageItem


class SecondChance:
    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        crawler.signals.connect(self.spider_error, signals.spider_error)
        crawler.signals.connect(self.item_error, signals.item_error)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "SecondChance":
        return cls(crawler)

    def spider_error(self, failure: Failure, response: Any) -> None:
        request = getattr(response, "request", None)
        if request is not None and "ticket" in request.meta:
            self._again(request.meta["ticket"], failure)

    def item_error(self, item: PageItem, failure: Failure) -> None:
        spider: Any = self._crawler.spider
        spider.uncommitted -= 1
        self._again(item.ticket, failure)

    def _again(self, ticket: Ticket, failure: Failure) -> None:
        spider: Any = self._crawler.spider
        spider.defect(ticket, failure)
