"""The download handler of the crawl: each request goes out by its own method, directly or by a paid call.

Whichever it is, the request is the target's: its site is the unit of politeness, of robots.txt and of fingerprints.
"""

from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from prospector.core.visits.evidence import Evidence
from prospector.core.visits.methods import Method
from prospector.fetch.direct import STRAINED, DirectHandler, is_admitted, names, wait_asked_ms
from prospector.fetch.failures import FetchFailed, NotSent, Stopped
from prospector.fetch.flights import Flights
from prospector.fetch.paid import CHARGED_CREDITS, PaidCallFailed
from prospector.fetch.passage import PaidPassage
from prospector.fetch.scrapingbee import ScrapingBee

METHOD = "method"  # in a request's meta
STRAINING = frozenset({Evidence.TIMED_OUT, Evidence.SHORT_BODY})  # of the site, as ScrapingBee met it


class ByMethod:
    """For http and https."""

    lazy = False

    def __init__(self, crawler: Crawler) -> None:
        self._direct = DirectHandler(crawler)
        self._paid = ScrapingBee.from_settings(crawler.settings, _check)
        self._flights = Flights(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "ByMethod":
        return cls(crawler)

    async def download_request(self, request: Request) -> Response:
        if request.meta[METHOD] is Method.DIRECT:
            return await self._direct.download_request(request)
        passage: PaidPassage = request.meta["passage"]
        try:
            await self._prepare(request, passage)
        except FetchFailed:
            passage.spared()
            raise
        # what is cut off may be charged all the same: its reservation stays
        return await self._flights.until_stopped(self._pay(request, passage), Stopped(f"{request.url} was cut off."))

    async def close(self) -> None:
        await self._direct.close()
        await self._paid.close()

    async def _prepare(self, request: Request, passage: PaidPassage) -> None:
        """Nothing is paid for unless this ends well."""
        not_sent = NotSent(f"{request.url} was not sent.")
        if not await self._flights.until_stopped(is_admitted(request, passage), not_sent):
            raise not_sent
        if not await self._flights.until_stopped(passage.reserved(), not_sent) or self._flights.are_over:
            raise not_sent

    async def _pay(self, request: Request, passage: PaidPassage) -> Response:
        strained, wait_ms = False, 0
        try:
            response = await self._paid.download_request(request)
            strained, wait_ms = response.status in STRAINED, wait_asked_ms(response)
            passage.charged(request.meta[CHARGED_CREDITS])
        except FetchFailed:  # its address was refused at the last moment, or there was no room for a connection
            passage.spared()
            raise
        except PaidCallFailed as failure:
            strained = failure.evidence in STRAINING
            raise await passage.failed(failure) from failure
        finally:
            # how long it took says nothing of the site
            passage.ended(0, strained=strained, retry_after_ms=wait_ms)
        return response


async def _check(url: str) -> None:
    """Raises where the target's address is not public: a provider is asked for nothing that we would not ask for."""
    await names().find(urlsplit(url).hostname or "")
