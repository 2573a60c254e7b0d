"""How long something takes, as counts in buckets: they add up over workers, and percentiles come out of the sum."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence

BOUNDS_MS = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
BUCKETS = len(BOUNDS_MS) + 1  # the last one has no bound


def bucket(ms: float) -> int:
    return bisect_left(BOUNDS_MS, ms)


def added(counts: Iterable[Sequence[int]]) -> tuple[int, ...]:
    return tuple(map(sum, zip(*counts, strict=True))) or (0,) * BUCKETS


def percentile_ms(counts: Sequence[int], share: float) -> int | None:
    """The bound below which this share lies; None where nothing was counted, the greatest bound where it lies beyond."""
    wanted = sum(counts) * share
    if not wanted:
        return None
    seen = 0
    for bound, count in zip(BOUNDS_MS, counts, strict=False):
        seen += count
        if seen >= wanted:
            return bound
    return BOUNDS_MS[-1]


def written(counts: Sequence[int]) -> str:
    return " ".join(map(str, counts))


def read(words: str) -> tuple[int, ...]:
    counts = tuple(map(int, words.split()))
    return counts if len(counts) == BUCKETS else (0,) * BUCKETS


class Times:
    """Counts what ended, and knows how long the one under way has lasted. Moments are in seconds, of any steady clock."""

    def __init__(self) -> None:
        self.counts = [0] * BUCKETS
        self._began: float | None = None

    def begin(self, now: float) -> None:
        self._began = now

    def end(self, now: float) -> None:
        if self._began is not None:
            self.counts[bucket((now - self._began) * 1000)] += 1
            self._began = None

    def under_way_ms(self, now: float) -> int:
        return 0 if self._began is None else round((now - self._began) * 1000)
