"""Promise 4 under load and after losses; the breaker, the account's own limit, and who is paid for first."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import pytest

from prospector.core.visits.evidence import Evidence
from prospector.core.visits.method_memory import MethodMemory
from prospector.core.visits.methods import Method
from prospector.core.visits.priority import RANK, Priority
from prospector.core.visits.ticket import Kind, PageState, Ticket, Verdict
from prospector.frontier import calls, job_calls, keys, paid_calls
from prospector.frontier.calls import Found
from prospector.frontier.client import Frontier
from prospector.frontier.paid_calls import Provider

from .conftest import Hand, Server

PAID = PageState(method=Method.JS)
HINTED = PageState(method=Method.JS, extra={RANK: Priority.HINTED})
CHEAP = PageState(method=Method.STANDARD)


def sites(count: int, name: str = "site") -> list[str]:
    return [f"{name}{number}.test" for number in range(count)]


def paying(frontier: Hand, job: str, domains: list[str], **limits: int) -> None:
    """A job that pays for every page."""
    frontier.job(job, domains, first_method=Method.JS, **limits)
    frontier.advance(1000)


def failed(frontier: Hand, ticket: Ticket, evidence: Evidence = Evidence.PROVIDER_FAILED, **more: int) -> bool:
    """The provider fails at a page, which then waits as the ladder says; True if the breaker is open."""
    is_open = frontier.run(paid_calls.provider_failed(ticket.lease, evidence, 0, **more))
    if is_open:
        frontier.finish(ticket, Verdict.PARK, reason="provider", state=ticket.state)
    else:
        frontier.finish(ticket, Verdict.AGAIN, state=ticket.state)
    return is_open


def paid(frontier: Hand, ticket: Ticket, verdict: Verdict = Verdict.DONE) -> None:
    frontier.run(paid_calls.charge(ticket.lease, ticket.price))
    frontier.finish(ticket, verdict)


def close_ended(frontier: Hand) -> None:
    for ended in frontier.run(calls.ended()):
        frontier.run(calls.close(ended, failed=False))


def outage(frontier: Hand, job: str = "one", count: int = 12) -> None:
    """The breaker is open, and every page of the job waits."""
    paying(frontier, job, sites(count))
    for ticket in frontier.claim().tickets:
        failed(frontier, ticket)
    assert frontier.run(paid_calls.provider()).open_ms is not None


# the breaker


def test_ten_failures_in_a_row_open_the_breaker(frontier: Hand) -> None:
    paying(frontier, "one", sites(12))

    opened = [failed(frontier, ticket) for ticket in frontier.claim().tickets]

    assert opened == [False] * 9 + [True] * 3


def test_failures_for_ten_seconds_and_nothing_else_open_the_breaker(frontier: Hand) -> None:
    paying(frontier, "one", sites(3))
    first, second, third = frontier.claim().tickets

    assert not failed(frontier, first)
    frontier.advance(9_000)
    assert not failed(frontier, second)
    frontier.advance(1_001)
    assert failed(frontier, third)


def test_one_answer_begins_the_count_anew(frontier: Hand) -> None:
    paying(frontier, "one", sites(20))
    tickets = frontier.claim().tickets
    for ticket in tickets[:9]:
        failed(frontier, ticket)

    paid(frontier, tickets[9])

    assert not failed(frontier, tickets[10])


def test_calls_that_nobody_answers_open_the_breaker_before_any_of_them_has_ended(frontier: Hand) -> None:
    paying(frontier, "one", sites(3))
    assert [frontier.run(paid_calls.confirm(ticket.lease)) for ticket in frontier.claim().tickets] == [True] * 3

    frontier.advance(25_000)
    frontier.run(calls.beat("node/a", {"pages": 3}))

    assert frontier.run(paid_calls.provider()).open_ms == 0


def test_calls_that_wait_for_the_record_and_have_not_left_say_nothing_of_the_provider(frontier: Hand) -> None:
    paying(frontier, "one", sites(3))
    assert len(frontier.claim().tickets) == 3

    frontier.advance(25_000)
    frontier.run(calls.beat("node/a", {"pages": 3}))

    assert frontier.run(paid_calls.provider()).open_ms is None


def test_a_few_slow_calls_among_answers_open_nothing(frontier: Hand) -> None:
    paying(frontier, "one", sites(4))
    *slow, quick = frontier.claim().tickets
    for ticket in slow:
        frontier.run(paid_calls.confirm(ticket.lease))
    frontier.advance(20_000)
    paid(frontier, quick)
    frontier.advance(20_000)

    assert frontier.run(paid_calls.provider()).open_ms is None


def test_while_it_is_open_free_work_goes_on_and_no_paid_page_is_handed_out(frontier: Hand) -> None:
    outage(frontier)
    frontier.job("free", ["free.test"])
    frontier.advance(2_000)

    assert [ticket.job for ticket in frontier.claim().tickets] == ["free"]
    assert frontier.counters("one")["parked"] == 12


def test_one_probe_goes_every_fifteen_seconds_over_all_workers(frontier: Hand) -> None:
    outage(frontier)

    probes = []
    for second in range(100):
        frontier.advance(1_000)
        for worker in ("node/a", "node/b", "node/c"):
            for ticket in frontier.claim(worker=worker).tickets:
                probes.append(second)
                assert failed(frontier, ticket)

    assert len(probes) in {5, 6}
    assert all(later - earlier >= 15 for earlier, later in pairwise(probes))


def test_a_probe_that_hangs_does_not_hold_up_the_next(frontier: Hand) -> None:
    outage(frontier)

    granted = 0
    for _ in range(40):
        frontier.advance(1_000)
        frontier.run(calls.beat("node/a", {"pages": 1}))
        granted += len(frontier.claim().tickets)

    assert granted == 2


def test_after_a_probe_that_was_answered_every_page_comes_back_and_none_twice(frontier: Hand) -> None:
    outage(frontier)
    frontier.advance(16_000)
    (probe,) = frontier.claim().tickets
    paid(frontier, probe)

    urls = [probe.url]
    for _ in range(5):
        frontier.advance(1_000)
        for ticket in frontier.claim().tickets:
            urls.append(ticket.url)
            paid(frontier, ticket)

    assert sorted(urls) == sorted(f"https://{site}/" for site in sites(12))
    assert frontier.counters("one")["parked"] == 0
    assert frontier.run(paid_calls.provider()) == Provider(None, "", 0, None)


# the key, and the account's credits


@pytest.mark.parametrize(("evidence", "reason"), [(Evidence.BAD_KEY, "key"), (Evidence.OUT_OF_CREDITS, "credits")])
def test_after_one_refusal_nothing_is_paid_for_by_any_job_until_it_is_lifted(
    frontier: Hand, evidence: Evidence, reason: str
) -> None:
    paying(frontier, "one", sites(3))
    paying(frontier, "two", sites(3, "other"))
    (ticket,) = frontier.claim(n=1).tickets
    frontier.run(paid_calls.provider_failed(ticket.lease, evidence, 0))
    frontier.finish(ticket, Verdict.PARK, reason=reason)
    frontier.advance(60_000)

    assert frontier.claim().tickets == ()
    assert frontier.run(paid_calls.provider()).stopped == reason
    assert [frontier.counters(job)["parked"] for job in ("one", "two")] == [3, 3]

    assert frontier.run(calls.lift("one", [reason])) == 3
    frontier.advance(1_000)
    assert {one.job for one in frontier.claim().tickets} == {"one"}


def test_a_lift_of_very_many_pages_blocks_nobody_and_loses_none(frontier: Hand) -> None:
    """A bounded number joins the line at once, the rest with the claims to come; meanwhile the job is not stuck."""
    paying(frontier, "one", ["a.test"], cap_credits=0)
    frontier.claim()
    many = {f"one\x1fa.test\x1fhttps://a.test/{number}": number for number in range(1_200)}
    frontier.redis.zadd("prospector:parked:one:budget", many)
    for counter in ("away", "parked"):
        frontier.redis.hincrby("prospector:domain:one:a.test", counter, len(many))
    assert frontier.run(job_calls.stuck("one")) == "budget"

    assert frontier.run(calls.lift("one", ["budget"], cap_credits=0)) == len(many) + 1
    assert frontier.redis.zcard("prospector:paid:one") == 1_000
    assert frontier.run(job_calls.stuck("one")) == ""
    assert frontier.run(job_calls.due(0))
    (status,) = frontier.run(job_calls.status(["one"]))
    assert status
    assert status.paid_line == len(many) + 1

    assert frontier.run(calls.lift("one", ["budget"], cap_credits=0)) == 0
    frontier.run(paid_calls.limit_paid(0))
    for _ in range(5):
        frontier.claim()
    assert frontier.redis.zcard("prospector:paid:one") == len(many) + 1


# how many at once


def test_the_account_s_own_limit_holds_for_a_while_where_it_is_lower(frontier: Hand) -> None:
    paying(frontier, "one", sites(30))
    (ticket,) = frontier.claim(n=1).tickets
    failed(frontier, ticket, Evidence.PROVIDER_BUSY, allowed=2)
    frontier.advance(1_000)

    assert len(frontier.claim(paid_most=20).tickets) == 2
    for _ in range(12):
        frontier.advance(50_000)
        frontier.run(calls.beat("node/a", {"pages": 2}))
    frontier.run(paid_calls.charge("0.0", 0))  # somebody else was answered, so the breaker stays closed
    assert len(frontier.claim(paid_most=20).tickets) == 18


def test_a_limit_that_is_read_from_the_account_holds_and_a_higher_one_changes_nothing(frontier: Hand) -> None:
    paying(frontier, "one", sites(30))

    frontier.run(paid_calls.limit_paid(3))
    assert len(frontier.claim(paid_most=5).tickets) == 3
    frontier.run(paid_calls.limit_paid(50))
    assert len(frontier.claim(paid_most=5).tickets) == 2


def test_the_cap_and_the_budget_hold_with_eight_workers_and_two_jobs(frontier: Hand, shared_server: Server) -> None:
    for job, name in (("one", "a"), ("two", "b")):
        paying(frontier, job, sites(40, name), cap_credits=101)
    flying: Counter[str] = Counter()
    peaks: list[int] = []
    served: Counter[str] = Counter()
    lock = threading.Lock()
    run_id = frontier.run_id

    def work(worker: str) -> None:
        mine = Frontier(shared_server.url)
        until = time.monotonic() + 60
        rounds_left = 50  # once all is served: a claim too many would be seen
        while rounds_left and time.monotonic() < until:
            rounds_left -= served.total() >= 40
            claim = mine.run(calls.claim(worker, 3, Hand.terms, run_id))
            with lock:
                flying["now"] += len(claim.tickets)
                peaks.append(flying["now"])
            time.sleep(0.02)
            for ticket in claim.tickets:
                with lock:
                    flying["now"] -= 1
                    served[ticket.job] += 1
                mine.run(paid_calls.charge(ticket.lease, 5))
                mine.run(calls.settle(ticket.lease, Verdict.DONE))
        mine.close()

    Hand.terms, before = calls.Terms(**{**vars(Hand.terms), "paid_most": 6}), Hand.terms
    try:
        threads = [threading.Thread(target=work, args=(f"node/{number}",)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        Hand.terms = before

    assert max(peaks) == 6
    assert served == {"one": 20, "two": 20}
    for job in ("one", "two"):
        counters = frontier.counters(job)
        assert (counters["spent"], counters["reserved"], counters["parked"]) == (100, 0, 20)


def test_a_held_job_in_line_keeps_no_slot_from_the_others(frontier: Hand) -> None:
    paying(frontier, "held", sites(5, "held"))
    paying(frontier, "other", sites(5, "other"))
    first = frontier.claim(paid_most=1).tickets
    frontier.run(calls.hold("held"))

    served = []
    flying = list(first)
    for _ in range(8):
        if flying:
            paid(frontier, flying.pop(0))
        frontier.advance(1_000)
        flying += frontier.claim(paid_most=1).tickets
        served += [ticket.job for ticket in flying]

    assert served.count("other") >= 5 - (first[0].job == "other")
    assert set(served) == {"other"}


def test_jobs_take_turns_at_the_slots_however_long_their_lines_are(frontier: Hand) -> None:
    paying(frontier, "big", sites(60, "big"))
    frontier.claim(n=0)
    flying = list(frontier.claim(paid_most=2).tickets)
    paying(frontier, "small", sites(3, "small"))

    served = []
    for _ in range(12):
        paid(frontier, flying.pop(0))
        frontier.advance(1_000)
        got = frontier.claim(paid_most=2).tickets
        flying += got
        served += [ticket.job for ticket in got]

    assert served[:7].count("small") == 3


# who is paid for first


def line_of_ranks(frontier: Hand, **limits: int) -> None:
    """One domain's other page and hinted page, and another's homepage, in the worst order, and nothing else."""
    frontier.job("one", ["first.test", "second.test", "third.test"], **limits)
    frontier.advance(1000)
    by_domain = {ticket.domain: ticket for ticket in frontier.claim().tickets}
    for domain, state in (("first.test", PAID), ("second.test", HINTED)):
        page = [Found(f"https://{domain}/page", hash("/page"), state)]
        frontier.run(calls.add(by_domain[domain].lease, page))
        frontier.finish(by_domain[domain])
    frontier.advance(1000)
    assert frontier.claim(paid_most=0).tickets == ()  # both stand in line
    frontier.finish(by_domain["third.test"], Verdict.AGAIN, state=PAID)
    frontier.advance(1000)
    assert frontier.claim(paid_most=0).tickets == ()


def test_free_slots_go_to_homepages_then_to_pages_with_a_hint_then_to_the_rest(frontier: Hand) -> None:
    line_of_ranks(frontier)

    served = []
    for _ in range(3):
        (ticket,) = frontier.claim(paid_most=1).tickets
        served.append(ticket.domain)
        paid(frontier, ticket)
        frontier.advance(1000)

    assert served == ["third.test", "second.test", "first.test"]


def test_the_last_credits_go_to_homepages_then_to_pages_with_a_hint(frontier: Hand) -> None:
    line_of_ranks(frontier, cap_credits=10)

    served = []
    for _ in range(4):
        for ticket in frontier.claim(paid_most=1).tickets:
            served.append(ticket.domain)
            paid(frontier, ticket)
        frontier.advance(1000)

    assert served == ["third.test", "second.test"]
    assert frontier.counters("one")["parked"] == 1


def test_a_raised_cap_is_spent_in_the_same_order(frontier: Hand) -> None:
    line_of_ranks(frontier, cap_credits=4)
    for _ in range(3):
        frontier.claim(paid_most=1)
        frontier.advance(1000)
    assert frontier.counters("one")["parked"] == 3

    assert frontier.run(calls.lift("one", ["budget"], cap_credits=9)) == 3
    frontier.advance(1000)
    (ticket,) = frontier.claim(paid_most=1).tickets

    assert ticket.domain == "third.test"


def test_what_the_homepages_still_to_come_will_need_is_kept_for_them(frontier: Hand) -> None:
    frontier.job("one", sites(10), cap_credits=60)
    frontier.advance(1000)

    served: Counter[str] = Counter()
    for _ in range(60):
        for ticket in frontier.claim(n=2, open_domains_per_worker=2).tickets:
            if ticket.price:
                served["home" if ticket.url.endswith("test/") else "other"] += 1
                frontier.run(paid_calls.charge(ticket.lease, ticket.price))
            if ticket.price and ticket.url.endswith("test/"):
                pages = [Found(f"{ticket.url}{name}", hash(ticket.url + name), PAID) for name in "ab"]
                frontier.run(calls.add(ticket.lease, pages))
            if ticket.price:
                frontier.finish(ticket)
            else:
                frontier.finish(ticket, Verdict.AGAIN, state=PAID)
        close_ended(frontier)
        frontier.advance(1000)

    assert served == {"home": 10, "other": 2}
    assert frontier.counters("one")["spent"] == 60


def cheap_pages_beside_a_homepage(frontier: Hand, **limits: int) -> Ticket:
    """3 credits are left, two pages of one domain want 1 each, and the other domain's homepage, which is given, wants 5."""
    frontier.job("one", ["read.test", "late.test"], cap_credits=8, **limits)
    frontier.advance(1000)
    by_domain = {ticket.domain: ticket for ticket in frontier.claim().tickets}
    pages = [Found(f"https://read.test/{name}", hash(name), CHEAP) for name in "ab"]
    frontier.run(calls.add(by_domain["read.test"].lease, pages))
    frontier.finish(by_domain["read.test"], Verdict.AGAIN, state=PAID)
    frontier.advance(1000)
    for ticket in frontier.claim().tickets:
        paid(frontier, ticket)
    return by_domain["late.test"]


