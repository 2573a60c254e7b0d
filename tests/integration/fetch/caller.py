"""A process with Scrapy's reactor that makes paid calls: one JSON line in, one out. Not a test."""

import asyncio
import json
import sys
from contextlib import nullcontext
from functools import cache
from typing import Any

from scrapy.utils.reactor import install_reactor
from without_files import without_files

install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")

from scrapy import Request  # noqa: E402
from twisted.internet import reactor  # noqa: E402

from prospector.core.visits.methods import PRICE_CREDITS, Method  # noqa: E402
from prospector.core.visits.ticket import PageState, Ticket  # noqa: E402
from prospector.fetch import scrapingbee  # noqa: E402
from prospector.fetch.failures import NotSent  # noqa: E402
from prospector.fetch.paid import CHARGED_CREDITS, PaidCallFailed  # noqa: E402
from prospector.fetch.scrapingbee import ScrapingBee  # noqa: E402


class AddressRefused(Exception):
    pass


class Passage:
    """`leaves`: how many times it may be asked before its leave has run out."""

    def __init__(self, leaves: int) -> None:
        self._leaves = leaves

    def may_send(self) -> bool:
        self._leaves -= 1
        return self._leaves >= 0


async def check(url: str) -> None:
    if "private" in url:
        raise AddressRefused


def ticket(url: str, method: Method) -> Ticket:
    return Ticket("1.1", "job_a1", "a.test", 1, 1, "a.test", url, PageState(method), PRICE_CREDITS[method])


@cache
def made(api_url: str, key: str | None, most_bytes: int) -> ScrapingBee:
    """One for many calls, as in a worker."""
    return ScrapingBee(api_url, lambda: key, check, most_bytes)


async def call(wish: dict[str, Any]) -> dict[str, Any]:
    scrapingbee.ANSWER_SECONDS = wish.get("answer_seconds", scrapingbee.ANSWER_SECONDS)
    handler = made(wish["api_url"], wish["key"], wish.get("most_bytes", 10_000_000))
    meta = {"ticket": ticket(wish["url"], Method(wish["method"])), "passage": Passage(wish.get("leaves", 1))}
    request = Request(wish["url"], meta=meta)
    told: dict[str, Any] = {}
    try:
        with without_files() if wish.get("without_files") else nullcontext():
            response = await handler.download_request(request)
    except (PaidCallFailed, AddressRefused, NotSent) as error:
        told |= {"error": type(error).__name__, "words": str(error), "evidence": getattr(error, "evidence", None)}
        told["allowed"] = getattr(error, "allowed_concurrency", None)
    else:
        told |= {"url": response.url, "status": response.status, "body": response.body.decode("latin-1")}
        told["headers"] = {name.decode().lower(): values[0].decode() for name, values in response.headers.items()}
        told["kind"] = type(response).__name__
    return told | {"charged": request.meta.get(CHARGED_CREDITS, "not in meta")}


async def serve() -> None:
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        answers = await asyncio.gather(*(call(wish) for wish in json.loads(line)))
        sys.stdout.write(json.dumps(answers) + "\n")
        sys.stdout.flush()
    reactor.stop()  # type: ignore[attr-defined]


reactor.callWhenRunning(lambda: asyncio.ensure_future(serve()))  # type: ignore[attr-defined]
reactor.run()  # type: ignore[attr-defined]
