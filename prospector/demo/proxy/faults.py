"""What the fault proxy can do to connections, as plain values."""

from dataclasses import dataclass
from enum import StrEnum


class ProxyFault(StrEnum):
    DOWN = "down"  # connections end, new ones are refused
    HANG = "hang"  # accepted, and nothing moves; goes on where it stood when lifted
    RESET = "reset"  # all connections, and each new one as it comes
    LATENCY = "latency"  # `value` ms for each chunk that goes this `way`
    CUT = "cut"  # after `value` bytes of a connection, `way` says which are counted
    LIMIT = "limit"  # at most `value` connections; one more is reset


class Way(StrEnum):
    UP = "up"  # to the server
    DOWN = "down"  # to the client
    BOTH = "both"


@dataclass(frozen=True)
class ProxyOrder:
    """`seconds` bounds it; without them it holds until it is lifted. 0 seconds: once, now."""

    fault: ProxyFault
    value: int = 0
    seconds: float | None = None
    way: Way = Way.BOTH


@dataclass(frozen=True)
class ProxyCounts:
    accepted: int
    turned_away: int
    open: int
    bytes_up: int
    bytes_down: int
