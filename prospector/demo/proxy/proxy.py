"""The fault proxy: TCP or Unix socket in, TCP or Unix socket out, byte for byte, until a fault is ordered."""

import asyncio
import socket
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from types import TracebackType
from typing import Self

from prospector.demo.loop_thread import LoopThread
from prospector.demo.proxy.connection import Connection, End
from prospector.demo.proxy.faults import ProxyCounts, ProxyFault, ProxyOrder, Way
from prospector.demo.resets import reset
from prospector.errors import InputInvalid

BACKLOG = 512
CLOSE_SECONDS = 5


@dataclass(frozen=True)
class Endpoint:
    """`127.0.0.1:6379`, `[::1]:6379` or a path that begins with `/`."""

    path: str | None
    host: str = ""
    port: int = 0

    @classmethod
    def read(cls, text: str) -> Self:
        if text.startswith("/"):
            return cls(text)
        host, _, port = text.rpartition(":")
        try:
            return cls(None, str(ip_address(host.strip("[]"))), int(port))
        except ValueError:
            raise InputInvalid(
                f"{text!r} is neither ADDRESS:PORT nor /a/path.", "A name is not resolved here."
            ) from None

    def bound(self) -> socket.socket:
        family = socket.AF_UNIX if self.path is not None else socket.AF_INET6 if ":" in self.host else socket.AF_INET
        own = socket.socket(family, socket.SOCK_STREAM)
        try:
            own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            own.bind(self.path if self.path is not None else (self.host, self.port))
        except OSError:
            own.close()
            raise
        return own

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.path or f"{host}:{self.port}"


