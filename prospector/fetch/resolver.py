"""Names to addresses: by RESOLVE, else by the system in threads of our own. What is not permitted is never handed out.

A connection is made to the very addresses that were judged here, so a name that changes its answer gains nothing.
"""

import asyncio
import socket
import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from scrapy.crawler import Crawler
from scrapy.resolver import HostResolution
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.base import ReactorBase
from twisted.internet.interfaces import IAddress, IHostnameResolver
from zope.interface import implementer

from prospector.core.web.addresses import Address, NameMap, Network, Policy, read_name_map
from prospector.errors import SettingInvalid
from prospector.fetch.failures import NO_SUCH_NAME, AddressRefused, NameUnknown, NoSuchName, is_for_room, no_room

THREADS = 64  # a slow name server keeps a thread for its whole time-out
LOOK_UP_SECONDS = 10
KEPT = 20_000
KEPT_SECONDS = 300
FAILURE_KEPT_SECONDS = 30


@dataclass(frozen=True)
class Answer:
    """`port` 0 keeps the port asked for. Not `exists`: DNS says that there is no such name."""

    addresses: tuple[Address, ...]
    port: int
    until: float
    refused: str = ""
    exists: bool = True


class Names:
    """Looks names up, remembers the answers, and judges them."""

    def __init__(self, policy: Policy, names: NameMap) -> None:
        self.policy = policy
        self._map = names
        self._known: OrderedDict[str, Answer] = OrderedDict()
        self._asked: dict[str, asyncio.Task[Answer]] = {}
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="dns")

    async def find(self, host: str) -> Answer:
        """Raises NameUnknown (NoSuchName where that is sure), AddressRefused, or NoRoom, which is not remembered."""
        answer = self._known.get(host)
        if answer is None or answer.until < time.monotonic():
            if host not in self._asked:
                self._asked[host] = asyncio.ensure_future(self._ask(host))
                self._asked[host].add_done_callback(lambda _: self._asked.pop(host, None))
            answer = await asyncio.shield(self._asked[host])
        if answer.refused:
            raise AddressRefused(f"{host} leads to {answer.refused}, which is not a public address.")
        if not answer.exists:
            raise NoSuchName(f"There is no {host}.")
        if not answer.addresses:
            raise NameUnknown(f"{host} has no address.")
        return answer

    async def _ask(self, host: str) -> Answer:
        mapped = self._map.find(host)
        exists = True
        found: list[Address] = []
        try:
            found = [ip_address(mapped.address)] if mapped else await self._look_up(host)
        except NoSuchName:
            exists = False
        permitted = tuple(address for address in found if self.policy.permits(address))
        refused = str(found[0]) if found and not permitted else ""
        kept = KEPT_SECONDS if permitted else FAILURE_KEPT_SECONDS
        answer = Answer(permitted, mapped.port if mapped else 0, time.monotonic() + kept, refused, exists)
        self._known[host] = answer
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
        return answer

    async def _look_up(self, host: str) -> list[Address]:
        loop = asyncio.get_running_loop()
        try:
            return [ip_address(host.strip("[]"))]
        except ValueError:
            pass
        try:
            async with asyncio.timeout(LOOK_UP_SECONDS):
                raw = await loop.run_in_executor(self._threads, _system, host)
        except (OSError, UnicodeError, TimeoutError) as error:
            if isinstance(error, OSError) and is_for_room(error):
                raise await no_room(f"{host} was not looked up: {error}.") from error
            if isinstance(error, socket.gaierror) and error.errno in NO_SUCH_NAME:
                raise NoSuchName(f"There is no {host}.") from error
            return []
        return list(dict.fromkeys(ip_address(one[4][0].partition("%")[0]) for one in raw))


def _system(host: str) -> Any:
    return socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)


def names_by(allowed_networks: Iterable[Network], resolve: Sequence[str]) -> Names:
    """As a deployment's ALLOWED_NETWORKS and RESOLVE have it."""
    try:
        names = read_name_map(resolve)
    except ValueError as error:
        raise SettingInvalid(
            f"RESOLVE has a part that is none: {error}.",
            "Write NAME=ADDRESS or NAME=ADDRESS:PORT, as *.test=10.0.0.7:8080.",
        ) from None
    return Names(Policy(tuple(allowed_networks)), names)


@implementer(IHostnameResolver)
class Resolver:
    """Scrapy's TWISTED_DNS_RESOLVER: the reactor connects to what `Names` permits, and to nothing else."""

    def __init__(self, reactor: ReactorBase, names: Names) -> None:
        self._reactor = reactor
        self.names = names

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: ReactorBase) -> "Resolver":
        return cls(reactor, names_by(crawler.settings["ALLOWED_NETWORKS"], crawler.settings["RESOLVE"]))

    def install_on_reactor(self) -> None:
        self._reactor.installNameResolver(self)  # type: ignore[arg-type]  # zope's interfaces say nothing to mypy

    def resolveHostName(  # noqa: N802  # Twisted's name
        self,
        resolutionReceiver: Any,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[type[IAddress]] | None = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> HostResolution:
        resolution = HostResolution(hostName)
        resolutionReceiver.resolutionBegan(resolution)

        def finish(task: "asyncio.Task[Answer]") -> None:
            if not task.cancelled() and task.exception() is None:
                answer = task.result()
                for one in answer.addresses:
                    kind = IPv6Address if one.version == 6 else IPv4Address
                    resolutionReceiver.addressResolved(kind("TCP", str(one), answer.port or portNumber))
            resolutionReceiver.resolutionComplete()

        asyncio.ensure_future(self.names.find(hostName)).add_done_callback(finish)
        return resolution
