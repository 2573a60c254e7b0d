"""What the web answers to a request, as the bytes that go over the wire; kept for the requests that come again."""

import gzip
import re
import time
from collections import Counter
from dataclasses import dataclass
from email.utils import formatdate
from http import HTTPStatus
from urllib.parse import unquote

from prospector.demo.web.document import encoded, media
from prospector.demo.web.plan import Plan
from prospector.demo.web.site import CANARY_PORT, Answer, Manner, Page, Request, Schemes, Site

REDIRECTOR = re.compile(r"/(?:go\?url|\?u)=(https[^&]+)")
KEPT_BYTES = 64 * 1024 * 1024
PRESSED_LEAST_BYTES = 1024
MISSING = Answer(404, b"<!doctype html><title>404</title><h1>Not found</h1><p>Acme CRM</p>")
UNKNOWN_HOST = Answer(404, b"<h1>No such site</h1>")


@dataclass(frozen=True, slots=True)
class Reply:
    """`head` ends before the Connection header and the empty line."""

    status: int
    head: bytes
    body: bytes
    manner: Manner = Manner.WHOLE
    after_seconds: float = 0.0
    retry_ms: int = 0
    bomb: bool = False


def redirector(target: str) -> Answer:
    """Every site has one, and backlinks lead through it: /go?url=ADDRESS."""
    address = REDIRECTOR.match(target)
    return Answer(302, headers=(("Location", unquote(address[1])),)) if address else MISSING


class Answers:
    def __init__(self, plan: Plan, canary_port: int) -> None:
        self.plan = plan
        self._canary_port = str(canary_port)
        self._visits: Counter[str] = Counter()
        self._kept: dict[tuple[str, str, bool, bool], Reply] = {}
        self._kept_bytes = 0

    def visit(self, site: Site, host: str, target: str) -> tuple[int, int]:
        """Counts a request: how many the page and the site have had, this one included."""
        self._visits[host + target] += 1
        self._visits[f"site {site.name}"] += 1
        return self._visits[host + target], self._visits[f"site {site.name}"]

    def reply(self, site: Site | None, request: Request, *, pressed: bool) -> Reply:
        if site is None:
            return self._reply(UNKNOWN_HOST)
        if site.schemes is Schemes.UPGRADE and request.scheme == "http":
            return self._reply(Answer(301, headers=(("Location", f"https://{request.host}{request.target}"),)))
        found = site.rule(request) if site.rule else None
        pressed = pressed and site.compressed
        if found is not None:
            return self._reply(found, rendered=request.rendered, pressed=pressed)
        key = (request.host, request.target, request.rendered, pressed)
        return self._kept.get(key) or self._keep(key, self._planned(site, request, pressed=pressed))

    def _planned(self, site: Site, request: Request, *, pressed: bool) -> Reply:
        key = request.host + request.target
        found = site.answers.get(key) or site.pages.get(key) or redirector(request.target)
        return self._reply(found, rendered=request.rendered, pressed=pressed)

    def _keep(self, key: tuple[str, str, bool, bool], reply: Reply) -> Reply:
        if reply.retry_ms or len(reply.body) > KEPT_BYTES // 16:
            return reply
        self._kept[key] = reply
        self._kept_bytes += len(reply.body)
        while self._kept_bytes > KEPT_BYTES:
            self._kept_bytes -= len(self._kept.pop(next(iter(self._kept))).body)
        return reply

    def _reply(self, found: Answer | Page, *, rendered: bool = False, pressed: bool = False) -> Reply:
        if isinstance(found, Page):
            found = Answer(body=encoded(found, rendered=rendered), media=media(found))
        body = found.body.replace(CANARY_PORT.encode(), self._canary_port.encode())
        headers = dict(found.headers)
        bomb = headers.pop("X-Demo-Body", "") == "bomb"
        if pressed and found.manner is Manner.WHOLE and len(body) >= PRESSED_LEAST_BYTES and not headers:
            body = gzip.compress(body, 5, mtime=0)
            headers["Content-Encoding"] = "gzip"
        retry_ms = self._tell_to_wait(found, headers)
        if found.manner is not Manner.ENDLESS and not bomb:
            headers["Content-Length"] = str(len(body))
        headers["Content-Type"] = found.media
        head = self._head(found.status, headers)
        return Reply(found.status, head, body, found.manner, found.after_seconds, retry_ms, bomb)

    def _head(self, status: int, headers: dict[str, str]) -> bytes:
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        # a Location in raw UTF-8 is one of the things that servers do
        return f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n{lines}".replace(
            CANARY_PORT, self._canary_port
        ).encode()

    def _tell_to_wait(self, found: Answer, headers: dict[str, str]) -> int:
        if not found.retry_seconds:
            return 0
        if not found.retry_as_date:
            headers["Retry-After"] = f"{found.retry_seconds:.0f}"
            return int(found.retry_seconds * 1000)
        now = time.time()
        until = int(now + found.retry_seconds)
        headers["Retry-After"] = formatdate(until, usegmt=True)
        return int((until - now) * 1000)
