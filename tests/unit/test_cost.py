"""What a job may cost: from earlier jobs where there are any, and said as people say it."""

from decimal import Decimal

import pytest

from prospector.core.job.cost import CreditRange, PastJob, credit_range, dollars, in_words
from prospector.core.visits.methods import Mode

CENT = Decimal("0.01")


def test_without_history_the_range_is_a_guess_and_says_so() -> None:
    expected = credit_range(Mode.HYBRID, 5_000, [])

    assert (expected.low, expected.high, expected.jobs) == (2_250, 30_000, 0)
    assert in_words(expected, Mode.HYBRID, CENT) == (
        "Estimated cost: $23-$300 (2,250-30,000 ScrapingBee credits) based on hybrid mode and typical lists (no history yet)"
    )


def test_what_earlier_jobs_used_a_domain_makes_the_range() -> None:
    history = [PastJob(1_000, 1_000 + 100 * number) for number in range(11)]

    expected = credit_range(Mode.HYBRID, 5_000, history)

    assert (expected.low, expected.high, expected.jobs) == (5_500, 9_500, 11)
    assert in_words(expected, Mode.HYBRID, CENT).endswith("based on hybrid mode and historical data (11 earlier jobs)")


def test_one_earlier_job_is_not_taken_for_the_rule() -> None:
    expected = credit_range(Mode.HYBRID, 1_000, [PastJob(500, 500)])

    assert (expected.low, expected.high, expected.jobs) == (500, 2_000, 1)
    assert in_words(expected, Mode.HYBRID, CENT).endswith("(1 earlier job)")


def test_a_tiny_job_says_nothing_about_a_large_one() -> None:
    assert credit_range(Mode.HYBRID, 1_000, [PastJob(2, 900)]) == credit_range(Mode.HYBRID, 1_000, [])


def test_free_only_costs_nothing_whatever_was_before() -> None:
    expected = credit_range(Mode.FREE_ONLY, 50_000, [PastJob(100, 100)])

    assert (expected.low, expected.high) == (0, 0)
    assert in_words(expected, Mode.FREE_ONLY, CENT) == "Estimated cost: $0 (mode free-only: nothing is paid for)"


def test_credits_become_dollars_to_the_cent() -> None:
    assert dollars(6_247, CENT) == Decimal("62.47")
    assert dollars(5, Decimal("0.000327")) == Decimal("0.00")
    assert dollars(1, Decimal("0.005")) == Decimal("0.01")


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (5_000, 8_000, "Estimated cost: $50-$80 (5,000-8,000 ScrapingBee credits)"),
        (150, 240, "Estimated cost: $1.50-$2.40 (150-240 ScrapingBee credits)"),
        (200_000, 1_000_000, "Estimated cost: $2,000-$10,000 (200,000-1,000,000 ScrapingBee credits)"),
    ],
)
def test_the_estimate_is_said_in_dollars_and_credits(low: int, high: int, words: str) -> None:
    assert in_words(CreditRange(low, high, 0), Mode.HYBRID, CENT).startswith(words)
