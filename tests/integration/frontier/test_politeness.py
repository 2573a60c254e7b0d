"""Promise 1: two requests to one site never start closer than its delay, whoever asks and whatever happened."""

import threading
import time
from dataclasses import replace
from itertools import pairwise

import pytest

from prospector.core.visits.ticket import Found, Verdict
from prospector.frontier import calls, rebuild_calls
from prospector.frontier.calls import Fetch
from prospector.frontier.client import Frontier
from prospector.frontier.pump import HEARD_SECONDS

from .conftest import DELAY_MS, Hand, Server

HOUR_MS = 3_600_000
QUICK_MS = 40  # where a delay is waited for
HEARD_MS = int(HEARD_SECONDS * 1000)


def test_eight_workers_and_two_jobs_keep_the_gap_of_every_site(frontier: Hand, shared_server: Server) -> None:
    hosts = [f"{name}.site{number}.test" for number in range(5) for name in ("www", "blog")]
    frontier.job("one", hosts)
    frontier.job("two", hosts)
    spans: list[tuple[str, float, float]] = []
    run_id, quick = frontier.run_id, replace(Hand.terms, delay_ms=QUICK_MS)

    def work(worker: str) -> None:
        mine = Frontier(shared_server.url)
        until = time.monotonic() + 60
        while len(spans) <= 200 and time.monotonic() < until:
            claim = mine.run(calls.claim(worker, 3, quick, run_id))
            began = time.monotonic()
            for ticket in claim.tickets:
                mine.run(calls.add(ticket.lease, [Found(f"{ticket.url}x", hash(ticket.url + "x"))]))
                ended = time.monotonic()
                mine.run(calls.release(ticket.lease, Fetch.FINE, 0, QUICK_MS, 60_000))
                mine.run(calls.settle(ticket.lease, Verdict.DONE))
                spans.append((ticket.site, began, ended))
        mine.close()

    threads = [threading.Thread(target=work, args=(f"node/{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(spans) > 200
    for site in {site for site, _, _ in spans}:
        of_site = sorted((began, ended) for one, began, ended in spans if one == site)
        gaps = [later[0] - earlier[1] for earlier, later in pairwise(of_site)]
        assert min(gaps) >= QUICK_MS / 1000, site


def test_a_site_in_flight_is_given_to_nobody_else(frontier: Hand) -> None:
    frontier.job("one", ["a.shop.test", "b.shop.test"])
    frontier.job("two", ["shop.test"])

    assert len(frontier.claim(worker="node/a").tickets) == 1
    frontier.advance(30_000)

    assert frontier.claim(worker="node/b").tickets == ()


def test_the_delay_counts_from_the_end_of_the_fetch(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    ticket = frontier.one()
    frontier.found(ticket, "/a")
    frontier.advance(10_000)
    frontier.finish(ticket)

    assert frontier.claim().tickets == ()
    frontier.advance(DELAY_MS + 1)

    assert len(frontier.claim().tickets) == 1


def test_what_is_told_late_counts_from_when_it_was_over(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    ticket = frontier.one()
    frontier.found(ticket, "/a")

    frontier.run(calls.release(ticket.lease, Fetch.FINE, 0, 60_000, 60_000, ended=40_000))
    frontier.run(calls.settle(ticket.lease, Verdict.DONE))

    frontier.advance(10_000)
    assert frontier.claim().tickets == ()
    frontier.advance(10_001)
    assert [one.url for one in frontier.claim().tickets] == ["https://shop.test/a"]


@pytest.mark.parametrize("verdict", [Verdict.AGAIN, Verdict.PARK, Verdict.ASIDE, Verdict.FAILED, Verdict.DONE])
def test_every_way_to_end_a_page_keeps_the_delay(frontier: Hand, verdict: Verdict) -> None:
    frontier.job("one", ["shop.test"])
    ticket = frontier.one()
    frontier.found(ticket, "/a")

    frontier.run(calls.settle(ticket.lease, verdict, reason="budget"))

    assert frontier.claim().tickets == ()
    frontier.advance(DELAY_MS + 1)
    assert len(frontier.claim().tickets) == 1


def test_a_ticket_that_was_not_sent_costs_the_site_no_delay_and_the_page_nothing(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    ticket = frontier.one()

    frontier.free(ticket, Fetch.UNSENT)
    frontier.run(calls.settle(ticket.lease, Verdict.UNSENT))

    again = frontier.claim().tickets
    assert [(one.url, one.state) for one in again] == [(ticket.url, ticket.state)]


def test_after_a_lost_worker_the_delay_applies_from_when_the_loss_was_noticed(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    frontier.one(worker="gone/a")
    frontier.lose_worker()

    assert frontier.claim(worker="node/b").tickets == ()
    frontier.advance(DELAY_MS + 1)
    assert len(frontier.claim(worker="node/b").tickets) == 1


def test_after_a_start_of_redis_no_site_is_granted_before_its_delay(own_server: Server) -> None:
    hand = Hand(own_server.url)
    hand.begin()
    hand.job("one", ["shop.test", "blog.test"])
    hand.free(hand.claim(n=1).tickets[0], Fetch.UNSENT)  # due at once, as far as the record of Redis goes
    time.sleep(1.1)  # appendfsync everysec

    own_server.kill()
    own_server.start()

    hand = Hand(own_server.url)
    assert hand.claim().tickets == ()
    hand.advance(HEARD_MS // 2)
    assert hand.claim().tickets == ()  # a worker may not have noticed yet, and send what Redis has forgotten
    hand.advance(HEARD_MS // 2 + 1 + DELAY_MS)
    assert len(hand.claim().tickets) >= 1


def test_after_a_start_of_redis_that_nobody_had_asked_for_long_only_the_delay_is_waited_for(own_server: Server) -> None:
    """A stack that was stopped for the night: its first job begins at once."""
    hand = Hand(own_server.url)
    hand.begin()
    hand.job("one", ["shop.test"])
    hand.redis.hincrby("prospector:meta", "clock", -20_000)
    time.sleep(1.1)  # appendfsync everysec

    own_server.kill()
    own_server.start()

    hand = Hand(own_server.url)
    assert hand.claim().tickets == ()
    hand.advance(DELAY_MS + 1)
    assert len(hand.claim().tickets) == 1


def test_a_start_or_a_silence_that_the_steward_has_met_costs_the_next_job_no_delay(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    meta = "prospector:meta"
    for changed in ({"run": "another"}, {"clock": frontier.now_ms() - 60_000, "looked": frontier.now_ms() - 60_000}):
        frontier.redis.hset(meta, mapping={"clock": frontier.now_ms() - 60_000} | changed)
        assert frontier.run(rebuild_calls.look())
        assert int(frontier.redis.hget(meta, "boot") or 0) >= frontier.now_ms() - 1_000

    frontier.advance(DELAY_MS + 1)

    assert len(frontier.claim().tickets) == 1


def test_after_a_loss_of_all_no_site_is_granted_while_a_worker_may_not_have_noticed(frontier: Hand) -> None:
    frontier.redis.flushdb()
    frontier.run(calls.begin(2))
    frontier.job("one", ["shop.test"])

    assert frontier.claim().tickets == ()
    frontier.advance(HEARD_MS // 2)
    assert frontier.claim().tickets == ()
    frontier.advance(HEARD_MS // 2 + 1 + DELAY_MS)
    assert len(frontier.claim().tickets) == 1


def test_a_clock_that_stepped_back_freezes_a_site_for_no_longer_than_its_delay(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    frontier.advance(HOUR_MS)
    ticket = frontier.one()
    frontier.found(ticket, "/a")
    frontier.finish(ticket)
    frontier.claim()

    frontier.advance(-HOUR_MS)

    assert frontier.claim().tickets == ()
    time.sleep((DELAY_MS + 1) / 1000)
    assert len(frontier.claim().tickets) == 1


def test_retry_after_is_obeyed_by_every_worker_and_job_and_parks_the_domain_when_far(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    frontier.job("two", ["blog.shop.test"])
    ticket = frontier.claim().tickets[0]

    _, blocked = frontier.free(ticket, Fetch.STRAINED, retry_after_ms=HOUR_MS)
    frontier.run(calls.settle(ticket.lease, Verdict.AGAIN))

    assert blocked > 0
    assert frontier.redis.zcard(f"prospector:stalled:{ticket.job}") == 1
    frontier.advance(HOUR_MS - 2000)
    assert frontier.claim(worker="node/b").tickets == ()
    frontier.advance(2000)
    assert len(frontier.claim(worker="node/b").tickets) == 1


def test_a_slow_site_gets_a_longer_delay_and_a_fast_one_comes_back(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    delays = []
    for latency_ms in (4_000, 4_000, 10, 10, 10, 10, 10, 10, 10, 10):
        ticket = frontier.one()
        frontier.found(ticket, f"/{len(delays)}")
        delays.append(frontier.free(ticket, latency_ms=latency_ms)[0])
        frontier.run(calls.settle(ticket.lease, Verdict.DONE))

    assert delays[1] >= delays[0] >= 4_000
    assert delays[-1] == DELAY_MS


def test_failures_lengthen_the_delay_and_are_forgiven_with_time(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"], max_ms=10 * HOUR_MS)
    delays = []
    for _ in range(3):
        ticket = frontier.one()
        delays.append(frontier.free(ticket, Fetch.STRAINED)[0])
        frontier.run(calls.settle(ticket.lease, Verdict.AGAIN))

    assert delays == [DELAY_MS * 2, DELAY_MS * 4, DELAY_MS * 8]

    frontier.advance(HOUR_MS)
    ticket = frontier.one()
    assert frontier.free(ticket, Fetch.STRAINED)[0] == DELAY_MS * 8  # one strike: not shortened by a failure
    frontier.run(calls.settle(ticket.lease, Verdict.AGAIN))
    for number in range(12):
        ticket = frontier.one()
        frontier.found(ticket, f"/{number}")
        last = frontier.free(ticket)[0]
        frontier.run(calls.settle(ticket.lease, Verdict.DONE))
    assert last == DELAY_MS


def test_a_crawl_delay_is_the_least_delay(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])

    assert frontier.free(frontier.one(), crawl_delay_ms=7_000)[0] == 7_000


def test_one_address_is_asked_twenty_times_a_second_at_most_over_all_its_sites(frontier: Hand) -> None:
    frontier.job("one", [f"site{number}.test" for number in range(12)])
    for ticket in frontier.claim().tickets:
        frontier.run(calls.bind(ticket.lease, "203.0.113.7"))
        frontier.found(ticket, "/a")
        frontier.finish(ticket)
    frontier.advance(60_000)

    given, looked_ms = [], [frontier.now_ms()]
    for _ in range(12):
        given.append(len(frontier.claim().tickets))
        looked_ms.append(frontier.now_ms())
        frontier.advance(50)

    assert sum(given) == 12
    # the wall clock moves on between two claims, on a busy machine by more than a turn
    assert all(
        count <= 1 + (until - since) / 50 for count, (since, until) in zip(given, pairwise(looked_ms), strict=True)
    )


def test_one_address_has_sixteen_requests_in_flight_at_most(frontier: Hand) -> None:
    frontier.job("one", [f"site{number}.test" for number in range(20)])
    tickets = frontier.claim().tickets

    waits = [frontier.run(calls.bind(ticket.lease, "203.0.113.7")) for ticket in tickets]
    for ticket, wait_ms in zip(tickets, waits, strict=True):
        if wait_ms:
            frontier.free(ticket, Fetch.UNSENT)
            frontier.run(calls.settle(ticket.lease, Verdict.UNSENT))
    for _ in range(40):
        frontier.advance(100)
        frontier.claim()

    assert int(frontier.redis.hget("prospector:address:203.0.113.7", "flying")) == 16


def test_a_clock_that_jumps_ahead_ends_no_domain_and_starts_no_burst(frontier: Hand) -> None:
    frontier.job("one", ["shop.test", "blog.test"], max_ms=60_000)
    for ticket in frontier.claim().tickets:
        frontier.found(ticket, "/a")
        frontier.finish(ticket)

    frontier.redis.hincrby("prospector:meta", "skew", 3_600_000)
    at_once = frontier.claim().tickets
    reaped = frontier.run(calls.reap())
    frontier.advance(1_000)

    assert at_once == ()
    assert reaped == (0, 0)
    assert {one.url for one in frontier.claim().tickets} == {"https://shop.test/a", "https://blog.test/a"}


def test_workers_that_could_not_reach_the_server_for_long_lose_no_lease(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    ticket = frontier.one(worker="node/a")
    frontier.run(calls.beat("node/b", {}))

    frontier.redis.hincrby("prospector:meta", "skew", calls.LEASE_MS + 10_000)
    first_to_return = frontier.run(calls.reap())
    assert frontier.run(calls.beat("node/a", {}))
    frontier.advance(20_000)

    assert first_to_return == frontier.run(calls.reap()) == (0, 0)
    assert frontier.finish(ticket)