def spent_in_the_end(frontier: Hand) -> int:
    for _ in range(6):
        frontier.advance(2_000)
        for ticket in frontier.claim().tickets:
            paid(frontier, ticket)
        close_ended(frontier)
    return frontier.counters("one")["spent"]


def test_no_credits_are_kept_for_a_homepage_that_they_cannot_pay_for(frontier: Hand) -> None:
    home = cheap_pages_beside_a_homepage(frontier)
    frontier.finish(home, Verdict.AGAIN, state=PAID)

    assert spent_in_the_end(frontier) == 7
    assert frontier.run(job_calls.stuck("one")) == "budget"


def test_no_credits_are_kept_for_a_homepage_that_is_a_dead_letter_until_it_is_asked_for_again(frontier: Hand) -> None:
    home = cheap_pages_beside_a_homepage(frontier)
    frontier.redis.hset(keys.key(keys.STATE, job="one", domain=home.domain), home.url, "nothing anybody can read")
    frontier.finish(home, Verdict.AGAIN)
    frontier.advance(2_000)
    frontier.claim(paid_most=0)

    assert frontier.counters("one")["homes"] == 2
    assert frontier.run(job_calls.requeue(f"one\x1f{home.domain}\x1f{home.url}"))
    assert frontier.counters("one")["homes"] == 1

    frontier.finish(frontier.one())
    assert spent_in_the_end(frontier) == 7


