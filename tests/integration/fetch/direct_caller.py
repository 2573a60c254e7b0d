"""A process with Scrapy's reactor that fetches directly: one JSON line of wishes in, one of answers out. Not a test.

`names` says what the system answers for a name, one list of addresses a look-up; the last one stays.
"""

import asyncio
import json
import socket
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from ipaddress import ip_network
from pathlib import Path
from typing import Any

from scrapy.utils.reactor import install_reactor
from without_files import without_files

install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")

from scrapy import Request, Spider  # noqa: E402
from scrapy.crawler import Crawler  # noqa: E402
from scrapy.settings import Settings  # noqa: E402
from scrapy.utils.project import get_project_settings  # noqa: E402
from twisted.internet import reactor  # noqa: E402
from twisted.python.failure import Failure  # noqa: E402

from prospector.core.system.signals import STOP_FETCHING  # noqa: E402
from prospector.core.web.addresses import Policy, read_name_map  # noqa: E402
from prospector.fetch import last_look, resolver  # noqa: E402
from prospector.fetch.direct import DirectHandler  # noqa: E402
from prospector.fetch.resolver import Names, Resolver  # noqa: E402
from prospector.spiders.symptoms import evidence_of_failure  # noqa: E402

WISH: dict[str, Any] = json.loads(sys.stdin.readline())
LOOKED_UP: dict[str, int] = {}


def look_up(host: str) -> Any:
    if WISH.get("system_names"):
        return socket.getaddrinfo(host, 0, socket.AF_INET, socket.SOCK_STREAM)
    answers = WISH.get("names", {}).get(host)
    if answers is None:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")
    place = LOOKED_UP[host] = LOOKED_UP.get(host, -1) + 1
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, 0)) for one in answers[min(place, len(answers) - 1)]]


class Passage:
    """`leaves`: how many times it may be asked before its leave has run out; after the last one the process sleeps
    until `sign` is there. `stop`: leave for the address is never given, for the worker ends."""

    def __init__(self, *, wait: int, leaves: int, sign: str | None, stop: Callable[[], object] | None) -> None:
        self.told: dict[str, Any] = {}
        self._wait, self._leaves, self._sign, self._stop = wait, leaves, sign, stop

    def may_send(self) -> bool:
        self._leaves -= 1
        if self._sign and self._leaves == 0:
            asyncio.get_running_loop().call_soon(self._sleep, Path(self._sign))
        return self._leaves >= 0

    def _sleep(self, sign: Path) -> None:
        until = time.monotonic() + 30
        while not sign.exists() and time.monotonic() < until:
            time.sleep(0.01)
        self.told["signed"] = sign.exists()

    async def admit(self, address: str, *, limited: bool) -> bool:
        self.told |= {"address": address, "limited": limited}
        if self._stop:
            asyncio.get_running_loop().call_soon(self._stop)
            await asyncio.Event().wait()
        return not self._wait

    def ended(self, latency_ms: int, *, strained: bool, retry_after_ms: int) -> None:
        self.told |= {"strained": strained, "retry_after_ms": retry_after_ms}


async def fetched(crawler: Crawler, handler: DirectHandler, wish: dict[str, Any]) -> dict[str, Any]:
    stop = wish.get("stop") and (lambda: crawler.signals.send_catch_log(STOP_FETCHING))
    wait, leaves, sign = wish.get("wait", 0), wish.get("leaves", 1_000), wish.get("sign")
    passage = Passage(wait=wait, leaves=leaves, sign=sign, stop=stop)
    meta = {"passage": passage, "download_timeout": wish.get("seconds", 30)}
    request = Request(wish["url"], headers={"User-Agent": "test"}, meta=meta)
    try:
        with without_files() if wish.get("without_files") else nullcontext():
            response = await handler.download_request(request)
    except Exception as error:  # noqa: BLE001  # whatever it is, the test says what it should be
        evidence = evidence_of_failure(Failure(error))
        return {"error": type(error).__name__, "evidence": evidence, **passage.told}
    told = {"status": response.status, "body": response.body.decode("latin-1"), "ip": str(response.ip_address)}
    return told | passage.told | {"bad_certificate": request.meta.get("bad_certificate")}


async def serve() -> None:
    resolver._system = look_up
    last_look.CONNECT_SECONDS = WISH.get("connect_seconds", last_look.CONNECT_SECONDS)
    resolver.KEPT_SECONDS = WISH.get("kept_seconds", resolver.KEPT_SECONDS)
    policy = Policy(tuple(ip_network(one) for one in WISH.get("allowed", ())))
    Resolver(reactor, Names(policy, read_name_map(WISH.get("resolve", ())))).install_on_reactor()  # type: ignore[arg-type]
    settings = Settings(get_project_settings().copy_to_dict() | WISH.get("settings", {}))
    crawler = Crawler(Spider, settings)
    handler = DirectHandler(crawler)
    if WISH.get("at_once"):
        answers = await asyncio.gather(*(fetched(crawler, handler, wish) for wish in WISH["fetches"]))
    else:
        answers = [await fetched(crawler, handler, wish) for wish in WISH["fetches"]]
    sys.stdout.write(json.dumps(answers) + "\n")
    sys.stdout.flush()
    if WISH.get("stands_still"):
        asyncio.get_running_loop().call_soon(time.sleep, 0.1)  # while it closes: what is due is then due at once
    await handler.close()
    await asyncio.sleep(0.05)
    reactor.stop()  # type: ignore[attr-defined]


reactor.callWhenRunning(lambda: asyncio.ensure_future(serve()))  # type: ignore[attr-defined]
reactor.run()  # type: ignore[attr-defined]
