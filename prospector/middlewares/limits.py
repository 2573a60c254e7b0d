"""Downloader middleware: what is not a page is cut off at its headers, before its body costs anything."""

from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import StopDownload
from scrapy.http import Headers

from prospector.core.visits.answers import is_file
from prospector.core.visits.purpose import Purpose

CUT_OFF = "cut off at its headers"


class LimitsMiddleware:
    """Sizes and times are Scrapy's own settings: DOWNLOAD_MAXSIZE, DOWNLOAD_TIMEOUT."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "LimitsMiddleware":
        made = cls()
        crawler.signals.connect(made.headers_received, signals.headers_received)
        return made

    def headers_received(self, headers: Headers, request: Request, **_: Any) -> None:
        if request.meta.get("purpose") is not Purpose.PAGE:
            return
        if is_file((headers.get("Content-Type") or b"").decode("latin-1")):
            request.meta["cut_off"] = CUT_OFF
            raise StopDownload(fail=False)
