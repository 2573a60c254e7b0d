"""One page, asked for once and politely: for `prospector explain`. A crawl fetches through Scrapy."""

import http.client
import socket
import ssl
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address
from urllib.parse import urlsplit

import ada_url
from protego import Protego

from prospector import __version__
from prospector.errors import InputInvalid, ProspectorError

ROBOT = "BacklinkProspector"
HEADERS = {
    "User-Agent": f"Mozilla/5.0 (compatible; {ROBOT}/{__version__})",
    "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5",
    "Accept-Encoding": "gzip",
    "Connection": "close",
}
BODY_BYTES_AT_MOST = 10 * 1024 * 1024
ROBOTS_BYTES_AT_MOST = 500 * 1024
CHUNK_BYTES = 64 * 1024
SECONDS_IN_ALL = 30
CONNECT_SECONDS = 10
REDIRECTS_AT_MOST = 5
REDIRECTS = frozenset([301, 302, 303, 307, 308])

Networks = Sequence[IPv4Network | IPv6Network]


@dataclass(frozen=True)
class Fetched:
    """`url` is where the last redirect led."""

    url: str
    status: int
    content_type: str
    body: bytes


def fetch(url: str, allowed_networks: Networks = ()) -> Fetched:
    """Only http and https, only public addresses or `allowed_networks`, only what robots.txt allows; every hop anew."""
    deadline = time.monotonic() + SECONDS_IN_ALL
    for _ in range(REDIRECTS_AT_MOST + 1):
        url = _valid(url)
        _ask_robots(url, allowed_networks, deadline)
        fetched, location = _get(url, allowed_networks, deadline, BODY_BYTES_AT_MOST)
        if not location:
            return fetched
        url = ada_url.join_url(url, location)
    raise ProspectorError(f"{url}: more than {REDIRECTS_AT_MOST} redirects.", "Name the page they lead to.")


def _valid(url: str) -> str:
    try:
        valid = ada_url.URL(url)
    except ValueError:
        raise InputInvalid(f"{url!r} is not an address.", "Write it as https://example.com/page.") from None
    if valid.protocol not in ("http:", "https:"):
        raise InputInvalid(f"{url}: only http and https are read.", "Save the page and name the file.")
    return valid.href


def _ask_robots(url: str, allowed_networks: Networks, deadline: float) -> None:
    robots_url = ada_url.join_url(url, "/robots.txt")
    for _ in range(REDIRECTS_AT_MOST + 1):
        fetched, location = _get(robots_url, allowed_networks, deadline, ROBOTS_BYTES_AT_MOST)
        if not location:
            break
        robots_url = _valid(ada_url.join_url(robots_url, location))
    if fetched.status >= 500 or fetched.status == 429:
        raise ProspectorError(
            f"{robots_url} answered {fetched.status}, so it is not known what may be read there.",
            "Try again later, or save the page and name the file.",
        )
    if fetched.status >= 400:
        return
    if not Protego.parse(fetched.body.decode("utf-8", "replace")).can_fetch(url, ROBOT):
        raise ProspectorError(
            f"{url}: robots.txt does not allow {ROBOT} to read it.", "Open it in a browser, save it, and name the file."
        )


def _get(url: str, allowed_networks: Networks, deadline: float, bytes_at_most: int) -> tuple[Fetched, str]:
    """The answer, and where it redirects to, if it does."""
    parts = urlsplit(url)
    connection = _Connection(parts.hostname or "", parts.port, parts.scheme == "https", allowed_networks, deadline)
    try:
        target = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
        connection.request("GET", target, headers=HEADERS)
        answer = connection.getresponse()
        location = answer.getheader("Location") or "" if answer.status in REDIRECTS else ""
        body = b"" if location else _body(answer, deadline, bytes_at_most)
        return Fetched(url, answer.status, answer.getheader("Content-Type") or "", body), location
    except (OSError, http.client.HTTPException, zlib.error) as error:
        raise ProspectorError(
            f"{url} could not be read: {error or type(error).__name__}.",
            "Check the address, or save the page and name the file.",
        ) from error
    finally:
        connection.close()


def _body(answer: http.client.HTTPResponse, deadline: float, bytes_at_most: int) -> bytes:
    packed = (answer.getheader("Content-Encoding") or "").strip().lower() in ("gzip", "x-gzip")
    unpack = zlib.decompressobj(zlib.MAX_WBITS | 16) if packed else None
    body = b""
    while len(body) < bytes_at_most and (chunk := answer.read1(CHUNK_BYTES)):
        if time.monotonic() > deadline:
            raise TimeoutError(f"not complete after {SECONDS_IN_ALL} s")
        body += unpack.decompress(chunk, bytes_at_most) if unpack else chunk
    return body[:bytes_at_most]


class _Connection(http.client.HTTPConnection):
    """Connects to the very address that was checked."""

    def __init__(self, host: str, port: int | None, secure: bool, allowed_networks: Networks, deadline: float) -> None:
        super().__init__(host, port or (443 if secure else 80), timeout=CONNECT_SECONDS)
        self.secure = secure
        self.allowed_networks = allowed_networks
        self.deadline = deadline

    def connect(self) -> None:
        self.sock = socket.create_connection((self._address(), self.port), CONNECT_SECONDS)
        self.sock.settimeout(max(1.0, self.deadline - time.monotonic()))
        if self.secure:
            self.sock = _without_verification().wrap_socket(self.sock, server_hostname=self.host)

    def _address(self) -> str:
        host = self.host.strip("[]")
        addresses = [str(one[4][0]) for one in socket.getaddrinfo(host, self.port, type=socket.SOCK_STREAM)]
        for address in addresses:
            if self._is_open(address):
                return address
        raise InputInvalid(
            f"{self.host} leads to {', '.join(dict.fromkeys(addresses))}, which is not a public address.",
            "To read it all the same, name its network in ALLOWED_NETWORKS.",
        )

    def _is_open(self, address: str) -> bool:
        ip = ip_address(address.partition("%")[0])
        mapped = getattr(ip, "ipv4_mapped", None)
        ip = mapped or ip
        return (ip.is_global and not ip.is_multicast) or any(ip in network for network in self.allowed_networks)


def _without_verification() -> ssl.SSLContext:
    """A page is read like a crawl reads it, which notes a wrong certificate and goes on."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
