"""How the simulator reaches a target: names by a map, addresses inside the allowed networks only, redirects hop by hop."""

import asyncio
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from types import TracebackType
from typing import Self
from urllib.parse import urljoin, urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from prospector.demo.scrapingbee.rules import Fetched
from prospector.errors import InputInvalid

MOST_HOPS = 10
MOST_BODY_BYTES = 16 * 1024 * 1024
REDIRECTS = frozenset({301, 302, 303, 307, 308})


class AddressRefused(OSError):
    """An address outside the allowed networks, or a name outside the map."""


class NothingAnswered(Exception):
    """Refused, reset, short, too large or endless: there is no answer to pass on."""


@dataclass(frozen=True)
class Names:
    """`*.test=127.1.0.1:18080,shop.test=127.1.0.2`: the first pattern that fits a host; a port in it replaces the URL's."""

    entries: tuple[tuple[str, str, int | None], ...]
    allowed: tuple[IPv4Network | IPv6Network, ...]

    @classmethod
    def read(cls, resolve: str, allowed_networks: str) -> Self:
        try:
            networks = tuple(ip_network(one.strip()) for one in allowed_networks.split(",") if one.strip())
            return cls(tuple(_entry(one.strip()) for one in resolve.split(",") if one.strip()), networks)
        except ValueError as error:
            raise InputInvalid(
                f"The simulator cannot read its map or its networks: {error}.",
                "Write them as *.test=127.1.0.1:18080 and 127.1.0.0/16.",
            ) from None

    def address(self, host: str, port: int) -> tuple[str, int]:
        host = host.lower().rstrip(".")
        found = next(
            ((ip, own or port) for pattern, ip, own in self.entries if fnmatchcase(host, pattern)), (host, port)
        )
        try:
            inside = any(ip_address(found[0]) in network for network in self.allowed)
        except ValueError:
            inside = False
        if not inside:
            raise AddressRefused(f"{host} is not an address the simulator may connect to")
        return found


class MapResolver(AbstractResolver):
    def __init__(self, names: Names) -> None:
        self._names = names

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        ip, port = self._names.address(host, port)
        family = socket.AF_INET6 if ":" in ip else socket.AF_INET
        return [ResolveResult(hostname=host, host=ip, port=port, family=family, proto=0, flags=socket.AI_NUMERICHOST)]

    async def close(self) -> None:
        pass


class Target:
    def __init__(self, names: Names) -> None:
        self._names = names
        connector = aiohttp.TCPConnector(resolver=MapResolver(names), limit=0, ssl=False, use_dns_cache=False)
        self._session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None),
            max_line_size=65536,
            max_field_size=65536,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()

    def check(self, url: str) -> None:
        """Raises AddressRefused. A literal address never meets the resolver, so every hop is checked here too."""
        parts = urlsplit(url)
        self._names.address(parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80))

    async def fetch(self, url: str, headers: Mapping[str, str], timeout_ms: int) -> Fetched:
        """Raises NothingAnswered, or TimeoutError."""
        try:
            async with asyncio.timeout(timeout_ms / 1000):
                return await self._follow(url, headers)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            if isinstance(error, TimeoutError):
                raise
            raise NothingAnswered(str(error)) from error

    async def _follow(self, url: str, headers: Mapping[str, str]) -> Fetched:
        first_status = 0
        for _ in range(MOST_HOPS):
            self.check(url)
            async with self._session.get(_exact(url), headers=headers, allow_redirects=False) as response:
                first_status = first_status or response.status
                location = response.headers.get("Location")
                if response.status in REDIRECTS and location:
                    url = urljoin(url, location)
                    continue
                received = tuple((name, _clean(value)) for name, value in response.headers.items())
                return Fetched(first_status, response.status, url, received, await _body(response))
        raise NothingAnswered("too many redirects")


async def _body(response: aiohttp.ClientResponse) -> bytes:
    parts: list[bytes] = []
    size_bytes = 0
    async for part in response.content.iter_any():
        size_bytes += len(part)
        if size_bytes > MOST_BODY_BYTES:
            raise NothingAnswered("too large")
        parts.append(part)
    return b"".join(parts)


def _entry(text: str) -> tuple[str, str, int | None]:
    pattern, _, address = text.partition("=")
    ip, colon, port = address.rpartition(":") if address.count(":") == 1 or "]:" in address else (address, "", "")
    ip = ip.strip("[]")
    ip_address(ip)
    return pattern.lower(), ip, int(port) if colon else None


def _exact(url: str) -> URL:
    """The bytes the caller asked for: a normalised URL would be another request than theirs."""
    return URL(url, encoded=url.isascii())


def _clean(value: str) -> str:
    return value.encode("utf-8", "replace").decode()
