"""How a site's delay follows what it answers: the rule of frontier/lua/release.lua, for the debug mode; a test holds both together."""

from dataclasses import dataclass

MOST_DOUBLINGS = 6


@dataclass(frozen=True)
class SitePace:
    delay_ms: int
    strikes: int = 0


def after_fetch(pace: SitePace, latency_ms: int, *, strained: bool, least_ms: int, most_ms: int) -> SitePace:
    """AutoThrottle's rule at one request at a time; a failure never shortens a delay."""
    follows = max((pace.delay_ms + latency_ms) / 2, latency_ms)
    strikes = pace.strikes
    if strained:
        strikes += 1
        follows = max(follows, pace.delay_ms, least_ms * 2 ** min(strikes, MOST_DOUBLINGS))
    delay_ms = max(least_ms, min(most_ms, -int(-follows // 1)))
    return SitePace(delay_ms, strikes)
