"""How a site's delay follows what it answers, without a server."""

import pytest

from prospector.core.visits.pace import SitePace, after_fetch

LEAST, MOST = 1_000, 60_000


def after(
    delay_ms: int, latency_ms: int, *, strained: bool = False, strikes: int = 0, least_ms: int = LEAST
) -> SitePace:
    pace = SitePace(delay_ms, strikes)
    return after_fetch(pace, latency_ms, strained=strained, least_ms=least_ms, most_ms=MOST)


@pytest.mark.parametrize(
    ("delay_ms", "latency_ms", "expected"),
    [
        (1_000, 50, 1_000),  # never under the least
        (1_000, 3_000, 3_000),  # as slow as the site at once
        (5_000, 1_000, 3_000),  # and faster by halves
        (1_001, 1_002, 1_002),  # rounded up
        (1_000, 100_000, MOST),
    ],
)
def test_a_delay_follows_the_latency(delay_ms: int, latency_ms: int, expected: int) -> None:
    assert after(delay_ms, latency_ms) == SitePace(expected)


def test_each_strike_doubles_the_delay_as_far_as_it_may_grow() -> None:
    pace, seen = SitePace(LEAST), []
    for _ in range(8):
        pace = after_fetch(pace, 10, strained=True, least_ms=LEAST, most_ms=MOST)
        seen.append(pace.delay_ms)

    assert seen == [2_000, 4_000, 8_000, 16_000, 32_000, MOST, MOST, MOST]


def test_a_failure_never_shortens_a_delay() -> None:
    assert after(40_000, 10, strained=True).delay_ms == 40_000


def test_a_crawl_delay_is_a_least_one() -> None:
    assert after(1_000, 10, least_ms=7_000).delay_ms == 7_000
