"""The account: what /usage says and when, and where credits and places end."""

from datetime import UTC, datetime

import pytest

from prospector.demo.scrapingbee.account import Account

TODAY = datetime(2026, 11, 18, 10, 0, tzinfo=UTC)


@pytest.fixture
def account() -> Account:
    return Account("key", max_credits=1000, max_concurrency=2, usage_lag_seconds=60)


def test_usage_shows_credits_as_they_stood_a_minute_ago(account: Account) -> None:
    account.charge(5, now=0)
    account.charge(1, now=30)

    assert account.usage(59, TODAY)["used_api_credit"] == 0
    assert account.usage(60, TODAY)["used_api_credit"] == 5
    assert account.usage(90, TODAY)["used_api_credit"] == 6


def test_usage_has_the_fields_of_the_documentation(account: Account) -> None:
    account.enter()

    assert account.usage(0, TODAY) == {
        "max_api_credit": 1000,
        "used_api_credit": 0,
        "max_concurrency": 2,
        "current_concurrency": 1,
        "renewal_subscription_date": "2026-12-18T00:00:00",
    }


def test_usage_may_be_asked_six_times_in_any_minute(account: Account) -> None:
    assert [account.admits_usage(now) for now in (0, 10, 20, 30, 40, 50, 55, 59)] == [True] * 6 + [False] * 2
    assert account.admits_usage(60)
    assert not account.admits_usage(61)


def test_the_last_call_may_end_above_the_limit_as_it_does_at_scrapingbee(account: Account) -> None:
    account.charge(998, now=0)
    assert not account.exhausted

    account.charge(5, now=1)

    assert account.exhausted
    assert account.used_credits == 1003


def test_places_are_counted_exactly_and_the_peak_is_kept(account: Account) -> None:
    assert [account.enter(), account.enter()] == [1, 2]
    assert account.full

    account.leave()

    assert (account.full, account.concurrent, account.peak_concurrent) == (False, 1, 2)
