"""One connection through the fault proxy: two ends, and the bytes between them."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping

from prospector.demo.proxy.faults import ProxyFault, ProxyOrder, Way
from prospector.demo.resets import reset

CHUNK_BYTES = 256 * 1024
MOST_UNSENT_BYTES = 1024 * 1024
MOST_DELAYED_BYTES = 8 * 1024 * 1024


class End(asyncio.Protocol):
    """One side. Passes what it receives to `other`, exactly, in order, and no faster than that side takes it."""

    max_size = CHUNK_BYTES

    def __init__(self, connection: "Connection", way: Way) -> None:
        self.connection = connection
        self.way = way
        self.transport: asyncio.Transport | None = None
        self.other: End | None = None
        self.bytes_received = 0
        self.is_lost = False
        self.discards = False
        self.has_ended = False
        self._delayed: deque[tuple[float, bytes | None]] = deque()
        self._delayed_bytes = 0
        self._timer: asyncio.TimerHandle | None = None
        self._paused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.set_write_buffer_limits(high=MOST_UNSENT_BYTES)
        self.transport = transport
        # early Pythons 3.11 begin to read after this call, whatever is said in it
        asyncio.get_running_loop().call_soon(self._join)

    def _join(self) -> None:
        self.hold_reading()
        if self.connection.over and self.transport is not None:
            reset(self.transport)
        else:
            self.connection.joined()

    def data_received(self, data: bytes) -> None:
        if self.discards:
            return
        self.bytes_received += len(data)
        delay_ms = self.connection.latency_ms(self.way)
        if delay_ms or self._delayed:
            self._delay(data, delay_ms)
        else:
            self.connection.pass_on(self, data)

    def eof_received(self) -> bool:
        """Half-closed: the answer may still come."""
        self.has_ended = True
        if self.discards:
            return False
        if self._delayed:
            self._delay(None, self.connection.latency_ms(self.way))
        else:
            self._pass_end()
        return True

    def connection_lost(self, error: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self.is_lost = True
        self.connection.lost(error)

    def pause_writing(self) -> None:
        if self.other is not None:
            self.other.hold_reading()

    def resume_writing(self) -> None:
        if self.other is not None:
            self.other.go_on_reading()

    def hold_reading(self) -> None:
        if self.transport is not None and not self._paused and not self.transport.is_closing():
            self._paused = True
            self.transport.pause_reading()

    def go_on_reading(self) -> None:
        if self.transport is None or not self._paused or self.transport.is_closing() or self.connection.must_wait(self):
            return
        self._paused = False
        self.transport.resume_reading()

    @property
    def delays_much(self) -> bool:
        return self._delayed_bytes >= MOST_DELAYED_BYTES

    @property
    def is_full(self) -> bool:
        return self.transport is None or self.transport.get_write_buffer_size() > MOST_UNSENT_BYTES

    def release(self) -> None:
        """First what was delayed, then what waits in the socket."""
        self._due()

    @property
    def _may_pass(self) -> bool:
        return not self.connection.held and self.other is not None and self.other.transport is not None

    def _delay(self, data: bytes | None, delay_ms: int) -> None:
        loop = asyncio.get_running_loop()
        self._delayed.append((loop.time() + delay_ms / 1000, data))
        self._delayed_bytes += len(data or b"")
        if self.delays_much:
            self.hold_reading()
        self._arm()

    def _arm(self) -> None:
        if self._timer is None and self._delayed and self._may_pass:
            self._timer = asyncio.get_running_loop().call_at(self._delayed[0][0], self._due)

    def _due(self) -> None:
        self._timer = None
        now = asyncio.get_running_loop().time()
        while self._delayed and self._delayed[0][0] <= now and self._may_pass:
            data = self._delayed.popleft()[1]
            if data is None:
                self._pass_end()
            else:
                self._delayed_bytes -= len(data)
                self.connection.pass_on(self, data)
        if self._may_pass:
            self._arm()
        self.go_on_reading()

    def _pass_end(self) -> None:
        other = self.other.transport if self.other is not None else None
        if other is not None and not other.is_closing():
            other.write_eof()
        self.connection.ended(self.way)


class Connection:
    """`orders` is the proxy's own, so that a fault strikes connections that are open already."""

    def __init__(self, orders: Mapping[ProxyFault, ProxyOrder], forget: Callable[["Connection"], None]) -> None:
        self.client = End(self, Way.UP)
        self.server = End(self, Way.DOWN)
        self.client.other, self.server.other = self.server, self.client
        self.connecting: asyncio.Task[None] | None = None
        self.over = False
        self._orders = orders
        self._forget = forget
        self._ended: set[Way] = set()
        self._cut_order: ProxyOrder | None = None
        self._cut_counted_bytes = 0

    @property
    def held(self) -> bool:
        return ProxyFault.HANG in self._orders

    def latency_ms(self, way: Way) -> int:
        order = self._orders.get(ProxyFault.LATENCY)
        return order.value if order is not None and order.way in {way, Way.BOTH} else 0

    def must_wait(self, end: End) -> bool:
        if end.discards:
            return False
        return self.held or end.delays_much or end.other is None or end.other.is_full

    def joined(self) -> None:
        if self.client.transport is not None and self.server.transport is not None:
            self.release()

    def hold(self) -> None:
        for end in (self.client, self.server):
            end.hold_reading()

    def release(self) -> None:
        for end in (self.client, self.server):
            end.release()

    def pass_on(self, end: End, data: bytes) -> None:
        receiver = end.other.transport if end.other is not None else None
        if receiver is None or receiver.is_closing():
            return
        left_bytes = self._left_before_the_cut(end.way)
        if left_bytes is None or len(data) < left_bytes:
            receiver.write(data)
            self._cut_counted_bytes += len(data) if left_bytes is not None else 0
            return
        receiver.write(data[:left_bytes])
        self._cut(end)

    def _cut(self, sender: End) -> None:
        """The receiver gets what was written, then the end. A close over bytes it still sends would be a reset, and
        a reset takes back what it has not read yet: so those are read and thrown away until it closes."""
        receiver = sender.other
        assert receiver is not None
        assert receiver.transport is not None
        if receiver.has_ended:
            receiver.transport.close()
        else:
            receiver.transport.write_eof()
            receiver.discards = True
            receiver.go_on_reading()
        if sender.transport is not None:
            reset(sender.transport)

    def ended(self, way: Way) -> None:
        self._ended.add(way)
        if self._ended >= {Way.UP, Way.DOWN}:
            self.close()

    def lost(self, error: Exception | None) -> None:
        """Whatever ended one side ends the other in the same way."""
        if error is None:
            self.close()
        else:
            self.reset()
        if all(end.is_lost or end.transport is None for end in (self.client, self.server)):
            self._forget(self)

    def close(self) -> None:
        self._end()
        for end in (self.client, self.server):
            if end.transport is not None and not end.discards:
                end.transport.close()

    def reset(self) -> None:
        self._end()
        for end in (self.client, self.server):
            if end.transport is not None:
                reset(end.transport)

    def _end(self) -> None:
        self.over = True
        if self.connecting is not None:
            self.connecting.cancel()

    def _left_before_the_cut(self, way: Way) -> int | None:
        order = self._orders.get(ProxyFault.CUT)
        if order is None or order.way not in {way, Way.BOTH}:
            return None
        if order is not self._cut_order:
            self._cut_order, self._cut_counted_bytes = order, 0
        return order.value - self._cut_counted_bytes
