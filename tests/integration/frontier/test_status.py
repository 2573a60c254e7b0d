"""Where a job stands, from counters alone."""

from prospector.core.visits.ticket import Verdict
from prospector.frontier import calls, job_calls
from prospector.frontier.calls import Fetch
from prospector.frontier.job_calls import Recently, Status

from .conftest import Hand


def status(frontier: Hand, job: str = "one") -> Status:
    found = frontier.run(job_calls.status([job]))[0]
    assert found
    return found


def test_a_job_that_is_not_known_has_no_status(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])

    found = frontier.run(job_calls.status(["other", "one"]))

    assert [one.job if one else None for one in found] == [None, "one"]


def test_status_follows_a_job_from_its_first_page_to_its_last(frontier: Hand) -> None:
    frontier.job("one", ["shop.test", "blog.test"], held=True, cap_credits=7)
    held = status(frontier)
    frontier.run(calls.lift("one"))
    ticket = frontier.claim(n=1).tickets[0]
    frontier.found(ticket, "/a", "/b", "/c")
    on_its_way = status(frontier)
    frontier.finish(ticket, mentions=5)
    while tickets := frontier.claim().tickets:
        for one in tickets:
            frontier.finish(one, Verdict.FAILED)
        frontier.advance(60_000)
    for one in frontier.run(calls.ended()):
        frontier.run(calls.close(one, failed=one.domain == "blog.test"))
    end = status(frontier)

    assert held.held
    assert (held.domains_total, held.domains_waiting, held.domains_open, held.credits_cap) == (2, 2, 0, 7)
    assert held.last_activity is None
    assert not on_its_way.held
    assert (on_its_way.in_flight, on_its_way.queued, on_its_way.domains_open) == (1, 3, 1)
    assert (end.domains_waiting, end.domains_open, end.domains_done, end.domains_failed) == (0, 0, 1, 1)
    assert (end.pages, end.mentions, end.queued, end.in_flight) == (5, 5, 0, 0)
    assert end.last_activity


def test_what_is_queued_is_exact_where_a_limit_drops_the_rest_of_a_domain(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"], max_pages=2)
    ticket = frontier.one()
    frontier.found(ticket, *(f"/{number}" for number in range(10)))
    frontier.finish(ticket)
    frontier.finish(frontier.one())
    frontier.advance(60_000)

    assert frontier.claim().tickets == ()
    assert status(frontier).queued == 0


def test_rates_are_of_the_last_1_5_and_15_minutes(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    frontier.advance(60_000 - int(frontier.redis.time()[0] * 1000) % 60_000)  # somewhere in a minute
    ticket = frontier.one()
    frontier.found(ticket, *(f"/{number}" for number in range(30)))
    frontier.finish(ticket)
    for _ in range(9):
        frontier.finish(frontier.one())  # a minute each

    found = status(frontier).pages_recently
    frontier.advance(20 * 60_000)

    assert 1 <= found.in_1_minute <= 2
    assert 4 <= found.in_5_minutes <= 6
    assert found.in_15_minutes == 10
    assert status(frontier).pages_recently == Recently(0, 0, 0)
    frontier.finish(frontier.one())
    assert len(frontier.redis.hkeys("prospector:rate:one")) == 1


def test_parked_pages_are_told_by_reason(frontier: Hand) -> None:
    frontier.job("one", ["shop.test", "blog.test"])
    for ticket in frontier.claim().tickets:
        frontier.free(ticket)
        frontier.run(calls.settle(ticket.lease, Verdict.PARK, reason="budget"))

    found = status(frontier)

    assert found.domains_parked == 2
    assert found.parked_pages == {"budget": 2, "key": 0, "credits": 0, "provider": 0}


def crawled(frontier: Hand, most: int) -> None:
    for ticket in frontier.claim(n=most).tickets:
        frontier.finish(ticket)
    for one in frontier.run(calls.ended()):
        frontier.run(calls.close(one, failed=False))


def test_how_fast_a_job_is_counts_from_its_resume_and_not_from_before_its_rest(frontier: Hand) -> None:
    frontier.job("one", [f"site{number}.test" for number in range(9)])
    crawled(frontier, 5)
    frontier.advance(120_000)
    before = status(frontier)
    frontier.run(calls.hold("one"))
    held = status(frontier)
    frontier.advance(60_000)
    frontier.run(calls.lift("one"))
    crawled(frontier, 1)

    after = status(frontier)

    assert (before.domains_recently.in_5_minutes, after.domains_recently.in_5_minutes) == (5, 1)
    assert before.running_ms
    assert after.running_ms is not None
    assert held.running_ms is None
    assert after.running_ms < 60_000 < before.running_ms


def test_more_credits_for_a_job_that_runs_do_not_change_how_fast_it_was(frontier: Hand) -> None:
    frontier.job("one", ["shop.test", "blog.test"])
    crawled(frontier, 1)

    frontier.run(calls.lift("one", ["budget"], 20_000))

    assert status(frontier).domains_recently.in_5_minutes == 1


def test_a_time_in_which_nobody_claimed_is_no_part_of_how_fast_a_job_is(frontier: Hand) -> None:
    frontier.job("one", ["shop.test", "blog.test"])
    crawled(frontier, 1)
    frontier.redis.hincrby("prospector:meta", "skew", 600_000)  # the machine slept

    frontier.claim()

    found = status(frontier)
    assert found.domains_recently.in_15_minutes == 0
    assert found.running_ms is not None
    assert found.running_ms < 60_000


def test_domains_that_wait_for_a_far_moment_are_told_with_it(frontier: Hand) -> None:
    frontier.job("one", ["shop.test", "blog.test", "news.test"])
    for hours, ticket in zip((1, 3), frontier.claim(n=2).tickets, strict=True):
        frontier.free(ticket, Fetch.STRAINED, retry_after_ms=hours * 3_600_000)
        frontier.run(calls.settle(ticket.lease, Verdict.AGAIN, wait_ms=hours * 3_600_000))
    both = status(frontier)
    frontier.advance(2 * 3_600_000)
    one = status(frontier)
    frontier.advance(2 * 3_600_000)
    none = status(frontier)

    assert both.stalled_until is not None
    assert [found.domains_stalled for found in (both, one, none)] == [2, 1, 0]
    assert one.stalled_until == both.stalled_until
    assert none.stalled_until is None


def test_a_domain_that_waited_for_its_site_and_goes_on_is_no_longer_told(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    (ticket,) = frontier.claim().tickets
    frontier.free(ticket, Fetch.STRAINED, retry_after_ms=3_600_000)
    frontier.run(calls.settle(ticket.lease, Verdict.AGAIN, wait_ms=3_600_000))
    frontier.advance(3_600_001)

    frontier.finish(frontier.one())

    assert frontier.redis.exists("prospector:stalled:one") == 0
