"""One page, asked for as a crawl asks for it: for `prospector explain`. A crawl fetches through Scrapy."""

import asyncio
import http.client
import socket
import ssl
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from prospector.core.visits.answers import cookies_of
from prospector.core.visits.identity import CRAWLER, identity
from prospector.core.visits.robots_visit import authority
from prospector.core.web import robots
from prospector.core.web.hops import MOST_HOPS
from prospector.core.web.robots import SKIPPED_ABOVE_SECONDS, Robots, Stance
from prospector.core.web.sites import site_of
from prospector.core.web.urls import UrlInvalid, resolve
from prospector.errors import InputInvalid, ProspectorError
from prospector.fetch.failures import AddressRefused, NameUnknown
from prospector.fetch.resolver import Answer, Names

JOB = "explain"  # by which one of the identities is chosen
TRANSFER = {"Accept-Encoding": "gzip", "Connection": "close"}
BODY_BYTES_AT_MOST = 10 * 1024 * 1024
CHUNK_BYTES = 64 * 1024
SECONDS_IN_ALL = 30  # of one request
CONNECT_SECONDS = 10
REDIRECTS = frozenset([301, 302, 303, 307, 308])
UNPACKED = frozenset(["", "identity", "utf-8"])  # the last is a mistake of servers, and no packing
FILE_INSTEAD = "save the page and name the file"


@dataclass(frozen=True)
class Fetched:
    """`url` is where the last redirect led; `cookies` are those that it sets, as a request would carry them."""

    url: str
    status: int
    content_type: str
    body: bytes
    cookies: str = ""


def fetch(url: str, names: Names, delay_seconds: float) -> Fetched:
    """Only http and https, only addresses that `names` permits, only what robots.txt allows, no faster; every hop anew."""
    return _Visit(names, delay_seconds).page(url)


class _Visit:
    """Keeps the delay between two requests to a site, and what was read of robots.txt."""

    def __init__(self, names: Names, delay_seconds: float) -> None:
        self._names = names
        self._delay_seconds = delay_seconds
        self._asked_at: dict[str, float] = {}
        self._robots: dict[str, Robots] = {}

    def page(self, url: str) -> Fetched:
        url = _valid(url)
        cookie = ""
        for _ in range(MOST_HOPS + 1):
            self._ask_robots(url)
            headers = {**identity(JOB, urlsplit(url).hostname or ""), **({"Cookie": cookie} if cookie else {})}
            fetched, target = self._get(url, headers, BODY_BYTES_AT_MOST)
            if target is None:
                return fetched
            if not target:
                raise ProspectorError(f"{url} redirects to no web address.", "Look at it in a browser.")
            if target == url and fetched.cookies in ("", cookie):
                raise ProspectorError(f"{url} redirects to itself.", "Look at it in a browser.")
            cookie = (fetched.cookies or cookie) if _site(target) == _site(url) else ""
            url = target
        raise ProspectorError(f"{url}: more than {MOST_HOPS} redirects.", "Name the page they lead to.")

    def _ask_robots(self, url: str) -> None:
        of = authority(url)
        if of not in self._robots:
            self._robots[of] = self._read_robots(f"{of}/robots.txt")
        read = self._robots[of]
        if read.stance is Stance.UNREACHABLE:
            problem = f"{of}/robots.txt cannot be read, so it is not known what may be read there."
            raise ProspectorError(problem, f"Try again later, or {FILE_INSTEAD}.")
        if not read.allows(url):
            problem = f"{url}: robots.txt does not allow BacklinkProspector to read it."
            raise ProspectorError(problem, "Open it in a browser, save it, and name the file.")
        if read.delay_seconds > SKIPPED_ABOVE_SECONDS:
            problem = f"{url}: robots.txt wants {read.delay_seconds:.0f} s between requests, so a crawl skips the site."
            raise ProspectorError(problem, f"To see what it says, {FILE_INSTEAD}.")
        self._delay_seconds = max(self._delay_seconds, read.delay_seconds)

    def _read_robots(self, url: str) -> Robots:
        """Another site's rules are not this one's."""
        site = _site(url)
        for _ in range(robots.MOST_HOPS + 1):
            fetched, target = self._get(url, CRAWLER, robots.MOST_BYTES)
            if target is None:
                return robots.of_status(fetched.status, fetched.body)
            url = target
            if not url or _site(url) != site:
                break
        return Robots(Stance.NONE)

    def _get(self, url: str, headers: Mapping[str, str], bytes_at_most: int) -> tuple[Fetched, str | None]:
        """The answer, and where it redirects to, if it does: '' to no web address."""
        parts = urlsplit(url)
        connection = _Connection(self._answer(parts.hostname or ""), parts.hostname or "", parts.port, parts.scheme)
        self._wait_for(_site(url))
        try:
            target = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
            connection.request("GET", target, headers={**headers, **TRANSFER})
            answer = connection.getresponse()
            onward = _onward(answer, url) if answer.status in REDIRECTS else None
            body = b"" if onward is not None else _body(answer, connection.deadline, bytes_at_most)
            cookies = cookies_of(answer.headers.get_all("Set-Cookie") or ())
            return Fetched(url, answer.status, answer.getheader("Content-Type") or "", body, cookies), onward
        except (OSError, http.client.HTTPException, zlib.error) as error:
            raise ProspectorError(
                f"{url} could not be read: {error or type(error).__name__}.", f"Check the address, or {FILE_INSTEAD}."
            ) from error
        finally:
            connection.close()
            self._asked_at[_site(url)] = time.monotonic()

    def _wait_for(self, site: str) -> None:
        if site in self._asked_at:
            time.sleep(max(0.0, self._asked_at[site] + self._delay_seconds - time.monotonic()))

    def _answer(self, host: str) -> Answer:
        try:
            return asyncio.run(self._names.find(host))
        except AddressRefused as refused:
            raise InputInvalid(
                refused.problem, "To read it all the same, name its network in ALLOWED_NETWORKS."
            ) from None
        except NameUnknown as unknown:
            raise ProspectorError(unknown.problem, f"Check the spelling, or {FILE_INSTEAD}.") from None


