"""Retry-After: seconds and dates, and what a hostile site may write there."""

from datetime import UTC, datetime

import pytest

from prospector.core.visits.retry_after import LONGEST_MS, retry_after_ms

NOW = datetime(2025, 1, 19, 14, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("raw", "wait_ms"),
    [
        ("120", 120_000),
        (" 7 ", 7_000),
        ("0", 0),
        ("Sun, 19 Jan 2025 14:02:00 GMT", 120_000),
        ("Sun, 19 Jan 2025 15:02:00 +0100", 120_000),
        ("Sun, 19 Jan 2025 14:02:00 -0000", 120_000),
        ("Sunday, 19-Jan-25 14:02:00 GMT", 120_000),
        ("Sun Jan 19 14:02:00 2025", 120_000),
    ],
)
def test_seconds_and_dates_are_read(raw: str, wait_ms: int) -> None:
    assert retry_after_ms(raw, NOW) == wait_ms


@pytest.mark.parametrize("raw", ["86401", "9" * 400, "Sun, 19 Jan 2031 14:00:00 GMT"])
def test_nobody_makes_us_wait_longer_than_a_day(raw: str) -> None:
    assert retry_after_ms(raw, NOW) == LONGEST_MS


@pytest.mark.parametrize(
    "raw", ["", "soon", "-5", "1.5", "\u0665", "Sun, 19 Jan 2025 13:59:59 GMT", "Sun, 99 Jan 2025 14:00:00 GMT", "1 2"]
)
def test_what_nobody_can_read_or_is_over_asks_for_nothing(raw: str) -> None:
    assert retry_after_ms(raw, NOW) == 0
