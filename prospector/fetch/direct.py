"""Plain HTTP: Scrapy's own handler, which sends only with leave, connects only where it may, and says when it is over."""

import time
from datetime import UTC, datetime
from typing import Any

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadCancelledError, DownloadConnectionRefusedError, DownloadFailedError
from scrapy.http import Response
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.error import ConnectError

from prospector.core.visits.retry_after import retry_after_ms
from prospector.fetch.certificates import is_bad
from prospector.fetch.failures import NO_ROOM, NotSent, Stopped, no_room
from prospector.fetch.flights import Flights
from prospector.fetch.last_look import LEAVE, LastLookPool, Leave
from prospector.fetch.passage import Passage
from prospector.fetch.resolver import Names, Resolver

# answers of a site that has trouble, or is asked too often
STRAINED = frozenset({429, 500, 502, 503, 504})


class DirectHandler(HTTP11DownloadHandler):
    """For http and https. A request without a passage is not sent: nothing leaves this machine without the frontier."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        from twisted.internet import reactor

        kept = self._pool.maxPersistentPerHost
        self._pool = LastLookPool(reactor)  # type: ignore[no-untyped-call]  # Twisted says no types here
        self._pool.maxPersistentPerHost = kept
        self._flights = Flights(crawler)

    async def close(self) -> None:
        """Waits for no connection. Scrapy's waits for a second, and raises where that is over as the last connection ends."""
        self._pool.closeCachedConnections()

    async def download_request(self, request: Request) -> Response:
        passage: Passage = request.meta["passage"]
        not_sent = NotSent(f"{request.url} was not sent.")
        if not await self._flights.until_stopped(is_admitted(request, passage), not_sent) or not passage.may_send():
            raise not_sent
        began = time.monotonic()
        strained, wait_ms = True, 0
        leave = Leave(passage)
        LEAVE.set(leave)
        try:
            response = await self._flights.until_stopped(
                self._fly(request, leave), Stopped(f"{request.url} was cut off.")
            )
            strained, wait_ms = response.status in STRAINED, wait_asked_ms(response)
        except (DownloadConnectionRefusedError, DownloadCancelledError):
            strained = False  # nobody is there to be strained, or it was ours to end: too large
            raise
        except DownloadFailedError as error:
            if leave.refused:
                raise NotSent(f"{request.url} was not sent.") from error
            strained = not (request.meta["ticket"].opening and urlparse_cached(request).scheme == "https")
            raise  # a site without TLS resets the first try to open it
        else:
            if response.certificate is not None:
                request.meta["bad_certificate"] = is_bad(response.certificate, urlparse_cached(request).hostname or "")
            return response
        finally:
            if not leave.refused:
                passage.ended(int((time.monotonic() - began) * 1000), strained=strained, retry_after_ms=wait_ms)

    async def _fly(self, request: Request, leave: Leave) -> Response:
        try:
            return await super().download_request(request)
        except ConnectError as error:
            if error.osError not in NO_ROOM:
                raise
            leave.refused = True
            raise await no_room(f"{request.url} was not sent: {error}.") from error


async def is_admitted(request: Request, passage: Passage) -> bool:
    answer = await names().find(urlparse_cached(request).hostname or "")
    address = answer.addresses[0]
    return await passage.admit(str(address), limited=not names().policy.is_allowed(address))


def wait_asked_ms(response: Response) -> int:
    raw = response.headers.get("Retry-After")
    return retry_after_ms(raw.decode("latin-1"), datetime.now(UTC)) if raw else 0


def names() -> Names:
    """The reactor's own: what is found here is what it connects to."""
    from twisted.internet import reactor

    resolver: Any = reactor.nameResolver
    assert isinstance(resolver, Resolver), "TWISTED_DNS_RESOLVER is not ours: addresses would not be checked"
    return resolver.names
