"""Promises 4, 5, 6 and 10: budgets, holds, the end of a domain, and fairness between jobs."""

from itertools import pairwise

import pytest

from prospector.core.visits.methods import Method
from prospector.core.visits.ticket import Found, PageState, Ticket, Verdict
from prospector.frontier import calls, job_calls, paid_calls, rebuild_calls
from prospector.frontier.calls import Fetch

from .conftest import DELAY_MS, Hand

PAID = PageState(method=Method.JS)


def escalated(frontier: Hand, job: str, domains: list[str], **limits: int) -> None:
    """A job whose homepages all need a paid method now."""
    frontier.job(job, domains, **limits)
    frontier.advance(1000)
    for ticket in frontier.claim().tickets:
        frontier.finish(ticket, Verdict.AGAIN, state=PAID)
    frontier.advance(1000)


def money(frontier: Hand, job: str) -> tuple[int, int]:
    counters = frontier.counters(job)
    return counters["spent"], counters["reserved"]


def test_reserved_and_spent_never_exceed_the_cap_and_the_rest_is_parked(frontier: Hand) -> None:
    escalated(frontier, "one", [f"site{number}.test" for number in range(10)], cap_credits=23)

    tickets = frontier.claim().tickets

    assert [ticket.price for ticket in tickets] == [5, 5, 5, 5]
    assert money(frontier, "one") == (0, 20)
    assert frontier.counters("one")["parked"] == 0  # a call that fails gives its credits back
    for ticket in tickets:
        frontier.run(paid_calls.charge(ticket.lease, 5))
        frontier.finish(ticket)
    for _ in range(3):
        frontier.advance(1000)
        assert frontier.claim().tickets == ()
    assert money(frontier, "one") == (20, 0)
    assert frontier.counters("one")["parked"] == 6


def test_credits_that_come_back_are_spent_without_an_operator(frontier: Hand) -> None:
    escalated(frontier, "one", ["shop.test", "blog.test"], cap_credits=5)
    (first,) = frontier.claim().tickets

    frontier.run(paid_calls.charge(first.lease, 0))
    frontier.finish(first, Verdict.FAILED)
    frontier.advance(1000)

    assert len(frontier.claim().tickets) == 1


def test_a_charge_turns_the_reservation_into_what_was_charged(frontier: Hand) -> None:
    escalated(frontier, "one", ["shop.test"])
    ticket = frontier.one()

    assert [frontier.run(paid_calls.charge(ticket.lease, 3)) for _ in range(2)] == [True, False]
    assert money(frontier, "one") == (3, 0)

    frontier.finish(ticket)
    assert money(frontier, "one") == (3, 0)


def test_an_outcome_nobody_knows_counts_at_full_price(frontier: Hand) -> None:
    escalated(frontier, "one", ["shop.test", "blog.test"])
    settled, lost = frontier.claim().tickets

    frontier.finish(settled)
    assert money(frontier, "one") == (5, 5)
    frontier.lose_worker()

    assert lost.price == 5
    assert money(frontier, "one") == (10, 0)


def test_a_paid_ticket_that_was_not_sent_costs_nothing(frontier: Hand) -> None:
    escalated(frontier, "one", ["shop.test"])
    ticket = frontier.one()

    frontier.run(calls.settle(ticket.lease, Verdict.UNSENT))

    assert money(frontier, "one") == (0, 0)


def test_a_higher_cap_brings_back_exactly_the_parked_pages(frontier: Hand) -> None:
    escalated(frontier, "one", [f"site{number}.test" for number in range(4)], cap_credits=5)
    first = frontier.one()
    frontier.run(paid_calls.charge(first.lease, 5))
    frontier.finish(first)
    frontier.advance(1000)
    assert frontier.claim().tickets == ()

    assert frontier.run(calls.lift("one", ["budget"], cap_credits=100)) == 3

    frontier.advance(1000)
    rest = frontier.claim().tickets
    assert len({ticket.url for ticket in rest} | {first.url}) == 4
    assert frontier.counters("one")["parked"] == 0


def test_paid_requests_in_flight_never_exceed_the_cap_and_no_job_starves(frontier: Hand) -> None:
    frontier.job("big", [f"big{number}.test" for number in range(12)])
    escalated(frontier, "small", ["small1.test", "small2.test"])
    flying: list[Ticket] = []
    served: list[str] = []

    for _ in range(60):
        frontier.advance(1000)
        got = list(frontier.claim(paid_most=3).tickets)
        flying += got
        served += [ticket.job for ticket in got]
        assert len(flying) <= 3
        if flying:
            done = flying.pop(0)
            frontier.run(paid_calls.charge(done.lease, 5))
            frontier.finish(done)

    assert sorted(served) == ["big"] * 12 + ["small"] * 2
    assert served.index("small") < 8


