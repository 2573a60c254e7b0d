"""Faults on request: bounded by time, by calls and by a seed."""

import random

import pytest

from prospector.demo.scrapingbee.faults import Fault, Faults, Order

URLS = [f"https://s{number}.test/" for number in range(400)]


def struck(seed: int, urls: list[str]) -> set[str]:
    faults = Faults(seed)
    faults.place(Order(Fault.SERVER_ERROR, probability=0.3), now=0)
    return {attempt for attempt in map(faults.attempt, urls) if faults.strikes(Fault.SERVER_ERROR, attempt, now=1)}


def test_the_same_seed_strikes_the_same_attempts_in_whatever_order_they_come() -> None:
    twice = URLS + URLS
    shuffled = random.Random(7).sample(twice, len(twice))

    assert struck(1, twice) == struck(1, shuffled)
    assert struck(1, twice) != struck(2, twice)


def test_a_probability_is_met_and_a_repeated_call_has_a_new_chance() -> None:
    faults = Faults(3)
    faults.place(Order(Fault.SERVER_ERROR, probability=0.3), now=0)

    rate = len(struck(3, URLS * 5)) / (len(URLS) * 5)
    repeated = {faults.strikes(Fault.SERVER_ERROR, faults.attempt(URLS[0]), now=0) for _ in range(50)}

    assert 0.25 < rate < 0.35
    assert repeated == {True, False}


def test_an_order_ends_with_its_time_its_calls_or_when_it_is_lifted() -> None:
    faults = Faults(1)
    faults.place(Order(Fault.CAPTCHA, seconds=10), now=100)
    faults.place(Order(Fault.EMPTY_BODY, calls=2), now=100)
    faults.place(Order(Fault.CUT_BODY), now=100)

    faults.lift(Fault.CUT_BODY)

    assert faults.strikes(Fault.CAPTCHA, "1 a", now=109.9)
    assert not faults.strikes(Fault.CAPTCHA, "1 a", now=110)
    assert [faults.strikes(Fault.EMPTY_BODY, "1 a", now=1e9) for _ in range(3)] == [True, True, False]
    assert not faults.strikes(Fault.CUT_BODY, "1 a", now=100)


def test_an_order_placed_again_counts_its_calls_anew() -> None:
    faults = Faults(1)
    for _ in range(2):
        faults.place(Order(Fault.CAPTCHA, calls=1), now=0)

        assert [faults.strikes(Fault.CAPTCHA, "1 a", now=0) for _ in range(2)] == [True, False]


@pytest.mark.parametrize(("low_ms", "high_ms"), [(100, 300), (100, 0)])
def test_latency_lies_between_its_bounds(low_ms: int, high_ms: int) -> None:
    faults = Faults(1)
    faults.place(Order(Fault.LATENCY, low_ms=low_ms, high_ms=high_ms), now=0)

    waits = [faults.latency_seconds(f"1 {url}", now=0) for url in URLS]

    assert all(low_ms <= wait * 1000 <= max(low_ms, high_ms) for wait in waits)
