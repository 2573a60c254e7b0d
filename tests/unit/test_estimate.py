"""The estimate: ranges that grow with the list, bounded by politeness, free where nothing is paid."""

from decimal import Decimal

import pytest

from prospector.core.job.cost import PastJob
from prospector.core.job.estimate import PAGES_PER_DOMAIN, estimate
from prospector.core.visits.methods import Mode

CENT = Decimal("0.01")
DELAY_MS = 1_000
LIST = [f"site-{number}.com" for number in range(5_000)]


def test_what_is_free_costs_nothing() -> None:
    plan = estimate(LIST, Mode.FREE_ONLY, CENT, DELAY_MS)

    assert (plan.credits_low, plan.credits_high) == (0, 0)


def test_paid_modes_cost_a_range_and_the_browser_costs_more() -> None:
    hybrid, premium = estimate(LIST, Mode.HYBRID, CENT, DELAY_MS), estimate(LIST, Mode.PREMIUM_ONLY, CENT, DELAY_MS)

    assert 0 < hybrid.credits_low < hybrid.credits_high < premium.credits_low < premium.credits_high


def test_a_hundred_credits_are_a_dollar() -> None:
    plan = estimate(LIST, Mode.HYBRID, CENT, DELAY_MS)

    assert plan.dollars_low == plan.credits_low / 100
    assert plan.dollars_high == plan.credits_high / 100


@pytest.mark.parametrize("mode", list(Mode))
def test_time_and_cost_grow_with_the_list(mode: Mode) -> None:
    small, large = estimate(LIST[:500], mode, CENT, DELAY_MS), estimate(LIST, mode, CENT, DELAY_MS)

    assert small.seconds_low <= large.seconds_low
    assert small.seconds_high < large.seconds_high
    assert small.credits_high <= large.credits_high
    assert large.seconds_low < large.seconds_high


def test_one_domain_takes_as_long_as_politeness_says() -> None:
    plan = estimate(["a.com"], Mode.HYBRID, CENT, DELAY_MS)

    assert plan.seconds_low == PAGES_PER_DOMAIN.low * DELAY_MS / 1000
    assert estimate(["a.com"], Mode.HYBRID, CENT, 10 * DELAY_MS).seconds_low == 10 * plan.seconds_low


def test_the_domains_of_one_site_wait_for_each_other() -> None:
    apart = estimate([f"site-{number}.com" for number in range(100)], Mode.HYBRID, CENT, DELAY_MS)
    together = estimate([f"blog-{number}.acme.com" for number in range(100)], Mode.HYBRID, CENT, DELAY_MS)

    assert (apart.sites, together.sites) == (100, 1)
    assert together.seconds_low == 100 * PAGES_PER_DOMAIN.low
    assert together.seconds_low > apart.seconds_high


def test_a_slow_site_is_left_after_its_hour() -> None:
    plan = estimate(["a.com"], Mode.HYBRID, CENT, 3_600_000)

    assert (plan.seconds_low, plan.seconds_high) == (3600, 3600)


def test_an_empty_list_takes_nothing() -> None:
    plan = estimate([], Mode.HYBRID, CENT, DELAY_MS)

    assert (plan.domains, plan.sites, plan.seconds_high, plan.credits_high) == (0, 0, 0, 0)


def test_it_says_that_there_is_no_history() -> None:
    assert estimate(LIST, Mode.HYBRID, CENT, DELAY_MS).basis == "no history yet"


def test_what_earlier_jobs_used_replaces_the_guess() -> None:
    plan = estimate(LIST, Mode.HYBRID, CENT, DELAY_MS, [PastJob(1_000, 1_000 + number) for number in range(4)])

    assert (plan.credits_low, plan.credits_high) == (5_002, 5_014)
    assert plan.basis == "from 4 earlier jobs"
