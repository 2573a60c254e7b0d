"""Downloader middleware: no page is asked for before its robots.txt is known and allows it."""

from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler

from prospector.core.visits.purpose import Purpose
from prospector.core.web.robots import SKIPPED_ABOVE_SECONDS
from prospector.fetch.failures import DelayTooLong, Disallowed


class RobotsMiddleware:
    """Where robots.txt is not known yet, it is asked for instead, under the same ticket; the page comes back later."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "RobotsMiddleware":
        return cls(crawler)

    def process_request(self, request: Request) -> Request | None:
        if request.meta["purpose"] is Purpose.ROBOTS:
            return None
        spider: Any = self._crawler.spider
        known = spider.robots.known(request.url)
        if known is None:
            instead: Request = spider.robots_request(request)
            return instead
        if known.delay_seconds > SKIPPED_ABOVE_SECONDS:
            raise DelayTooLong(f"robots.txt wants {known.delay_seconds:.0f} s between requests to {request.url}")
        if not known.allows(request.url):
            raise Disallowed(f"robots.txt disallows {request.url}")
        return None
