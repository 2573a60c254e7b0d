"""The operations of those who look after jobs: what a job has done, and where it and the record do not agree."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from prospector.frontier.calls import Call


@dataclass(frozen=True)
class Counters:
    """A job as the frontier counts it. `by_minute`: domains closed in each of the last fifteen minutes and the present one,
    which are counted since 1970. `parked` counts open domains that have parked pages, `flying` requests in flight."""

    now_ms: int
    held: bool
    total: int
    waiting: int
    open: int
    done: int
    failed: int
    parked: int
    flying: int
    pages: int
    mentions: int
    used_credits: int
    reserved_credits: int
    last_ms: int | None
    by_minute: Mapping[int, int]
    pages_by_minute: Mapping[int, int]

    @property
    def left(self) -> int:
        return self.waiting + self.open


def job(name: str) -> Call[Counters | None]:
    """None: this Redis does not know it."""
    return Call("job", (name,), _counters)


def left(name: str) -> Call[frozenset[int]]:
    return Call("left", (name,), frozenset)


def recount(name: str, done: int, failed: int, pages: int = 0, mentions: int = 0) -> Call[bool]:
    return Call("recount", (name, done, failed, pages, mentions), bool)


def stuck(name: str) -> Call[str]:
    """Why nothing of the job can go on before somebody acts: 'budget', 'key', 'credits', or '' where something can."""
    return Call("stuck", (name,), lambda raw: str(raw, "ascii"))


def _counters(raw: list[Any]) -> Counters | None:
    now_ms, flat, minutes = raw
    if not flat:
        return None
    told = dict(zip(flat[::2], flat[1::2], strict=True))
    rate = dict(zip(minutes[::2], minutes[1::2], strict=True))
    same = ("total", "waiting", "open", "done", "failed", "parked", "flying", "pages", "mentions")
    return Counters(
        now_ms=int(now_ms),
        held=told[b"state"] == b"held",
        used_credits=int(told[b"spent"]),
        reserved_credits=int(told[b"reserved"]),
        last_ms=int(told[b"last"]) if b"last" in told else None,
        by_minute=_minutes(rate, b":domains"),
        pages_by_minute=_minutes(rate, b":pages"),
        **{name: int(told[name.encode()]) for name in same},
    )


def _minutes(rate: Mapping[bytes, bytes], what: bytes) -> dict[int, int]:
    return {int(key.removesuffix(what)): int(count) for key, count in rate.items() if key.endswith(what)}
