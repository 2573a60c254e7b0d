"""The simulated account: its key, credits and places, and what /usage says of them. Time comes in as an argument."""

from collections import deque
from datetime import UTC, datetime, timedelta

USAGE_PER_MINUTE = 6
MINUTE_SECONDS = 60.0
MONTH = timedelta(days=30)


class Account:
    """`max_credits` is checked when a call begins, as ScrapingBee does: the last calls may end above it."""

    def __init__(self, key: str, max_credits: int, max_concurrency: int, usage_lag_seconds: float) -> None:
        self.key = key
        self.max_credits = max_credits
        self.max_concurrency = max_concurrency
        self.used_credits = 0
        self.concurrent = 0
        self.peak_concurrent = 0
        self._usage_lag_seconds = usage_lag_seconds
        self._totals: deque[tuple[float, int]] = deque()
        self._published_credits = 0
        self._asked_at: deque[float] = deque()

    @property
    def exhausted(self) -> bool:
        return self.used_credits >= self.max_credits

    @property
    def full(self) -> bool:
        return self.concurrent >= self.max_concurrency

    def enter(self) -> int:
        """Takes a place; the calls in flight, this one included."""
        self.concurrent += 1
        self.peak_concurrent = max(self.peak_concurrent, self.concurrent)
        return self.concurrent

    def leave(self) -> None:
        self.concurrent -= 1

    def charge(self, credits_charged: int, now: float) -> None:
        if credits_charged:
            self.set_used(self.used_credits + credits_charged, now)

    def set_used(self, used_credits: int, now: float) -> None:
        self.used_credits = used_credits
        self._totals.append((now, used_credits))

    def admits_usage(self, now: float) -> bool:
        while self._asked_at and now - self._asked_at[0] >= MINUTE_SECONDS:
            self._asked_at.popleft()
        if len(self._asked_at) >= USAGE_PER_MINUTE:
            return False
        self._asked_at.append(now)
        return True

    def usage(self, now: float, today: datetime) -> dict[str, int | str]:
        """Credits as they stood `usage_lag_seconds` ago; the rest as it is. The month began with this day: all that the
        simulator ever charged belongs to it."""
        renews_on = (today.astimezone(UTC) + MONTH).date()
        while self._totals and self._totals[0][0] <= now - self._usage_lag_seconds:
            self._published_credits = self._totals.popleft()[1]
        return {
            "max_api_credit": self.max_credits,
            "used_api_credit": self._published_credits,
            "max_concurrency": self.max_concurrency,
            "current_concurrency": self.concurrent,
            "renewal_subscription_date": f"{renews_on}T00:00:00",
        }
