"""The debug mode's pace and that of the shared frontier are one rule, written twice."""

import random
from typing import Any

import pytest

from prospector.core.visits.pace import SitePace, after_fetch
from prospector.core.visits.ticket import Verdict
from prospector.frontier import calls
from prospector.frontier.calls import Fetch

LEAST, MOST = 1_000, 60_000
STEPS = 9  # of a minute each: after ten minutes a strike is forgotten, which a debug run does not live to see


@pytest.mark.parametrize("seed", range(8))
def test_both_rules_give_the_same_delays_for_any_run_of_answers(frontier: Any, seed: int) -> None:
    chance = random.Random(seed)
    frontier.job("job", ["a.example"])
    pace: SitePace | None = None

    for _ in range(STEPS):
        frontier.advance(1_001)  # with the minute of `one`: the longest delay, rounded up
        ticket = frontier.one()
        latency_ms, strained = chance.choice([5, 900, 1_001, 4_321, 70_000]), chance.random() < 0.4
        least_ms = chance.choice([LEAST, LEAST, 2_500])
        how = Fetch.STRAINED if strained else Fetch.FINE
        told = frontier.run(calls.release(ticket.lease, how, latency_ms, LEAST, MOST, 0, least_ms))
        known = frontier.redis.hmget("prospector:site:a.example", "strikes")
        pace = after_fetch(
            pace or SitePace(frontier.terms.delay_ms), latency_ms, strained=strained, least_ms=least_ms, most_ms=MOST
        )
        frontier.run(calls.settle(ticket.lease, Verdict.AGAIN))

        assert (told[0], int(known[0])) == (pace.delay_ms, pace.strikes)
