"""One HTTP request, sent once. Money is spent on the other side, so nothing here may send it a second time by itself.

Scrapy's own client keeps connections open, and Twisted repeats a GET on its own where an old connection turns out dead, though
the first one may have arrived and been charged. So each call has a connection of its own; a paid call lasts seconds.
"""

import socket
import time
from dataclasses import dataclass
from functools import cache
from typing import Any

import certifi
from OpenSSL import SSL
from scrapy.http import Headers
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet import error
from twisted.internet._resolver import GAIResolver
from twisted.internet.defer import Deferred
from twisted.internet.defer import TimeoutError as DeferredTimeout
from twisted.internet.interfaces import IReactorPluggableNameResolver
from twisted.internet.protocol import Protocol
from twisted.internet.ssl import Certificate, trustRootFromCertificates
from twisted.python.failure import Failure
from twisted.web import client
from twisted.web._newclient import RequestNotSent
from twisted.web.http import PotentialDataLoss
from twisted.web.http_headers import Headers as TwistedHeaders
from zope.interface import implementer

from prospector.fetch.failures import NO_ROOM, NotSent, has_room, no_room
from prospector.fetch.last_look import LEAVE, LastLookPool, Leave

PEM_ENDS = b"-----END CERTIFICATE-----\n"
UNSENT = (error.ConnectError, error.DNSLookupError, RequestNotSent)
FAILED = (*UNSENT, client.ResponseFailed, error.ConnectionClosed, DeferredTimeout)


class NotReached(Exception):
    """Nothing was asked: no connection, no name, no valid certificate."""


class NoAnswer(Exception):
    """It was sent, or may have been; what became of it nobody knows."""


@dataclass(frozen=True)
class Raw:
    """`complete` is False where the body was cut short; `too_large` where we stopped reading."""

    status: int
    headers: Headers
    body: bytes
    complete: bool
    too_large: bool


class OneShotClient:
    def __init__(self) -> None:
        from twisted.internet import reactor

        self._reactor: Any = reactor
        pool = LastLookPool(reactor, persistent=False)  # type: ignore[no-untyped-call]  # Twisted says no types here
        policy = client.BrowserLikePolicyForHTTPS(trust_root())
        self._agent = client.Agent(SystemNames(reactor), policy, pool=pool)

    async def get(self, url: str, headers: dict[str, str], within_seconds: float, most_bytes: int, leave: Leave) -> Raw:
        """Raises NotReached, NoAnswer, NoRoom or, where the leave ran out before it left, NotSent. What the answer's head said
        is never lost, whatever becomes of its body."""
        began = time.monotonic()
        sent = TwistedHeaders({name: [value] for name, value in headers.items()})
        LEAVE.set(leave)
        asked: Deferred[Any] = self._agent.request(b"GET", url.encode("ascii"), sent)
        asked.addTimeout(within_seconds, self._reactor)
        try:
            response = await maybe_deferred_to_future(asked)
        except FAILED as problem:
            if leave.refused:
                raise NotSent("The leave ran out before the call was made.") from problem
            raise await _meant(problem) from problem
        body = _Body(most_bytes)
        left = max(0.0, within_seconds - (time.monotonic() - began))
        self._watch(body, left)
        response.deliverBody(body)
        await maybe_deferred_to_future(body.ended)
        received = Headers(dict(response.headers.getAllRawHeaders()))
        return Raw(response.code, received, b"".join(body.parts), body.complete, body.too_large)

    def _watch(self, body: "_Body", seconds: float) -> None:
        timer = self._reactor.callLater(seconds, body.abandon)

        body.ended.addCallback(lambda _: timer.active() and timer.cancel())


@implementer(IReactorPluggableNameResolver)
class SystemNames:
    """The reactor with the system's own names: the provider's address is the operator's choice, and no target's."""

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        self.nameResolver = GAIResolver(reactor, getaddrinfo=_addresses)  # Twisted's name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reactor, name)


def _addresses(*place: Any, **how: Any) -> Any:
    """Where no file is left Python raises a plain OSError, after which Twisted would wait for an answer for ever."""
    try:
        return socket.getaddrinfo(*place, **how)
    except OSError as problem:
        raise socket.gaierror(socket.EAI_SYSTEM, str(problem)) from problem


class _Body(Protocol):
    transport: Any  # Twisted's stand-in for the connection, without an interface of its own

    def __init__(self, most_bytes: int) -> None:
        self.ended: Deferred[None] = Deferred()
        self.parts: list[bytes] = []
        self.complete = False
        self.too_large = False
        self._room_bytes = most_bytes

    def dataReceived(self, data: bytes) -> None:  # noqa: N802  # Twisted's name
        if self.ended.called:
            return
        self._room_bytes -= len(data)
        if self._room_bytes < 0:
            self.too_large = True
            self.abandon()
        else:
            self.parts.append(data)

    def abandon(self) -> None:
        if self.transport:
            self.transport.loseConnection()
        self._end()

    def connectionLost(self, reason: Failure = Failure(error.ConnectionDone())) -> None:  # noqa: B008, N802
        if not self.ended.called:
            self.complete = bool(reason.check(client.ResponseDone, PotentialDataLoss))
            self._end()

    def _end(self) -> None:
        if not self.ended.called:
            self.ended.callback(None)


@cache
def trust_root() -> Any:
    """Mozilla's list: the machine's own is not where OpenSSL looks for it on every system."""
    pems = certifi.contents().encode().split(PEM_ENDS)[:-1]
    return trustRootFromCertificates([Certificate.loadPEM(pem + PEM_ENDS) for pem in pems])


async def _meant(problem: Exception) -> Exception:
    if isinstance(problem, UNSENT):
        if _is_for_room(problem):
            return await no_room(f"The call was not made: {problem}.")
        return NotReached(str(problem))
    if _is_handshake(problem):
        return NotReached("its certificate is not valid")
    return NoAnswer(_words(problem))


def _is_for_room(problem: Exception) -> bool:
    """Why a name was not found Twisted does not tell."""
    if isinstance(problem, error.DNSLookupError):
        return not has_room()
    return isinstance(problem, error.ConnectError) and problem.osError in NO_ROOM


def _is_handshake(problem: Exception) -> bool:
    reasons = getattr(problem, "reasons", [])
    return bool(reasons) and all(reason.check(SSL.Error) for reason in reasons)


def _words(problem: Exception) -> str:
    """Of the deepest cause: Twisted's own words for the outer ones are lists of failures."""
    reasons = getattr(problem, "reasons", None)
    return str(reasons[0].value) if reasons else str(problem) or type(problem).__name__