def _site(url: str) -> str:
    return site_of(urlsplit(url).hostname or "")


def _valid(url: str) -> str:
    try:
        return resolve(url)
    except UrlInvalid:
        if "://" in url and not url.startswith(("http:", "https:")):
            raise InputInvalid(f"{url}: only http and https are read.", f"Else {FILE_INSTEAD}.") from None
        raise InputInvalid(f"{url!r} is not an address.", "Write it as https://example.com/page.") from None


def _onward(answer: http.client.HTTPResponse, url: str) -> str:
    location = answer.getheader("Location")
    try:
        return resolve(_utf_8(location), url).partition("#")[0] if location is not None else ""
    except UrlInvalid:
        return ""


def _utf_8(header: str) -> str:
    """As sites write what is not ASCII; http.client reads Latin-1."""
    try:
        return header.encode("latin-1").decode()
    except UnicodeError:
        return header


def _body(answer: http.client.HTTPResponse, deadline: float, bytes_at_most: int) -> bytes:
    encoding = (answer.getheader("Content-Encoding") or "").strip().lower()
    packed = encoding in ("gzip", "x-gzip")
    if not packed and encoding not in UNPACKED:
        raise http.client.HTTPException(f"it is packed as {encoding[:20]!r}, which was not asked for")
    unpack = zlib.decompressobj(zlib.MAX_WBITS | 16) if packed else None
    body = b""
    while len(body) < bytes_at_most and (chunk := answer.read1(CHUNK_BYTES)):
        if time.monotonic() > deadline:
            raise TimeoutError(f"not complete after {SECONDS_IN_ALL} s")
        body += unpack.decompress(chunk, bytes_at_most) if unpack else chunk
    return body[:bytes_at_most]


class _Connection(http.client.HTTPConnection):
    """Connects to the very address that was judged."""

    def __init__(self, answer: Answer, host: str, port: int | None, scheme: str) -> None:
        super().__init__(host, port or (443 if scheme == "https" else 80), timeout=CONNECT_SECONDS)
        self.deadline = time.monotonic() + SECONDS_IN_ALL
        self._to = str(answer.addresses[0]), answer.port or self.port
        self._scheme = scheme

    def connect(self) -> None:
        self.sock = socket.create_connection(self._to, CONNECT_SECONDS)
        self.sock.settimeout(max(1.0, self.deadline - time.monotonic()))
        if self._scheme == "https":
            self.sock = _without_verification().wrap_socket(self.sock, server_hostname=self.host)


def _without_verification() -> ssl.SSLContext:
    """A page is read like a crawl reads it, which notes a wrong certificate and goes on."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
