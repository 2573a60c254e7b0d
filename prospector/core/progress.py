"""How fast a job is, and how long it may take yet, from what it did in each of the last minutes."""

from collections.abc import Mapping
from dataclasses import dataclass

MINUTE_MS = 60_000
WINDOW_MINUTES = 15
RECENT_MINUTES = 5
LEAST_SECONDS = 20  # of work, before anything is said about the speed
SPREAD = 1.25  # the last domains of a list are slower than the rest: some wait for their site until their time is over


@dataclass(frozen=True)
class Eta:
    low_seconds: int
    high_seconds: int


@dataclass(frozen=True)
class Pace:
    """Domains an hour: over the last quarter of an hour, or since the job was started if that is less; and lately."""

    per_hour: float
    recent_per_hour: float


def pace(by_minute: Mapping[int, int], now_ms: int, running_since_ms: int | None) -> Pace | None:
    """None: nothing can be said, because it has not run for long enough."""
    if running_since_ms is None or now_ms - running_since_ms < LEAST_SECONDS * 1000:
        return None
    return Pace(
        _per_hour(by_minute, now_ms, running_since_ms, WINDOW_MINUTES),
        _per_hour(by_minute, now_ms, running_since_ms, RECENT_MINUTES),
    )


def eta(domains_left: int, speed: Pace | None) -> Eta | None:
    """None: it is not known; a job in which nothing is finished has no speed yet."""
    if speed is None or domains_left == 0:
        return None
    slower, faster = sorted((speed.per_hour, speed.recent_per_hour))
    if slower <= 0:
        return None
    return Eta(round(domains_left / faster * 3600), round(domains_left / slower * 3600 * SPREAD))


def last_ms(by_minute: Mapping[int, int], closed_ms: int | None, now_ms: int) -> int | None:
    """The last sign of life, to the minute where nothing was finished in it."""
    moments = [minute * MINUTE_MS for minute, count in by_minute.items() if count]
    if closed_ms is not None:
        moments.append(closed_ms)
    return min(now_ms, max(moments)) if moments else None


def _per_hour(by_minute: Mapping[int, int], now_ms: int, running_since_ms: int, minutes: int) -> float:
    """The present minute is not over, so the window ends now and begins at the start of a minute."""
    first = now_ms // MINUTE_MS - minutes + 1
    begin_ms = max(first * MINUTE_MS, running_since_ms)
    count = sum(done for minute, done in by_minute.items() if minute >= begin_ms // MINUTE_MS)
    return count * 3_600_000 / max(now_ms - begin_ms, 1)
