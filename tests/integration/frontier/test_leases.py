"""Promise 2 and 3: a page handed out is settled exactly once, and a page that kills workers is found out alone."""

import json
import shutil
from pathlib import Path

import pytest

from prospector.core.visits.methods import Method
from prospector.core.visits.ticket import Found, PageState, Verdict
from prospector.frontier import calls, job_calls, paid_calls
from prospector.frontier.calls import Fetch

from .conftest import Hand, Server


def test_a_page_is_handed_out_once(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    ticket = frontier.one()
    frontier.found(ticket, "/a", "/b", "/a")
    frontier.finish(ticket)

    urls = []
    for _ in range(2):
        ticket = frontier.one()
        urls.append(ticket.url)
        frontier.finish(ticket)
    frontier.advance(60_000)

    assert sorted(urls) == ["https://shop.test/a", "https://shop.test/b"]
    assert frontier.claim().tickets == ()


def test_a_second_settlement_changes_nothing(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    ticket = frontier.one()

    assert frontier.finish(ticket, mentions=3)
    before = frontier.counters("one")
    assert not frontier.finish(ticket, mentions=3)

    assert frontier.counters("one") == before
    assert (before["pages"], before["mentions"]) == (1, 3)


def test_a_worker_that_lost_its_lease_adds_settles_charges_and_releases_nothing(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    late = frontier.one(worker="gone/a")
    frontier.lose_worker()
    now = frontier.one(worker="node/b")
    before = (frontier.counters("one"), frontier.domain("one", "shop.test"))

    assert frontier.run(calls.add(late.lease, [Found("https://shop.test/late", 7)])) is None
    assert frontier.free(late, Fetch.STRAINED, retry_after_ms=1000) is None
    assert not frontier.run(paid_calls.charge(late.lease, 5))
    assert not frontier.run(calls.settle(late.lease, Verdict.DONE, 9))

    assert (frontier.counters("one"), frontier.domain("one", "shop.test")) == before
    assert frontier.finish(now)


def test_a_beat_keeps_every_lease_of_a_worker(frontier: Hand) -> None:
    frontier.job("one", ["shop.test", "blog.test"])
    assert len(frontier.claim().tickets) == 2

    for _ in range(5):
        frontier.advance(calls.LEASE_MS - 10_000)
        assert frontier.run(calls.beat("node/a", {"pages": 1}))

    assert frontier.run(calls.reap()) == (0, 0)


def test_a_worker_that_wakes_after_its_leases_were_taken_back_is_told_so(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    frontier.one()
    frontier.lose_worker()

    assert not frontier.run(calls.beat("node/a", {"pages": 1}))


def test_a_lost_page_is_handed_out_alone_and_the_worker_gets_nothing_beside_it(frontier: Hand) -> None:
    frontier.job("one", ["poison.test", "shop.test", "blog.test"])
    lost = [one for one in frontier.claim(worker="node/a").tickets if one.domain == "poison.test"]
    others = frontier.redis.smembers("prospector:hands:node/a") - {lost[0].lease.encode()}
    for lease in others:
        frontier.run(calls.settle(lease.decode(), Verdict.AGAIN))
    frontier.claim(n=0, worker="node/b")  # another worker of the node shows that the node lives
    frontier.advance(calls.LEASE_MS)
    frontier.claim(n=0, worker="node/b")
    frontier.run(calls.reap())

    frontier.advance(1000)
    alone = frontier.claim(n=10, worker="node/b").tickets
    beside = frontier.claim(n=10, worker="node/b").tickets
    elsewhere = frontier.claim(n=10, worker="node/c").tickets

    assert [one.domain for one in alone] == ["poison.test"]
    assert beside == ()
    assert {one.domain for one in elsewhere} == {"shop.test", "blog.test"}


def test_a_worker_with_other_pages_in_hand_finishes_them_before_it_takes_a_suspect(frontier: Hand) -> None:
    frontier.job("one", ["poison.test"])
    frontier.one(worker="node/a")
    frontier.job("two", ["shop.test", "blog.test"])
    busy = frontier.claim(n=1, worker="node/b").tickets
    frontier.advance(calls.LEASE_MS - 1000)
    frontier.run(calls.beat("node/b", {"pages": 1}))
    frontier.advance(2000)
    frontier.run(calls.reap())
    frontier.advance(1000)

    assert frontier.claim(worker="node/b").tickets == ()
    frontier.finish(busy[0])
    assert [one.domain for one in frontier.claim(worker="node/b").tickets] == ["poison.test"]


def test_a_page_whose_worker_said_goodbye_while_it_was_paid_for_is_not_to_blame(frontier: Hand) -> None:
    """A deployment ends workers; their paid calls cannot be taken back, and no page has killed them."""
    frontier.job("one", ["shop.test"], first_method=Method.JS)
    for _ in range(calls.LOSSES_MOST + 1):
        frontier.one(worker="node/a")
        assert not frontier.run(calls.leave("node/a"))
        frontier.advance(calls.LEASE_MS + 1)
        frontier.run(calls.beat("node/b", {"pages": 0}))
        assert frontier.run(calls.reap()) == (1, 0)

        assert frontier.redis.zcard("prospector:suspects") == 0


def suspects(frontier: Hand, *domains: str, **release: int) -> None:
    """Their worker died while it had them, each after an answer that asked for this."""
    frontier.job("one", domains)
    frontier.advance(1000)
    for ticket in frontier.claim(worker="node/a").tickets:
        frontier.free(ticket, Fetch.STRAINED, **release)
    frontier.advance(calls.LEASE_MS + 1)
    frontier.run(calls.beat("node/b", {"pages": 0}))
    frontier.run(calls.reap())
    assert frontier.redis.zcard("prospector:suspects") == len(domains)


def test_a_suspect_whose_site_may_not_be_asked_yet_lets_all_others_work(frontier: Hand) -> None:
    suspects(frontier, "poison.test", retry_after_ms=7_200_000)
    frontier.job("two", ["shop.test", "blog.test"])
    frontier.advance(1000)

    assert len(frontier.claim(n=1, worker="node/b").tickets) == 1
    assert len(frontier.claim(n=1, worker="node/b").tickets) == 1
    assert frontier.redis.get("prospector:quiet") is None


def test_a_suspect_whose_address_may_not_be_asked_yet_waits_for_it(frontier: Hand) -> None:
    """The limits per address hold for pages that are handed out alone, too."""
    suspects(frontier, "poison.test")
    frontier.advance(60_000)
    frontier.redis.hset("prospector:site:poison.test", "address", "203.0.113.7")
    frontier.redis.hset("prospector:address:203.0.113.7", "flying", 16)

    assert frontier.claim(worker="node/b").tickets == ()

    frontier.redis.hset("prospector:address:203.0.113.7", "flying", 0)
    assert [one.domain for one in frontier.claim(worker="node/b").tickets] == ["poison.test"]


def test_a_suspect_whose_site_is_being_asked_lets_all_others_work(frontier: Hand) -> None:
    suspects(frontier, "poison.test")
    frontier.job("two", ["shop.test", "blog.test"])
    frontier.redis.hset("prospector:site:poison.test", "lease", "another")
    frontier.advance(5000)

    taken = [len(frontier.claim(n=1, worker="node/b").tickets) for _ in range(2)]

    assert taken == [1, 1]


def test_many_suspects_that_must_wait_hide_none_that_may_go(frontier: Hand) -> None:
    suspects(frontier, *(f"slow{number}.test" for number in range(60)), retry_after_ms=7_200_000)
    last = frontier.redis.zrange("prospector:suspects", -1, -1)[0].decode().split("\x1f")[1]
    frontier.redis.hdel(f"prospector:site:{last}", "blocked")
    frontier.advance(300_000)

    alone = [ticket.domain for _ in range(2) for ticket in frontier.claim(worker="node/b").tickets]

    assert alone == [last]


def died_alone(frontier: Hand, round_: int) -> None:
    """Worker `node/N` dies while another of its node lives on."""
    worker = f"node/{round_}"
    frontier.claim(n=10, worker=worker)
    frontier.advance(calls.LEASE_MS + 1)
    frontier.run(calls.beat("node/witness", {"pages": 0}))
    frontier.run(calls.reap())
    frontier.advance(1000)


def test_a_node_that_is_gone_blames_no_page_although_its_workers_beat_at_other_moments(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    frontier.claim(worker="node/a")
    frontier.advance(calls.LEASE_MS // 4 - 1_000)
    frontier.run(calls.beat("node/b", {"pages": 0}))  # a's next beat would come now; the node ends before it

    frontier.advance(calls.LEASE_MS + 1_000)
    taken, dead = frontier.run(calls.reap())

    assert (taken, dead) == (1, 0)
    assert frontier.redis.zcard("prospector:suspects") == 0
    assert frontier.one(worker="other/a").domain == "shop.test"


def test_a_page_whose_worker_dies_alone_with_it_is_a_dead_letter_with_its_reason(frontier: Hand) -> None:
    frontier.job("one", ["poison.test"])
    died_alone(frontier, 1)
    assert frontier.counters("one")["dead"] == 0

    died_alone(frontier, 2)

    letter = frontier.redis.hgetall("prospector:dead")
    assert list(letter) == [b"one\x1fpoison.test\x1fhttps://poison.test/"]
    assert json.loads(next(iter(letter.values())))["reason"] == "its worker died with it"
    assert frontier.claim(worker="node/9").tickets == ()
    assert [one.domain for one in frontier.run(calls.ended())] == ["poison.test"]


def test_a_dead_letter_is_handed_out_again_once_when_an_operator_asks(frontier: Hand) -> None:
    frontier.job("one", ["poison.test"])
    died_alone(frontier, 1)
    died_alone(frontier, 2)
    entry = "one\x1fpoison.test\x1fhttps://poison.test/"

    assert [frontier.run(job_calls.requeue(entry)) for _ in range(2)] == [True, False]

    assert frontier.one(worker="node/9").url == "https://poison.test/"


def test_a_lost_node_counts_against_no_page(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    for round_ in range(6):
        frontier.one(worker=f"far/{round_}")
        frontier.advance(calls.LEASE_MS + 1)
        frontier.run(calls.beat("node/witness", {"pages": 0}))
        frontier.run(calls.reap())

    assert frontier.counters("one")["dead"] == 0
    assert frontier.one().state.losses == 0


def test_nodes_that_are_silent_for_a_day_are_forgotten(frontier: Hand) -> None:
    for number in range(3):
        frontier.run(calls.beat(f"pod-{number}/a", {"pages": 0}))
    frontier.advance(86_400_000)
    frontier.run(calls.beat("pod-9/a", {"pages": 0}))

    frontier.run(calls.reap())

    assert frontier.redis.zrange("prospector:nodes", 0, -1) == [b"pod-9"]


def test_a_graceful_stop_counts_against_no_page(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    for round_ in range(6):
        ticket = frontier.one(worker=f"node/{round_}")
        frontier.run(calls.settle(ticket.lease, Verdict.UNSENT))

    assert frontier.one().state == PageState()


def test_what_nobody_can_read_becomes_a_dead_letter_and_runs_no_code(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    state = "prospector:state:one:shop.test"
    frontier.claim(n=0)
    frontier.redis.hset(state, "https://shop.test/", b"\x80\x04\x95cos\nsystem\n(S'touch /tmp/owned'\ntR.")
    frontier.advance(1000)

    frontier.claim(n=5)

    assert frontier.counters("one")["dead"] == 1
    assert b"unreadable" in frontier.redis.hvals("prospector:dead")[0]


def test_a_state_of_a_newer_version_is_left_for_workers_of_that_version(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    frontier.redis.hset("prospector:state:one:shop.test", "https://shop.test/", '{"v": 99}')
    frontier.claim(n=1)

    for _ in range(3):
        frontier.advance(10_000)
        assert frontier.claim().tickets == ()

    assert frontier.counters("one")["dead"] == 0
    assert frontier.domain("one", "shop.test")["away"] == "1"


@pytest.mark.parametrize("wait_ms", [0, 4_000])
def test_a_page_that_is_to_be_tried_again_comes_with_its_state_after_its_wait(frontier: Hand, wait_ms: int) -> None:
    frontier.job("one", ["shop.test"])
    state = PageState(attempt=2, extra={"hops": 3})
    frontier.finish(frontier.one(), Verdict.AGAIN, state=state, wait_ms=wait_ms)

    if wait_ms:
        frontier.advance(wait_ms - 1_000)
        assert frontier.claim().tickets == ()
    frontier.advance(1_000)
    ticket = frontier.claim().tickets[0]

    assert ticket.state == state
    assert frontier.counters("one")["pages"] == 0


def test_a_page_is_fetched_again_where_a_killed_redis_forgot_what_was_found_on_it(own_server: Server) -> None:
    """Its last second may be missing: then the lease is there, and what was added under it is not."""
    hand, kept = Hand(own_server.url), Path(f"{own_server.url.removeprefix('unix://')}-kept")
    hand.begin()
    hand.job("one", ["shop.test"])
    ticket = hand.one()
    log = Path(own_server.socket).parent / "appendonlydir"
    shutil.copytree(log, kept)
    assert hand.found(ticket, "/a") == ["https://shop.test/a"]

    own_server.kill()
    shutil.rmtree(log)
    shutil.copytree(kept, log)
    own_server.start()
    assert hand.run(calls.settle(ticket.lease, Verdict.DONE, 3, after_add=True))
    hand.claim(n=0)
    again = hand.one()
    counted = hand.counters("one")["pages"]
    found = hand.found(again, "/a")
    assert hand.run(calls.settle(again.lease, Verdict.DONE, 3, after_add=True))

    assert (again.url, again.state.extra["replayed"]) == (ticket.url, 1)
    assert (counted, found) == (0, ["https://shop.test/a"])
    assert (hand.counters("one")["pages"], hand.counters("one")["mentions"]) == (1, 3)
    hand.close()
