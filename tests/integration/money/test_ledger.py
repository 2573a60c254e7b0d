"""What the simulator charged is what the frontier has booked, whatever goes wrong on the way."""

from collections import Counter
from collections.abc import Callable
from threading import Event

import pytest

from prospector.demo.control import Control
from prospector.frontier import calls, paid_calls

from ..conftest import KEY  # noqa: TID252  # of the simulator that all suites share
from ..frontier.conftest import Hand  # noqa: TID252  # the frontier's suite has the words for it
from .conftest import Crawled

Crawl = Callable[..., Crawled]
SITES = [f"site{number}.test" for number in range(24)]


def booked(frontier: Hand) -> tuple[int, int]:
    counters = frontier.counters("one")
    return counters["spent"], counters["reserved"]


def calls_by_url(bee: Control) -> Counter[str]:
    return Counter(call["url"] for call in bee.truth()["calls"])


def test_a_calm_crawl_books_what_was_charged_and_keeps_to_its_slots(crawl: Crawl, bee: Control, frontier: Hand) -> None:
    bee.order("latency", low_ms=50, high_ms=150)

    crawled = crawl(SITES)

    truth = bee.truth()
    assert set(crawled.done.values()) == {"done"}
    assert booked(frontier) == (24, 0) == (truth["credits"], 0)
    assert truth["peak_concurrency"] == 6
    assert truth["outcomes"] == {"answered": 24}


def test_bursts_of_5xx_cost_nothing_and_lose_no_page(crawl: Crawl, bee: Control, frontier: Hand) -> None:
    bee.order("server_error", probability=0.3)

    crawled = crawl(SITES, faster=20)

    assert booked(frontier) == (bee.truth()["credits"], 0)
    assert list(crawled.done.values()).count("done") == bee.truth()["credits"] >= 22
    assert max(calls_by_url(bee).values()) <= 4


def test_a_budget_is_met_to_the_credit_with_many_calls_in_flight(crawl: Crawl, bee: Control, frontier: Hand) -> None:
    bee.order("latency", low_ms=50, high_ms=100)
    domains = [f"blocked{number}.test" for number in range(12)] + SITES[:12]

    crawl(domains, cap_credits=11)

    assert booked(frontier) == (bee.truth()["credits"], 0)
    assert bee.truth()["credits"] == 11
    assert frontier.counters("one")["parked"] > 0


def test_an_account_that_runs_dry_stops_every_paid_call(crawl: Crawl, bee: Control, frontier: Hand) -> None:
    bee.control(account={"max_credits": 9})
    bee.order("latency", low_ms=50, high_ms=100)

    crawled = crawl(SITES)
    for _ in range(3):
        frontier.advance(1_000)
        assert frontier.claim().tickets == ()

    refused = bee.truth()["outcomes"]["no_credits"]
    assert 1 <= refused <= 6  # what was in flight already
    assert frontier.run(paid_calls.provider()).stopped == "credits"
    assert len(crawled.done) + frontier.counters("one")["parked"] == 24
    assert booked(frontier) == (bee.truth()["credits"], 0)


def test_a_captcha_goes_up_one_step_and_a_page_is_asked_for_four_times_at_most(
    crawl: Crawl, bee: Control, frontier: Hand
) -> None:
    bee.order("captcha")

    crawled = crawl(SITES[:4])

    assert set(crawled.done.values()) == {"Blocked by a captcha or challenge page"}
    assert set(calls_by_url(bee).values()) == {2}
    assert booked(frontier) == (4 * 6, 0) == (bee.truth()["credits"], 0)


@pytest.mark.parametrize("fault", ["missing_cost", "malformed_cost"])
def test_a_price_nobody_can_read_counts_in_full(crawl: Crawl, bee: Control, frontier: Hand, fault: str) -> None:
    bee.order(fault)

    crawled = crawl(SITES[:6])

    assert set(crawled.done.values()) == {"done"}
    assert booked(frontier) == (6, 0)
    assert crawled.output.count("price_unknown") == 6


