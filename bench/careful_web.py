"""The careful crawler's way to the small web: one gate a site, a deadline and a limit for every answer."""

import http.client
import re
import socket
import ssl
import threading
import time
import zlib
from collections import defaultdict
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from urllib.parse import quote, urlsplit

from protego import Protego

DELAY_SECONDS = 1.0
DEADLINE_SECONDS = 8.0
MOST_BYTES = 10 * 1024 * 1024
ROBOTS_BYTES = 500 * 1024
TOKEN = "BacklinkProspector"
AGENT = f"{TOKEN}/careful"


class Failed(Exception):
    """This fetch, or this domain, ends here; the message says why."""


class FarWait(Failed):
    """Too far to wait for: the domain ends here."""


@dataclass
class Answer:
    url: str
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def retry_seconds(self) -> float | None:
        raw = self.headers.get("Retry-After")
        if raw is None:
            return None
        return float(raw) if raw.isdigit() else parsedate_to_datetime(raw).timestamp() - time.time() + 0.01


@dataclass
class Gate:
    lock: threading.Lock = field(default_factory=threading.Lock)
    ready_at: float = 0.0
    delay_seconds: float = DELAY_SECONDS


class Web:
    """The way to the small web: names by its own map, only inside its network, through the gate of the site."""

    def __init__(self, ready: dict, listed: list[str], *, pays: bool) -> None:
        entries = (entry.split("=") for entry in ready["settings"]["RESOLVE"].split(","))
        self.names = dict(entries)
        self.token = ready["token"]
        self.listed = set(listed)
        self.pays = pays
        self.gates: dict[str, Gate] = defaultdict(Gate)
        self.robots: dict[str, Protego | Failed] = {}
        self.tls = ssl.create_default_context()
        self.tls.check_hostname, self.tls.verify_mode = False, ssl.CERT_NONE

    def address(self, host: str) -> tuple[str, int]:
        found = self.names.get(host) or (self.names["*.test"] if host.endswith(".test") else "")
        if not found.startswith("127.1."):
            raise Failed(f"not an address to ask: {host}")
        ip, _, port = found.rpartition(":")
        return ip, int(port)

    def gate(self, host: str) -> Gate:
        return self.gates[".".join(host.rsplit(".", 2)[-2:])]

    def ask(self, url: str, method: str = "", most_bytes: int = MOST_BYTES) -> Answer:
        """One request, after its turn came. The gate opens again a delay after the end."""
        parts = urlsplit(url)
        address = self.address(parts.hostname or "")
        gate = self.gate(parts.hostname or "")
        with gate.lock:
            time.sleep(max(0.0, gate.ready_at - time.monotonic()))
            try:
                answer = self._once(url, address, method, most_bytes)
            except (OSError, http.client.HTTPException, EOFError) as error:
                raise Failed(f"{type(error).__name__} {error}") from None
            finally:
                gate.ready_at = time.monotonic() + gate.delay_seconds
            wait = answer.retry_seconds()
            if wait is not None:
                gate.ready_at = time.monotonic() + max(wait, gate.delay_seconds)
            return answer

    def _once(self, url: str, address: tuple[str, int], method: str, most_bytes: int) -> Answer:
        parts = urlsplit(url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        extra = {"context": self.tls} if parts.scheme == "https" else {}
        connection = kind(parts.hostname, parts.port, timeout=DEADLINE_SECONDS, **extra)
        # the one way to connect to an address and speak to a name, TLS included
        connection._create_connection = lambda _target, *rest: socket.create_connection(address, *rest)  # noqa: SLF001
        headers = {"User-Agent": AGENT, "Accept-Encoding": "gzip", "Connection": "close"}
        if method:
            headers |= {"X-Demo-Via": self.token, "X-Demo-Method": method}
        if method == "scrapingbee-js":
            headers["X-Demo-Rendered"] = self.token
        connection.connect()
        # http.client forgets its socket once an answer begins
        watchdog = threading.Timer(DEADLINE_SECONDS, connection.sock.shutdown, (socket.SHUT_RDWR,))
        watchdog.start()
        try:
            connection.request("GET", wire_target(url), headers=headers)
            response = connection.getresponse()
            raw = response.read(most_bytes + 1)
            # read(n) does not complain of a short body
            promised = response.headers.get("Content-Length")
            if promised and int(promised) > len(raw) <= most_bytes:
                raise Failed("short body")
            return Answer(url, response.status, response.headers, unpacked(raw, response.headers, most_bytes))
        finally:
            watchdog.cancel()
            connection.close()


def unpacked(raw: bytes, headers: http.client.HTTPMessage, most_bytes: int) -> bytes:
    if headers.get("Content-Encoding") == "gzip":
        raw = zlib.decompressobj(31).decompress(raw, most_bytes + 1)
    if most_bytes == ROBOTS_BYTES:
        return raw[:most_bytes]
    if len(raw) > most_bytes:
        raise Failed("too large")
    return raw


def wire_target(url: str) -> str:
    parts = urlsplit(url)
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~")
    return path + (f"?{quote(parts.query, safe='/%:@!$&()*+,;=~?')}" if parts.query else "")


def tidy(url: str) -> str:
    parts = urlsplit(url)
    host = (parts.hostname or "").encode("idna").decode()
    path = re.sub(r"/\./", "/", parts.path or "/")
    return f"{parts.scheme}://{host}{wire_target(f'x://x{path}?{parts.query}' if parts.query else f'x://x{path}')}"
