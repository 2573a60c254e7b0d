"""The last moment before a request leaves: connecting takes time, in which a process can sleep and its leave can run out.

Asked where a connection is there, and over TLS again where its handshake is done and the request's bytes wait behind it.
What was let go is sent at once: in the reactor's buffers it would wait for its next turn, in which a process can sleep too.
"""

from collections.abc import Hashable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from scrapy.core.downloader.handlers.http11 import _LenientHTTP11ClientFactory, _LenientHTTP11ClientProtocol
from twisted.internet.defer import Deferred
from twisted.internet.error import TimeoutError  # noqa: A004  # what Scrapy knows
from twisted.internet.interfaces import IAddress, IHandshakeListener, IStreamClientEndpoint
from twisted.protocols.tls import BufferingTLSTransport
from twisted.python.failure import Failure
from twisted.web._newclient import HTTP11ClientProtocol, Request
from twisted.web.client import HTTPConnectionPool
from twisted.web.iweb import IResponse
from zope.interface import implementer

from prospector.fetch.failures import NotSent
from prospector.fetch.passage import Passage

CONNECT_SECONDS = 10.0  # of all that a fetch may take


@dataclass
class Leave:
    """One request's, from its passage. `refused`: it ran out on the way, and nothing was asked."""

    passage: Passage
    refused: bool = False

    def is_good(self) -> bool:
        self.refused = not self.passage.may_send()
        return not self.refused


# whose connection is being made: Twisted's pool is not told
LEAVE: ContextVar[Leave] = ContextVar("leave")


@implementer(IHandshakeListener)
class LastLook(_LenientHTTP11ClientProtocol):
    leave: Leave

    def request(self, request: Request) -> Deferred[IResponse]:
        if not self.leave.is_good():
            self.transport.abortConnection()  # type: ignore[union-attr]
            raise NotSent("The leave ran out while the connection was made.")
        answered = super().request(request)
        _send_now(self.transport)
        return answered

    def handshakeCompleted(self) -> None:  # noqa: N802  # Twisted's name
        if not self.leave.is_good():
            self.transport.failVerification(Failure(NotSent("The leave ran out.")))  # type: ignore[union-attr]
        else:
            _send_now(self.transport)


def _send_now(transport: Any) -> None:
    """Past the buffers of TLS and of the socket. A socket that fails is left to the reactor, which asks it again."""
    if isinstance(transport, BufferingTLSTransport):
        transport._aggregator.flush()  # noqa: SLF001  # tests/crawl/test_contract.py watches both
        transport._unbufferPendingWrites()  # noqa: SLF001
        transport = transport.transport
    if transport.doWrite() is not None:
        transport.startWriting()


class LastLookFactory(_LenientHTTP11ClientFactory):
    def buildProtocol(self, _addr: IAddress | None) -> LastLook:  # noqa: N802  # Twisted's name
        return LastLook(self._quiescentCallback)  # type: ignore[no-untyped-call]  # Twisted says no types here


class LastLookPool(HTTPConnectionPool):
    """It also sends nothing twice: by default, what got no answer on a kept connection is asked again at once."""

    retryAutomatically = False  # noqa: N815  # Twisted's name
    _factory = LastLookFactory

    def getConnection(self, key: Hashable, endpoint: IStreamClientEndpoint) -> Deferred[HTTP11ClientProtocol]:  # noqa: N802
        leave = LEAVE.get()

        def hand_over(connection: HTTP11ClientProtocol) -> HTTP11ClientProtocol:
            assert isinstance(connection, LastLook)
            connection.leave = leave
            return connection

        connected: Deferred[HTTP11ClientProtocol] = super().getConnection(key, endpoint)
        connected.addTimeout(CONNECT_SECONDS, self._reactor, _nobody_came)
        return connected.addCallback(hand_over)


def _nobody_came(_cancelled: object, _seconds: float) -> Failure:
    return Failure(TimeoutError())
