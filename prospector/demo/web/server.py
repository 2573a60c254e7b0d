"""The web's connections: plain and TLS on one port, keep-alive, thousands of hosts, every request in the log."""

import asyncio
import ssl
import time
from dataclasses import dataclass
from ipaddress import ip_address

from prospector.demo.web.answers import Answers, Reply
from prospector.demo.web.delivery import deliver
from prospector.demo.web.kinds.canaries import CANARY_ADDRESS
from prospector.demo.web.message import END, MOST_BYTES, Malformed, Message, message
from prospector.demo.web.plan import registrable
from prospector.demo.web.request_log import Entry, RequestLog
from prospector.demo.web.site import Manner, Request, Schemes, Site
from prospector.demo.web.tls import CLIENT_HELLO, Tunnel

CANARY_REPLY = Reply(200, b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 8\r\n", b"Acme CRM")
NO_NAME_REPLY = Reply(502, b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n", b"")
TOP = ".test"
KEEP = b"Connection: keep-alive\r\n\r\n"
CLOSE = b"Connection: close\r\n\r\n"


@dataclass(frozen=True)
class Shared:
    """What all connections have in common. `token` is the simulator's: who shows it may say how it fetches."""

    answers: Answers
    log: RequestLog
    tls: ssl.SSLContext
    token: str


class Connection(asyncio.Protocol):
    """`canary`: this is the listener that must never be asked."""

    transport: asyncio.Transport

    def __init__(self, shared: Shared, *, canary: bool = False) -> None:
        self._shared = shared
        self._canary = canary
        self._buffer = b""
        self._tunnel: Tunnel | None = None
        self._sniffed = False
        self._peer = ""
        self._writable = asyncio.Event()
        self._slow: asyncio.Task[None] | None = None
        self._entry: Entry | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._peer = "{}:{}".format(*transport.get_extra_info("peername")[:2])
        self._writable.set()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def connection_lost(self, error: Exception | None) -> None:
        self._writable.set()
        if self._slow:
            self._slow.cancel()
        self._log_end()

    def data_received(self, data: bytes) -> None:
        if not self._sniffed:
            self._sniffed = True
            self._tunnel = Tunnel(self._shared.tls) if data[0] == CLIENT_HELLO else None
        if self._tunnel:
            data = self._opened(self._tunnel, data)
        self._buffer += data
        self._answer_all()

    async def send(self, data: bytes) -> None:
        self._write(data)
        await self._writable.wait()

    def _opened(self, tunnel: Tunnel, data: bytes) -> bytes:
        try:
            said = tunnel.feed(data)
        except ssl.SSLError:
            said = b""
            self.transport.write(tunnel.outgoing())
            self.transport.close()
        self.transport.write(tunnel.outgoing())
        return said

    def _write(self, data: bytes) -> None:
        self.transport.write(self._tunnel.seal(data) if self._tunnel else data)

    def _answer_all(self) -> None:
        while self._entry is None and (end := self._buffer.find(END)) >= 0:
            head, self._buffer = self._buffer[:end], self._buffer[end + len(END) :]
            try:
                self._answer(message(head))
            except Malformed:
                self.transport.close()
        if len(self._buffer) > MOST_BYTES:
            self.transport.close()

    def _answer(self, asked: Message) -> None:
        if asked.verb == "CONNECT":
            self._sniffed = False
            self.transport.write(b"HTTP/1.1 200 OK\r\n\r\n")
            return
        scheme = asked.scheme or ("https" if self._tunnel else "http")
        site = self._shared.answers.plan.site_of(asked.host)
        if site and site.schemes is Schemes.HTTPS and scheme == "http":
            self.transport.abort()
            return
        entry = self._entry = self._begun(asked, site, scheme)
        reply = self._reply(asked, site, entry)
        entry.status, entry.bytes, entry.retry_ms = reply.status, len(reply.body), reply.retry_ms
        if reply.manner is Manner.WHOLE and not reply.after_seconds and not reply.bomb:
            self._finish(asked, reply)
        else:
            entry.whole = False
            self._shared.log.begin(entry)
            self._slow = asyncio.get_running_loop().create_task(self._deliver(asked, reply))

    def _begun(self, asked: Message, site: Site | None, scheme: str) -> Entry:
        now = time.monotonic_ns()
        headers = asked.headers
        by_simulator = headers.get(b"x-demo-via", b"").decode("latin-1") == self._shared.token
        return Entry(
            at_ns=now,
            end_ns=now,
            site=registrable(asked.host) if asked.host.endswith(TOP) else "",
            host=asked.host,
            scheme=scheme,
            path=asked.target,
            status=0,
            bytes=0,
            agent=asked.header(b"user-agent"),
            via=asked.header(b"x-demo-method") if by_simulator else "",
            peer=self._peer,
            canary=self._canary or leads_outside(asked.host, site),
        )

    def _reply(self, asked: Message, site: Site | None, entry: Entry) -> Reply:
        if entry.canary:
            return CANARY_REPLY
        if asked.host.endswith(".invalid") or (site and asked.host in site.resolve):
            return NO_NAME_REPLY
        visits = self._shared.answers.visit(site, asked.host, asked.target) if site else (1, 1)
        headers = asked.headers
        request = Request(
            asked.host,
            asked.target,
            entry.scheme,
            cookies=asked.header(b"cookie"),
            agent=entry.agent,
            method=entry.via,
            rendered=headers.get(b"x-demo-rendered", b"").decode("latin-1") == self._shared.token,
            visit_of_page=visits[0],
            visit_of_site=visits[1],
        )
        return self._shared.answers.reply(site, request, pressed=b"gzip" in headers.get(b"accept-encoding", b""))

    def _finish(self, asked: Message, reply: Reply) -> None:
        body = b"" if asked.verb == "HEAD" else reply.body
        self._write(reply.head + (KEEP if asked.keep else CLOSE) + body)
        if self._entry:
            self._entry.whole = True
        self._log_end()
        if not asked.keep:
            self.transport.close()

    async def _deliver(self, asked: Message, reply: Reply) -> None:
        await deliver(reply, self)
        if reply.manner is Manner.WHOLE and not reply.bomb:
            self._finish(asked, reply)
            self._answer_all()

    def _log_end(self) -> None:
        if self._entry:
            self._entry.end_ns = time.monotonic_ns()
            self._shared.log.end(self._entry)
            self._entry = None


def leads_outside(host: str, site: Site | None) -> bool:
    """For a client that takes the web for its proxy and leaves names and addresses to it."""
    if site:
        return site.resolve.get(host, "").startswith(CANARY_ADDRESS)
    try:
        ip_address(host)
    except ValueError:
        return host == "localhost" or not host.endswith((".test", ".invalid"))
    return True