def test_a_held_job_gets_nothing_and_what_is_in_flight_ends_and_counts(frontier: Hand) -> None:
    frontier.job("one", ["shop.test", "blog.test"])
    ticket = frontier.claim(n=1).tickets[0]
    changes = frontier.claim(n=0).changes

    assert frontier.run(calls.hold("one")) == 1
    frontier.advance(60_000)
    frontier.found(ticket, "/hop")
    frontier.finish(ticket, Verdict.AGAIN, state=PAID)

    claim = frontier.claim()
    assert claim.tickets == ()
    assert claim.changes > changes


def test_a_lift_goes_on_with_every_page_and_repeats_none(frontier: Hand) -> None:
    frontier.job("one", ["shop.test", "blog.test"])
    ticket = frontier.claim(n=1).tickets[0]
    frontier.found(ticket, "/a")
    frontier.finish(ticket)
    frontier.run(calls.hold("one"))
    frontier.advance(86_400_000)

    frontier.run(calls.lift("one"))

    urls = []
    for _ in range(2):
        frontier.advance(1000)
        for one in frontier.claim().tickets:
            urls.append(one.url)
            frontier.finish(one)
    other = next(name for name in ("shop.test", "blog.test") if name != ticket.domain)
    assert sorted(urls) == sorted([f"https://{other}/", f"https://{ticket.domain}/a"])