def test_no_credits_are_kept_for_a_homepage_whose_domain_is_out_of_time(frontier: Hand) -> None:
    home = cheap_pages_beside_a_homepage(frontier, max_ms=60_000)
    frontier.advance(2_000)
    frontier.claim(paid_most=0)
    frontier.finish(home, Verdict.AGAIN)
    frontier.advance(61_000)

    assert spent_in_the_end(frontier) == 7
    assert frontier.counters("one")["done"] == 2


def test_pages_that_wait_for_the_homepages_still_to_come_keep_none_of_these_from_being_opened(frontier: Hand) -> None:
    paying(frontier, "one", sites(60), cap_credits=350)

    homes = 0
    for _ in range(120):
        for ticket in frontier.claim(n=10, open_domains_per_worker=10).tickets:
            if ticket.url.endswith("test/"):
                homes += 1
                frontier.found(ticket, *(f"/{number}" for number in range(30)))
            paid(frontier, ticket)
        close_ended(frontier)
        frontier.advance(1000)

    assert homes == 60
    assert frontier.counters("one")["spent"] == 350


def test_pages_that_wait_for_money_keep_no_domain_from_being_opened(frontier: Hand) -> None:
    frontier.job("one", sites(60), cap_credits=0)

    free = 0
    for _ in range(30):
        frontier.advance(1000)
        for number, ticket in enumerate(frontier.claim(open_domains_per_worker=5).tickets):
            free += 1
            frontier.finish(ticket, Verdict.AGAIN if number % 2 else Verdict.DONE, state=PAID)
        close_ended(frontier)

    assert free == 60
    assert frontier.counters("one")["waiting"] == 0