class Proxy:
    """For use inside a running loop; FaultProxy is the same for blocking code."""

    def __init__(self, upstream: Endpoint, listen: Endpoint) -> None:
        if listen.path is None and not ip_address(listen.host).is_loopback:
            raise InputInvalid(f"{listen} is not a loopback address.", "The fault proxy listens on loopback only.")
        self.endpoint = listen
        self._upstream = upstream
        self._orders: dict[ProxyFault, ProxyOrder] = {}
        self._timers: dict[ProxyFault, asyncio.TimerHandle] = {}
        self._connections: set[Connection] = set()
        self._lifting: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self._guard: socket.socket | None = None  # keeps the port ours while nobody listens on it
        self._accepted = self._turned_away = self._past_bytes_up = self._past_bytes_down = 0

    async def open(self) -> None:
        await self._listen()

    async def close(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        self._refuse()
        if self._guard is not None:
            self._guard.close()
        if self.endpoint.path is not None:
            Path(self.endpoint.path).unlink(missing_ok=True)
        for connection in tuple(self._connections):
            connection.reset()
        async with asyncio.timeout(CLOSE_SECONDS):
            while self._connections:  # their sockets are closed by the loop's next rounds
                await asyncio.sleep(0)

    async def order(self, order: ProxyOrder) -> None:
        self._forget_timer(order.fault)
        self._orders[order.fault] = order
        match order.fault:
            case ProxyFault.DOWN:
                self._refuse()
            case ProxyFault.RESET:
                for connection in tuple(self._connections):
                    connection.reset()
            case ProxyFault.HANG:
                for connection in tuple(self._connections):
                    connection.hold()
        if order.seconds == 0:
            await self.lift(order.fault)
        elif order.seconds is not None:
            loop = asyncio.get_running_loop()
            self._timers[order.fault] = loop.call_later(order.seconds, self._lift_later, order.fault)

    async def lift(self, fault: ProxyFault) -> None:
        self._forget_timer(fault)
        if self._orders.pop(fault, None) is None:
            return
        if fault is ProxyFault.DOWN:
            await self._listen()
        if fault is ProxyFault.HANG:
            for connection in tuple(self._connections):
                connection.release()
                self._connect(connection)

    def in_force(self) -> list[ProxyFault]:
        return sorted(self._orders)

    def counts(self) -> ProxyCounts:
        up = self._past_bytes_up + sum(one.client.bytes_received for one in self._connections)
        down = self._past_bytes_down + sum(one.server.bytes_received for one in self._connections)
        return ProxyCounts(self._accepted, self._turned_away, len(self._connections), up, down)

    async def _listen(self) -> None:
        if self._guard is not None:
            self._guard.close()
            self._guard = None
        own = self._bound()
        own.setblocking(False)
        self._server = await asyncio.get_running_loop().create_server(self._accept, sock=own, backlog=BACKLOG)

    def _refuse(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
            self._guard = self._bound()
        for connection in tuple(self._connections):
            connection.close()

    def _bound(self) -> socket.socket:
        if self.endpoint.path is not None:
            Path(self.endpoint.path).unlink(missing_ok=True)
        own = self.endpoint.bound()
        if self.endpoint.path is None:
            self.endpoint = Endpoint(None, self.endpoint.host, own.getsockname()[1])
        return own

    def _accept(self) -> asyncio.Protocol:
        limit = self._orders.get(ProxyFault.LIMIT)
        full = limit is not None and len(self._connections) >= limit.value
        if full or ProxyFault.RESET in self._orders:
            self._turned_away += 1
            return TurnedAway()
        self._accepted += 1
        connection = Connection(self._orders, self._forget)
        self._connections.add(connection)
        self._connect(connection)
        return connection.client

    def _connect(self, connection: Connection) -> None:
        if connection.connecting is None and not connection.held:
            connection.connecting = asyncio.get_running_loop().create_task(self._reach(connection))

    async def _reach(self, connection: Connection) -> None:
        """A server that cannot be reached looks to the client as it is: the connection is reset."""
        loop = asyncio.get_running_loop()
        server = partial(_same, connection.server)
        try:
            if self._upstream.path is not None:
                await loop.create_unix_connection(server, self._upstream.path)
            else:
                await loop.create_connection(server, self._upstream.host, self._upstream.port)
        except OSError:
            connection.connecting = None
            connection.reset()

    def _forget(self, connection: Connection) -> None:
        if connection in self._connections:
            self._connections.discard(connection)
            self._past_bytes_up += connection.client.bytes_received
            self._past_bytes_down += connection.server.bytes_received

    def _forget_timer(self, fault: ProxyFault) -> None:
        timer = self._timers.pop(fault, None)
        if timer is not None:
            timer.cancel()

    def _lift_later(self, fault: ProxyFault) -> None:
        task = asyncio.get_running_loop().create_task(self.lift(fault))
        self._lifting.add(task)
        task.add_done_callback(self._lifting.discard)


class TurnedAway(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        reset(transport)


class FaultProxy:
    """A fault proxy in a thread of its own. An order is in force when its call returns."""

    def __init__(self, upstream: str, listen: str = "127.0.0.1:0") -> None:
        self._proxy = Proxy(Endpoint.read(upstream), Endpoint.read(listen))
        self._thread = LoopThread("fault-proxy")
        try:
            self._thread.run(self._proxy.open())
        except OSError:
            self._thread.stop()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def address(self) -> str:
        return str(self._proxy.endpoint)

    @property
    def port(self) -> int:
        return self._proxy.endpoint.port

    def order(self, fault: ProxyFault, value: int = 0, *, seconds: float | None = None, way: Way = Way.BOTH) -> None:
        self._thread.run(self._proxy.order(ProxyOrder(fault, value, seconds, way)))

    def lift(self, *faults: ProxyFault) -> None:
        """These, or all."""
        for fault in faults or tuple(ProxyFault):
            self._thread.run(self._proxy.lift(fault))

    def counts(self) -> ProxyCounts:
        return self._thread.run(_counts(self._proxy))

    def close(self) -> None:
        self._thread.run(self._proxy.close())
        self._thread.stop()


async def _counts(proxy: Proxy) -> ProxyCounts:
    return proxy.counts()


def _same(end: End) -> End:
    return end
