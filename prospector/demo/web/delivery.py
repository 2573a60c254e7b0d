"""How an answer travels when it does not simply arrive: late, cut, drop by drop, without end."""

import asyncio
import socket
import struct
from typing import Protocol

from prospector.demo.web.answers import Reply
from prospector.demo.web.kinds.broken import BOMB_BLOCKS, bomb_blocks
from prospector.demo.web.site import Manner

CLOSE = b"Connection: close\r\n\r\n"
DROP_SECONDS = 1.0
FILLER = b"<p>" + b"river stone bridge " * 800 + b"</p>\n"
HALF_SEEN_SECONDS = 0.05  # long enough for the first half to be read before the reset
RESET_AT_ONCE = struct.pack("ii", 1, 0)  # SO_LINGER on, 0 seconds: close() sends RST


class Wire(Protocol):
    async def send(self, data: bytes) -> None:
        """Returns when more may be sent."""

    @property
    def transport(self) -> asyncio.Transport: ...


async def deliver(reply: Reply, wire: Wire) -> None:
    """Ends with the connection closed, except for a whole answer that is only late."""
    await asyncio.sleep(reply.after_seconds)
    if reply.bomb:
        await _bomb(reply, wire)
    elif reply.manner is not Manner.WHOLE:
        await {
            Manner.SHORT: _short,
            Manner.RESET: _reset,
            Manner.DRIP: _drip,
            Manner.SLOW_HEADERS: _slow_headers,
            Manner.ENDLESS: _endless,
            Manner.SILENT: _silent,
        }[reply.manner](reply, wire)


async def _short(reply: Reply, wire: Wire) -> None:
    await wire.send(reply.head + CLOSE + reply.body[: len(reply.body) // 2])
    wire.transport.close()


async def _reset(reply: Reply, wire: Wire) -> None:
    if reply.body:
        await wire.send(reply.head + CLOSE + reply.body[: len(reply.body) // 2])
        await asyncio.sleep(HALF_SEEN_SECONDS)
    connection = wire.transport.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_AT_ONCE)
    wire.transport.abort()


async def _drip(reply: Reply, wire: Wire) -> None:
    await wire.send(reply.head + CLOSE)
    for position in range(len(reply.body)):
        await wire.send(reply.body[position : position + 1])
        await asyncio.sleep(DROP_SECONDS)
    wire.transport.close()


async def _slow_headers(reply: Reply, wire: Wire) -> None:
    await wire.send(reply.head)
    while True:
        await wire.send(b"X-More: to come\r\n")
        await asyncio.sleep(DROP_SECONDS)


async def _endless(reply: Reply, wire: Wire) -> None:
    await wire.send(reply.head + b"Transfer-Encoding: chunked\r\n" + CLOSE)
    chunk = reply.body or FILLER
    while True:
        await wire.send(b"%x\r\n%b\r\n" % (len(chunk), chunk))
        chunk = FILLER
        await asyncio.sleep(0)


async def _bomb(reply: Reply, wire: Wire) -> None:
    first, block = bomb_blocks()
    await wire.send(reply.head + CLOSE + first)
    for _ in range(BOMB_BLOCKS):
        await wire.send(block)
    wire.transport.close()


async def _silent(_reply: Reply, _wire: Wire) -> None:
    await asyncio.Event().wait()