def test_a_job_that_pays_for_everything_opens_no_more_than_it_can_soon_pay_for(frontier: Hand) -> None:
    paying(frontier, "one", sites(600))

    for _ in range(10):
        frontier.claim(paid_most=1)
        frontier.advance(1000)

    assert frontier.counters("one")["open"] <= 210


def test_a_domain_s_minutes_do_not_run_while_its_pages_stand_in_line(frontier: Hand) -> None:
    paying(frontier, "one", sites(2), max_ms=600_000)
    (first,) = frontier.claim(paid_most=1).tickets
    for _ in range(20):
        frontier.advance(40_000)
        frontier.run(calls.beat("node/a", {"pages": 1}))
        frontier.run(paid_calls.charge("0.0", 0))

    paid(frontier, first)
    frontier.advance(1000)

    assert len(frontier.claim(paid_most=1).tickets) == 1


def test_one_claim_looks_at_a_bounded_number_of_pages_that_cannot_be_paid_for(frontier: Hand) -> None:
    paying(frontier, "one", sites(2_000), cap_credits=0)

    claim = frontier.claim()

    assert claim.wait_ms == 0
    assert 0 < frontier.counters("one")["parked"] <= 1_000


# with which method a page begins


def test_a_page_begins_as_its_job_says_and_a_sitemap_always_directly(frontier: Hand) -> None:
    paying(frontier, "one", ["shop.test"])
    home = frontier.one()
    sitemap = Found("https://shop.test/sitemap.xml", 7, PageState(kind=Kind.SITEMAP))
    frontier.run(calls.add(home.lease, [sitemap]))
    paid(frontier, home)

    assert (home.state.method, home.price) == (Method.JS, 5)
    assert frontier.one().state.method is Method.DIRECT


