"""How fast a job is, and how long it may take yet, from how many domains it finished lately."""

from dataclasses import dataclass

MINUTE_SECONDS = 60
WINDOWS_MINUTES = (15, 5)  # the usual pace, and the present one
LEAST_SECONDS = 20  # of work, before anything is said about the speed
SPREAD = 1.25  # the last domains of a list are slower than the rest: some wait for their site until their time is over


@dataclass(frozen=True)
class Eta:
    low_seconds: int
    high_seconds: int


@dataclass(frozen=True)
class Speed:
    """Domains an hour: over the last quarter of an hour, or since the job goes if that is less; and over five minutes."""

    per_hour: float
    recent_per_hour: float
    over_seconds: float = WINDOWS_MINUTES[0] * MINUTE_SECONDS


def speed_of(in_15_minutes: int, in_5_minutes: int, running_seconds: float) -> Speed | None:
    """None: it has not run for long enough to say."""
    if running_seconds < LEAST_SECONDS:
        return None
    usual, recent = (min(minutes * MINUTE_SECONDS, running_seconds) for minutes in WINDOWS_MINUTES)
    return Speed(in_15_minutes * 3600 / usual, in_5_minutes * 3600 / recent, usual)


def eta(domains_left: int, speed: Speed | None, wait_seconds: int = 0) -> Eta | None:
    """None: it is not known; a job that finished nothing lately has no speed. `wait_seconds`: others wait so long for their
    sites, and the job with them, whatever its speed."""
    if domains_left == 0:
        return Eta(wait_seconds, wait_seconds) if wait_seconds else None
    if speed is None:
        return None
    slower, faster = sorted((speed.per_hour, speed.recent_per_hour))
    if slower <= 0:
        return None
    low, high = domains_left / faster * 3600, domains_left / slower * 3600 * SPREAD
    return Eta(max(round(low), wait_seconds), max(round(high), wait_seconds))