def test_calls_that_were_never_answered_are_never_booked_below_what_was_charged(
    crawl: Crawl, bee: Control, frontier: Hand
) -> None:
    bee.order("reset_after_billing", probability=0.4)

    crawl(SITES[:10], faster=20)

    assert booked(frontier)[0] >= bee.truth()["credits"] > 0
    assert booked(frontier)[1] == 0


def test_more_calls_than_the_account_allows_wait_and_fail_no_page(crawl: Crawl, bee: Control, frontier: Hand) -> None:
    bee.control(account={"max_concurrency": 2})
    bee.order("latency", low_ms=50, high_ms=100)

    crawled = crawl(SITES, faster=20)

    assert set(crawled.done.values()) == {"done"}
    assert bee.truth()["peak_concurrency"] == 2
    assert bee.truth()["outcomes"]["too_many"] <= 6  # those in flight when the limit was learned


@pytest.mark.parametrize("fault", ["outage_error", "outage_reset"])
def test_an_outage_opens_the_breaker_and_every_page_is_finished_after_it(
    crawl: Crawl, bee: Control, frontier: Hand, fault: str
) -> None:
    bee.order(fault)
    seen = []

    def pass_the_time(ended: Event) -> None:
        """A minute of outage in two seconds, then the rest."""
        for _ in range(600):
            if ended.wait(0.2):
                return
            provider = frontier.run(paid_calls.provider())
            if provider.open_ms is not None:
                seen.append(len(bee.truth()["calls"]))
                frontier.advance(6_000)
            if len(seen) == 10:
                bee.lift(fault)

    crawled = crawl(SITES, meanwhile=pass_the_time)

    assert set(crawled.done.values()) == {"done"}
    assert len(crawled.done) == 24
    during = [call for call in bee.truth()["calls"] if call["outcome"] == "outage"]
    assert len(during) <= 16 + 5  # until it opened, what was in flight then, and the probes
    assert seen
    spent, reserved = booked(frontier)
    assert (spent - bee.truth()["credits"], reserved) == (0 if fault == "outage_error" else len(during), 0)


def test_the_key_is_nowhere(crawl: Crawl, bee: Control, frontier: Hand) -> None:
    """Scrapy's log at DEBUG without our redaction, its stats, reprs and tracebacks of failures, and all of Redis."""
    for fault in ("server_error", "reset_after_billing", "cut_body", "malformed_cost", "captcha"):
        bee.order(fault, probability=0.2)
    domains = SITES + [f"blocked{number}.test" for number in range(6)]

    def reject(ended: Event) -> None:
        for outcome, account in (
            ("answered", {"key": "another-one"}),
            ("bad_key", {"key": KEY, "used_credits": 100_000}),
            ("no_credits", {"used_credits": 0}),
        ):
            while not ended.wait(0.1) and outcome not in bee.truth()["outcomes"]:
                frontier.run(calls.lift("one", ["key", "credits"]))
            bee.control(account=account)
        while not ended.wait(0.1):
            frontier.run(calls.lift("one", ["key", "credits"]))

    bee.order("latency", low_ms=200, high_ms=400)
    crawled = crawl(domains, meanwhile=reject, faster=20)

    assert {"bad_key", "no_credits", "answered"} <= set(bee.truth()["outcomes"])
    assert bee.truth()["key_in_url"] == []
    assert "PaidCallFailed" in crawled.output
    assert "Traceback" in crawled.output
    assert KEY not in crawled.output
    dump = b"".join(
        key + (frontier.redis.dump(key) or b"") + repr(everything(frontier, key)).encode()
        for key in frontier.redis.scan_iter("*")
    )
    assert b"https://site1.test/" in dump or b"site1.test" in dump
    assert KEY.encode() not in dump


def everything(frontier: Hand, key: bytes) -> object:
    match frontier.redis.type(key):
        case b"hash":
            return frontier.redis.hgetall(key)
        case b"zset":
            return frontier.redis.zrange(key, 0, -1)
        case b"set":
            return frontier.redis.smembers(key)
        case b"list":
            return frontier.redis.lrange(key, 0, -1)
    return frontier.redis.get(key)