def test_a_domain_ends_when_nothing_is_queued_in_flight_or_away_and_is_closed_once(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    ticket = frontier.one()
    frontier.found(ticket, "/later", "/parked")
    frontier.finish(ticket, mentions=2)
    frontier.finish(frontier.one(), Verdict.AGAIN, wait_ms=120_000)
    frontier.finish(frontier.one(), Verdict.PARK, reason="key")
    assert frontier.run(calls.ended()) == []

    frontier.run(calls.lift("one", ["key"]))
    frontier.finish(frontier.one(), Verdict.FAILED)
    assert frontier.run(calls.ended()) == []
    frontier.finish(frontier.one())

    ended = frontier.run(calls.ended())[0]
    assert {name: ended.counters[name] for name in ("fetched", "failed", "mentions")} == {
        "fetched": "3",
        "failed": "1",
        "mentions": "2",
    }
    assert [frontier.run(calls.close(ended, failed=False)) for _ in range(2)] == [(True, 0), (False, 0)]
    assert frontier.counters("one")["done"] == 1


def test_an_ended_domain_is_told_to_one_closer_and_to_another_if_that_one_dies(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    frontier.finish(frontier.one())

    assert len(frontier.run(calls.ended(for_ms=30_000))) == 1
    assert frontier.run(calls.ended()) == []
    frontier.advance(30_001)
    assert len(frontier.run(calls.ended())) == 1


def test_a_closed_domain_leaves_nothing_behind_but_its_site(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    ticket = frontier.one()
    frontier.found(ticket, *(f"/{number}" for number in range(20)))
    frontier.finish(ticket)
    for _ in range(20):
        frontier.finish(frontier.one(), Verdict.FAILED)
    frontier.run(calls.close(frontier.run(calls.ended())[0], failed=False))

    left = {key.decode() for key in frontier.redis.scan_iter("prospector:*shop.test*")}

    assert left == {"prospector:site:shop.test"}


def test_a_dropped_job_leaves_nothing_and_its_leases_end_by_themselves(frontier: Hand) -> None:
    frontier.job("one", [f"site{number}.test" for number in range(30)])
    ticket = frontier.claim(n=20).tickets[0]
    while not frontier.run(job_calls.drop("one", domains_a_call=7)):
        pass

    assert frontier.finish(ticket)

    left = {key.decode() for key in frontier.redis.scan_iter("prospector:*one*")}
    assert left == set()


def test_a_small_job_is_not_behind_the_backlog_of_a_big_one(frontier: Hand) -> None:
    frontier.job("big", [f"big{number}.test" for number in range(400)])
    frontier.advance(60_000)
    for ticket in frontier.claim(n=300).tickets:
        frontier.found(ticket, "/a")
        frontier.finish(ticket)
    frontier.advance(60_000)  # 300 sites overdue

    frontier.job("small", ["small.test"])

    assert "small" in [ticket.job for ticket in frontier.claim(n=4).tickets]


def test_a_worker_of_one_job_gets_nothing_of_the_others(frontier: Hand) -> None:
    frontier.job("mine", ["a.test", "shared.test"])
    frontier.job("other", ["b.test", "shared.test"])

    tickets = frontier.claim(only_job="mine").tickets

    assert {(one.job, one.domain) for one in tickets} == {("mine", "a.test"), ("mine", "shared.test")}
    assert frontier.claim(only_job="gone").tickets == ()
    assert [one.domain for one in frontier.claim().tickets] == ["b.test"]


def test_a_worker_of_one_job_leaves_suspects_of_others_to_others(frontier: Hand) -> None:
    frontier.job("mine", ["a.test"])
    frontier.job("other", ["poison.test"])
    frontier.claim(only_job="other", worker="node/a")
    frontier.advance(calls.LEASE_MS - 1)
    frontier.run(calls.beat("node/b", {}))  # its node lives on: the page may be to blame
    frontier.lose_worker()
    frontier.advance(1000)

    assert frontier.redis.zcard("prospector:suspects") == 1
    assert [one.domain for one in frontier.claim(only_job="mine", worker="node/b").tickets] == ["a.test"]
    assert [one.domain for one in frontier.claim(worker="node/c").tickets] == ["poison.test"]


def test_jobs_take_turns_on_a_site_they_share(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    frontier.job("two", ["shop.test"])
    served = []
    for number in range(12):
        ticket = frontier.one()
        served.append(ticket.job)
        frontier.found(ticket, f"/{number}a", f"/{number}b")
        frontier.finish(ticket)

    assert all(first != second for first, second in pairwise(served))


def test_domains_are_opened_as_workers_can_use_them_and_stalled_ones_keep_no_place(frontier: Hand) -> None:
    frontier.job("one", [f"site{number}.test" for number in range(50)])

    claim = frontier.claim(n=40, open_domains_per_worker=10)
    assert (len(claim.tickets), frontier.counters("one")["open"]) == (10, 10)
    for ticket in claim.tickets[:4]:
        frontier.free(ticket, Fetch.STRAINED, retry_after_ms=3_600_000)
        frontier.run(calls.settle(ticket.lease, Verdict.AGAIN))

    assert len(frontier.claim(n=40, open_domains_per_worker=10).tickets) == 4


def test_above_the_threshold_the_homepage_and_the_pages_with_most_links_are_fetched(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"], threshold_pages=20, top_pages=3)
    ticket = frontier.one()
    frontier.found(ticket, *(f"/{number}" for number in range(30)))
    for path, links in (("/7", 5), ("/21", 4), ("/3", 3), ("/9", 1)):
        for _ in range(links):
            frontier.found(ticket, path)
    frontier.finish(ticket)

    urls = []
    for _ in range(3):
        ticket = frontier.one()
        urls.append(ticket.url.rpartition("/")[2])
        frontier.finish(ticket)
    frontier.advance(60_000)

    assert urls == ["7", "21", "3"]
    assert frontier.claim().tickets == ()
    assert frontier.run(calls.ended())[0].counters["partial"] == "top"


def test_a_site_that_says_it_is_large_is_large(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"], threshold_pages=20, top_pages=3)
    ticket = frontier.one()

    frontier.found(ticket, "/a", site_pages=21)

    assert frontier.domain("one", "shop.test")["mode"] == "top"


def test_a_small_site_is_fetched_first_found_first(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    ticket = frontier.one()
    frontier.found(ticket, "/a", "/b", "/c")
    frontier.finish(ticket)

    urls = []
    for _ in range(3):
        ticket = frontier.one()
        urls.append(ticket.url.rpartition("/")[2])
        frontier.finish(ticket)

    assert urls == ["a", "b", "c"]


def test_what_is_queued_is_capped_and_what_was_refused_may_come_later(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"], max_queued=5)
    ticket = frontier.one()

    assert len(frontier.found(ticket, *(f"/{number}" for number in range(100)))) == 4  # the homepage is in flight
    assert frontier.redis.scard("prospector:seen:one:shop.test") == 5
    frontier.finish(ticket)
    frontier.finish(frontier.one())
    assert len(frontier.found(frontier.one(), "/97", "/98", "/99")) == 2  # two are queued, one is in flight


def test_the_cap_of_pages_and_of_minutes_end_a_domain_as_partial(frontier: Hand) -> None:
    frontier.job("pages", ["shop.test"], max_pages=2)
    frontier.job("time", ["blog.test"], max_ms=600_000)
    frontier.advance(1000)
    for _ in range(3):
        for ticket in frontier.claim().tickets:
            frontier.found(ticket, *(f"/{number}" for number in range(9)))
            frontier.finish(ticket)
        frontier.advance(DELAY_MS + 10)
    frontier.advance(600_000)
    frontier.claim()

    ended = {one.job: one.counters for one in frontier.run(calls.ended())}

    assert ended["pages"]["partial"] == "pages"
    assert ended["pages"]["fetched"] == "2"
    assert ended["time"]["partial"] == "time"


def test_pages_that_are_read_and_not_yet_committed_count_against_the_cap(frontier: Hand) -> None:
    """The site is free again when a page is read; its row may take longer than the delay."""
    frontier.job("one", ["shop.test"], max_pages=3)
    ticket = frontier.one()
    frontier.found(ticket, *(f"/{number}" for number in range(9)))
    uncommitted = [ticket]
    for _ in range(2):
        frontier.free(uncommitted[-1])
        uncommitted.append(frontier.one())
    frontier.free(uncommitted[-1])

    frontier.advance(60_000)
    assert frontier.claim().tickets == ()
    hop, *pages = uncommitted
    frontier.run(calls.settle(hop.lease, Verdict.ASIDE))
    another = frontier.one()
    frontier.free(another)
    frontier.advance(60_000)
    assert frontier.claim().tickets == ()
    for page in (*pages, another):
        frontier.run(calls.settle(page.lease, Verdict.DONE))
    frontier.advance(60_000)
    assert frontier.claim().tickets == ()

    [ended] = frontier.run(calls.ended())
    assert (ended.counters["fetched"], ended.counters["partial"]) == ("3", "pages")


def test_a_domain_that_waits_at_its_cap_keeps_no_other_of_its_site_waiting(frontier: Hand) -> None:
    frontier.job("one", ["a.shop.test", "b.shop.test"], max_pages=1)
    first = frontier.one()
    frontier.found(first, "/a")
    frontier.free(first)

    second = frontier.one()

    assert {first.domain, second.domain} == {"a.shop.test", "b.shop.test"}


@pytest.mark.parametrize("settled", [False, True])
def test_a_page_that_lost_its_worker_is_not_fetched_beyond_the_cap(frontier: Hand, *, settled: bool) -> None:
    frontier.job("one", ["shop.test"], max_pages=2)
    ticket = frontier.one()
    frontier.found(ticket, "/a", "/b")
    frontier.finish(ticket)
    suspect = frontier.one()
    frontier.advance(calls.LEASE_MS + 1)
    frontier.run(calls.beat("node/witness", {"pages": 1}))
    frontier.run(calls.reap())
    frontier.redis.hset("prospector:domain:one:shop.test", "fetched" if settled else "flying", 2 if settled else 1)

    assert frontier.claim(worker="node/b").tickets == ()
    frontier.advance(60_000)
    assert frontier.claim(worker="node/b").tickets == ()

    ended = [one.counters["partial"] for one in frontier.run(calls.ended())]
    assert ended == (["pages"] if settled else [])
    assert suspect.url != ticket.url


def test_time_on_hold_is_not_the_domain_s(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"], max_ms=600_000)
    ticket = frontier.one()
    frontier.found(ticket, "/a")
    frontier.finish(ticket)
    frontier.run(calls.hold("one"))
    frontier.advance(86_400_000)
    frontier.run(calls.lift("one"))

    assert frontier.one().url == "https://shop.test/a"


def test_a_restored_domain_goes_on_with_what_the_record_had(frontier: Hand) -> None:
    frontier.job("one", [])
    seed = calls.Seed("shop.test", 4, "shop.test", "https://shop.test/", 1, generation=2)

    assert [
        frontier.run(
            rebuild_calls.restore("one", seed, 1000, {"fetched": 2}, [1, 2, 3], [Found("https://shop.test/c", 3)])
        )
        for _ in range(2)
    ] == [True, False]

    ticket = frontier.one()
    assert (ticket.url, ticket.number, ticket.generation) == ("https://shop.test/c", 4, 2)
    assert frontier.run(
        calls.add(ticket.lease, [Found("https://shop.test/b", 2), Found("https://shop.test/d", 4)])
    ) == [Found("https://shop.test/d", 4)]
    frontier.finish(ticket)
    assert frontier.domain("one", "shop.test")["fetched"] == "3"