def test_what_a_domain_has_taught_comes_with_its_next_page_and_decides_its_method(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    ticket = frontier.one()
    frontier.found(ticket, "/a")
    memory = MethodMemory(method=Method.STANDARD, last=Method.STANDARD, streak=3, vain_renders=1)

    assert frontier.run(paid_calls.remember(ticket.lease, memory))
    frontier.finish(ticket)

    following = frontier.one()
    assert (following.state.method, following.price, following.memory) == (Method.STANDARD, 1, memory)
    assert not frontier.run(paid_calls.remember(ticket.lease, memory))


# what the record knows better


@pytest.fixture
def restarted(own_server: Server) -> Iterator[Hand]:
    """A frontier whose Redis was killed and started again with two paid calls in flight."""
    hand = Hand(own_server.url)
    hand.begin()
    paying(hand, "one", sites(6), cap_credits=30)
    for ticket in hand.claim(n=2).tickets:
        hand.redis.set(f"test:{ticket.lease}", "held")
    hand.redis.execute_command("WAITAOF", 1, 0, 5_000)
    own_server.kill()
    own_server.start()
    hand = Hand(own_server.url)
    yield hand
    hand.close()


def leases(hand: Hand) -> list[str]:
    return sorted(key.decode().removeprefix("test:") for key in hand.redis.scan_iter("test:*"))


def balanced(hand: Hand, used: int, *unsettled: tuple[str, int]) -> bool:
    return hand.run(paid_calls.balance("one", hand.run(paid_calls.doubt("one")), used, unsettled))


def test_after_a_start_of_redis_nothing_is_paid_for_until_the_record_was_asked(restarted: Hand) -> None:
    restarted.claim(n=0)
    restarted.advance(10_000)

    assert restarted.claim().tickets == ()
    assert restarted.run(paid_calls.unbalanced()) == ["one"]
    assert not restarted.run(paid_calls.confirm(leases(restarted)[0]))

    assert balanced(restarted, 0)
    restarted.advance(1_000)
    assert len(restarted.claim().tickets) == 4
    assert restarted.run(paid_calls.unbalanced()) == []


def test_what_redis_forgot_counts_at_full_price_and_what_it_knows_is_in_flight_stays_reserved(restarted: Hand) -> None:
    restarted.claim(n=0)
    known = leases(restarted)

    balanced(restarted, 6, (known[0], 5), ("1.999", 5))

    counters = restarted.counters("one")
    assert (counters["spent"], counters["reserved"]) == (11, 10)
    restarted.advance(10_000)
    assert len(restarted.claim().tickets) == 1  # 9 credits are left


def test_newer_figures_replace_older_ones(restarted: Hand) -> None:
    restarted.claim(n=0)

    for _ in range(2):
        balanced(restarted, 6, ("1.999", 5))
    balanced(restarted, 9)

    counters = restarted.counters("one")
    assert (counters["spent"], counters["reserved"]) == (9, 10)


def test_figures_that_were_read_before_another_doubt_are_refused_and_nothing_is_paid_for_meanwhile(
    frontier: Hand,
) -> None:
    """An operator settles a call while the job runs: what is paid between the reading and the writing must not get lost."""
    paying(frontier, "one", sites(2), cap_credits=10)
    (ticket,) = frontier.claim(n=1).tickets
    early = frontier.run(paid_calls.doubt("one"))
    late = frontier.run(paid_calls.doubt("one"))

    assert not frontier.run(paid_calls.confirm(ticket.lease))
    assert frontier.claim().tickets == ()
    assert not frontier.run(paid_calls.balance("one", early, 0, []))
    assert frontier.run(paid_calls.balance("one", late, 5, []))
    assert not frontier.run(paid_calls.balance("one", late, 0, []))

    assert (frontier.counters("one")["spent"], frontier.counters("one")["reserved"]) == (5, 5)
    assert frontier.run(paid_calls.confirm(ticket.lease))


def test_a_lease_that_redis_lost_is_not_spent_on(frontier: Hand) -> None:
    paying(frontier, "one", ["shop.test"])
    ticket = frontier.one()
    assert frontier.run(paid_calls.confirm(ticket.lease))

    frontier.lose_worker()

    assert not frontier.run(paid_calls.confirm(ticket.lease))


def test_a_job_made_from_the_record_needs_no_second_reading(frontier: Hand) -> None:
    frontier.run(calls.create("one", calls.Limits(cap_credits=10, first_method=Method.JS), spent=5))
    frontier.run(calls.seed("one", [calls.Seed("a.test", 1, "a.test", "https://a.test/", 1)]))
    frontier.run(calls.lift("one"))

    ticket = frontier.one()

    assert ticket.price == 5
    assert frontier.counters("one")["spent"] == 5


def test_pages_in_line_are_parked_for_the_reason_that_stops_them(frontier: Hand) -> None:
    paying(frontier, "one", sites(8))
    (ticket,) = frontier.claim(paid_most=1).tickets

    frontier.run(paid_calls.provider_failed(ticket.lease, Evidence.OUT_OF_CREDITS, 0))
    frontier.finish(ticket, Verdict.PARK, reason="credits")
    for _ in range(3):
        frontier.advance(1000)
        assert frontier.claim(paid_most=1).tickets == ()

    assert frontier.counters("one")["parked"] == 8
    assert frontier.run(calls.lift("one", ["credits"])) == 8


def test_a_page_that_comes_back_just_now_does_not_overtake_the_homepages_in_line(frontier: Hand) -> None:
    frontier.job("one", ["early.test"])
    home = frontier.one()
    frontier.found(home, "/page")
    frontier.finish(home)
    frontier.finish(frontier.one(), Verdict.AGAIN, state=PAID, wait_ms=5_000)
    for number, domain in enumerate(("late.test", "later.test"), 1):
        frontier.run(calls.seed("one", [calls.Seed(domain, number, domain, f"https://{domain}/", number)]))
    frontier.advance(1_000)
    for ticket in frontier.claim().tickets:
        frontier.finish(ticket, Verdict.AGAIN, state=PAID)
    frontier.advance(1_000)
    assert frontier.claim(paid_most=0).tickets == ()

    frontier.advance(5_000)
    (first,) = frontier.claim(paid_most=1).tickets

    assert first.domain in {"late.test", "later.test"}


def test_a_lease_under_which_nothing_is_paid_for_gives_its_credits_and_its_slot_back(frontier: Hand) -> None:
    frontier.job("one", ["a.test"], cap_credits=5, first_method=Method.JS)
    ticket = frontier.one()

    assert frontier.run(paid_calls.spare(ticket.lease))
    assert not frontier.run(paid_calls.spare(ticket.lease))
    frontier.finish(ticket)

    assert (frontier.counters("one")["spent"], frontier.counters("one")["reserved"]) == (0, 0)
    assert frontier.run(paid_calls.provider()).in_flight == 0
    assert frontier.domain("one", "a.test")["direct"] == "1"


def test_sparing_a_call_does_not_say_that_the_provider_is_back(frontier: Hand) -> None:
    frontier.job("one", [f"{name}.test" for name in "abcdefghijk"], first_method=Method.STANDARD)
    tickets = frontier.claim().tickets
    for ticket in tickets[:10]:
        frontier.run(paid_calls.provider_failed(ticket.lease, Evidence.PROVIDER_FAILED, 0))

    frontier.run(paid_calls.spare(tickets[10].lease))

    assert frontier.run(paid_calls.provider()).open_ms is not None
