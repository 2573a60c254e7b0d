"""Ending a connection as a crashed or hostile peer does: with a TCP reset."""

import asyncio
import socket
import struct

LINGER_ZERO = struct.pack("ii", 1, 0)


def reset(transport: asyncio.BaseTransport) -> None:
    """Unsent data is dropped, and the peer sees ECONNRESET (over a Unix socket: the end of the stream)."""
    own = transport.get_extra_info("socket")
    if own is not None and not transport.is_closing():
        own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_ZERO)
    if isinstance(transport, asyncio.Transport):
        transport.abort()
