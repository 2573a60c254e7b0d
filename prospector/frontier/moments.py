"""Moments of this machine, and how they are told to a server whose clock is another one."""

import time
from dataclasses import dataclass


def steady_seconds() -> float:
    """A clock that never steps, and counts the time this machine (or this process) slept."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


@dataclass(frozen=True)
class Ago:
    """A moment that is told as the milliseconds since then, counted when the call leaves: it may have waited in line."""

    at_seconds: float

    def told_ms(self) -> int:
        return int((steady_seconds() - self.at_seconds) * 1000)
