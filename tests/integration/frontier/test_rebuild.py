"""Promise 7: Redis may lose everything. What the record has is filled in again, by anybody, any number of times."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, text

from prospector.core.job.spec import JobSpec
from prospector.core.job.states import JobState
from prospector.core.reading.traits import PageFlag
from prospector.core.visits.outcomes import DomainState, PageOutcome
from prospector.core.visits.ticket import Found, Kind, PageState
from prospector.core.web.urls import fingerprint
from prospector.frontier import calls, codec, job_calls, rebuild_calls
from prospector.frontier.client import Frontier
from prospector.jobs.fill import fill
from prospector.jobs.rebuild import Rebuilt, rebuild_if_lost
from prospector.store import dead_letters, domains, jobs, pages, sites
from prospector.store.dead_letters import Death
from prospector.store.domains import Finished
from prospector.store.pages import PageRow
from prospector.store.sites import SiteMemory

from .conftest import Hand

HOME, PAGE, NEXT, MAP = (f"https://a.example/{path}" for path in ("", "page", "next", "map"))


@pytest.fixture
def empty_frontier(frontier: Hand) -> Hand:
    frontier.redis.flushdb()
    return frontier


@pytest.fixture
def half_done(engine: Engine, job: str, page: Callable[..., PageRow]) -> str:
    """Of three domains the first is open, with two pages read and two more named, the second done, the third untouched."""
    a_map = codec.address(Found(MAP, fingerprint(MAP), PageState(kind=Kind.SITEMAP)))
    with engine.begin() as connection:
        domains.open_(connection, job, [0, 1])
        domains.finish(connection, job, [Finished(1, 1, DomainState.DONE)])
    rows = [
        page(fingerprint(HOME), url=HOME, found=[PAGE, a_map]),
        page(fingerprint(PAGE), url=PAGE, found=[NEXT]),
        page(7, domain=1, url="https://b.example/"),
    ]
    pages.write(engine, job, rows)
    return job


def handed_out(frontier: Hand) -> dict[str, Any]:
    """All that is to be had now and, when that is done, later."""
    found = {}
    frontier.claim(n=0)  # from here on the first delay runs
    while True:
        frontier.advance(60_000)
        tickets = frontier.claim(worker="node/r").tickets
        if not tickets:
            return found
        for ticket in tickets:
            found[ticket.url] = ticket
            frontier.finish(ticket)


def test_workers_find_nothing_in_an_empty_redis_and_are_told_that_it_is_lost(empty_frontier: Hand) -> None:
    assert empty_frontier.claim().lost


def test_what_was_lost_is_filled_from_the_record_and_what_was_settled_is_not_fetched_again(
    empty_frontier: Hand, engine: Engine, half_done: str
) -> None:
    assert rebuild_if_lost(engine, empty_frontier) == Rebuilt(True, (half_done,))
    assert rebuild_if_lost(engine, empty_frontier) is None

    found = handed_out(empty_frontier)

    assert set(found) == {NEXT, MAP, "https://c.example/"}
    assert found[MAP].state.kind is Kind.SITEMAP
    assert not found[NEXT].opening


def test_status_goes_on_where_it_was(empty_frontier: Hand, engine: Engine, half_done: str) -> None:
    rebuild_if_lost(engine, empty_frontier)

    status = empty_frontier.run(job_calls.status([half_done]))[0]

    assert status
    assert (status.domains_total, status.domains_waiting, status.domains_open, status.domains_done) == (3, 1, 1, 1)
    assert (status.pages, status.mentions, status.held) == (3, 3, False)
    domain = empty_frontier.domain(half_done, "a.example")
    assert (domain["done"], domain["fetched"], domain["mentions"], domain["direct"]) == ("2", "2", "2", "2")


def test_pages_that_were_fetched_and_not_read_count_after_a_loss_as_before(
    empty_frontier: Hand, engine: Engine, half_done: str, page: Callable[..., PageRow]
) -> None:
    """A link off the site and a file count as fetched; a sitemap and a hop within the domain do not."""
    aside = [
        page(11, outcome=PageOutcome.REDIRECTED, flags=PageFlag.COUNTED, mentions=[]),
        page(12, outcome=PageOutcome.SKIPPED, flags=PageFlag.COUNTED, mentions=[]),
        page(13, outcome=PageOutcome.REDIRECTED, mentions=[]),
        page(14, outcome=PageOutcome.SKIPPED, mentions=[]),
        page(15, outcome=PageOutcome.FAILED, flags=PageFlag.COUNTED, mentions=[]),
    ]
    pages.write(engine, half_done, aside)

    rebuild_if_lost(engine, empty_frontier)

    status = empty_frontier.run(job_calls.status([half_done]))[0]
    assert status
    assert (status.pages, status.pages_failed) == (6, 1)
    domain = empty_frontier.domain(half_done, "a.example")
    assert (domain["fetched"], domain["done"], domain["failed"]) == ("5", "4", "1")


def test_a_domain_gets_no_second_allowance_of_pages_after_a_loss(
    empty_frontier: Hand, engine: Engine, new_job: Callable[..., jobs.NewJob], page: Callable[..., PageRow]
) -> None:
    """Of three pages two were fetched, one of them a file."""
    with engine.begin() as connection:
        job = jobs.create(connection, new_job(spec=JobSpec(max_pages=3).stored())).job
        jobs.move(connection, job, JobState.RUNNING, "go")
        domains.open_(connection, job, [0])
    more = [f"{PAGE}/{number}" for number in range(9)]
    rows = [
        page(fingerprint(HOME), url=HOME, found=[PAGE, *more]),
        page(fingerprint(PAGE), url=PAGE, outcome=PageOutcome.SKIPPED, flags=PageFlag.COUNTED, mentions=[]),
    ]
    pages.write(engine, job, rows)

    rebuild_if_lost(engine, empty_frontier)

    of_domain = [ticket for ticket in handed_out(empty_frontier).values() if ticket.domain == "a.example"]
    assert len(of_domain) == 1


def test_many_who_rebuild_at_once_do_it_once(empty_frontier: Hand, engine: Engine, half_done: str) -> None:
    def rebuild(_: int) -> Rebuilt | None:
        frontier = Frontier(empty_frontier._url)
        try:
            return rebuild_if_lost(engine, frontier)
        finally:
            frontier.close()

    with ThreadPoolExecutor(6) as pool:
        done = [one for one in pool.map(rebuild, range(12)) if one]

    assert done == [Rebuilt(True, (half_done,))]
    assert empty_frontier.counters(half_done)["total"] == 3


def test_one_that_died_half_way_is_followed_by_one_that_finishes(
    empty_frontier: Hand, engine: Engine, half_done: str
) -> None:
    rebuild_if_lost(engine, empty_frontier)
    empty_frontier.redis.hdel(f"prospector:job:{half_done}", "filled")
    empty_frontier.redis.zrem("prospector:running", half_done)
    empty_frontier.redis.delete(f"prospector:domain:{half_done}:a.example", f"prospector:seen:{half_done}:a.example")

    assert rebuild_if_lost(engine, empty_frontier) == Rebuilt(False, (half_done,))

    assert set(handed_out(empty_frontier)) == {NEXT, MAP, "https://c.example/"}


def test_a_job_that_was_filled_and_never_lifted_is_lifted(empty_frontier: Hand, engine: Engine, half_done: str) -> None:
    empty_frontier.run(calls.begin(1))
    with engine.connect() as connection:
        fill(connection, empty_frontier, half_done)
    assert empty_frontier.claim().tickets == ()

    rebuild_if_lost(engine, empty_frontier)

    assert handed_out(empty_frontier)


def test_a_paused_job_comes_back_held_and_goes_on_when_it_is_lifted(
    empty_frontier: Hand, engine: Engine, half_done: str
) -> None:
    with engine.begin() as connection:
        jobs.move(connection, half_done, JobState.PAUSED, "asked")

    rebuild_if_lost(engine, empty_frontier)
    held = handed_out(empty_frontier)
    empty_frontier.run(calls.lift(half_done))

    assert held == {}
    assert len(handed_out(empty_frontier)) == 3


def test_one_job_that_is_missing_is_filled_beside_those_that_run(
    frontier: Hand, engine: Engine, half_done: str
) -> None:
    frontier.job("other", ["shop.test"])
    before = frontier.counters("other")

    assert rebuild_if_lost(engine, frontier) == Rebuilt(False, (half_done,))

    assert frontier.counters("other") == before
    assert len(handed_out(frontier)) == 4


def test_a_domain_of_which_nothing_is_settled_begins_with_its_homepage(
    empty_frontier: Hand, engine: Engine, job: str
) -> None:
    with engine.begin() as connection:
        domains.open_(connection, job, [0])

    rebuild_if_lost(engine, empty_frontier)

    assert HOME in handed_out(empty_frontier)


def test_a_domain_with_everything_settled_only_wants_its_final_row(
    empty_frontier: Hand, engine: Engine, job: str, page: Callable[..., PageRow]
) -> None:
    with engine.begin() as connection:
        domains.open_(connection, job, [0])
    pages.write(engine, job, [page(fingerprint(HOME), url=HOME)])

    rebuild_if_lost(engine, empty_frontier)

    assert [one.domain for one in empty_frontier.run(calls.ended())] == ["a.example"]


@pytest.mark.parametrize("queued_again", [False, True])
def test_a_dead_letter_is_fetched_again_only_if_an_operator_has_asked(
    empty_frontier: Hand, engine: Engine, half_done: str, page: Callable[..., PageRow], *, queued_again: bool
) -> None:
    row = page(fingerprint(NEXT), url=NEXT, outcome=PageOutcome.DEAD, mentions=[])
    pages.write(engine, half_done, [row])
    with engine.begin() as connection:
        dead_letters.bury(connection, [Death(half_done, 0, fingerprint(NEXT), 1, 2, NEXT, "poison")])
        if queued_again:
            dead_letters.requeue(connection, dead_letters.waiting(connection)[0].id)

    rebuild_if_lost(engine, empty_frontier)

    assert (NEXT in handed_out(empty_frontier)) is queued_again


def test_what_a_site_has_asked_for_is_remembered(empty_frontier: Hand, engine: Engine, half_done: str) -> None:
    now = datetime.now(UTC)
    with engine.begin() as connection:
        blocked = SiteMemory("c.example", now, 1_000, now + timedelta(seconds=90))
        sites.remember(connection, [blocked, SiteMemory("a.example", now, 20_000, strikes=3)])

    rebuild_if_lost(engine, empty_frontier)
    empty_frontier.claim(n=0)
    empty_frontier.advance(23_000)
    soon = empty_frontier.claim(worker="node/r").tickets
    for ticket in soon:
        empty_frontier.free(ticket)
    empty_frontier.advance(75_000)
    late = empty_frontier.claim(worker="node/r").tickets

    assert {one.domain for one in soon} == {"a.example"}
    assert "c.example" in {one.domain for one in late}


def test_a_lease_never_comes_twice_even_where_a_restart_forgot_that_it_was_given(frontier: Hand) -> None:
    frontier.job("one", ["shop.test", "blog.test"])
    forgotten = frontier.redis.hget("prospector:meta", "leases")
    first = frontier.claim(n=1).tickets[0]

    frontier.redis.hset("prospector:meta", "leases", forgotten or 0)
    frontier.advance(5_000)
    frontier.run(calls.claim("node/b", 1, frontier.terms, "another-run"))
    frontier.advance(5_000)
    second = frontier.run(calls.claim("node/b", 1, frontier.terms, "another-run")).tickets[0]

    assert first.lease != second.lease


def test_seeds_that_come_again_are_not_there_twice(frontier: Hand) -> None:
    frontier.job("one", ["shop.test", "blog.test"])
    frontier.claim(n=1)
    seeds = [
        calls.Seed(one, number, one, f"https://{one}/", hash(one))
        for number, one in enumerate(["shop.test", "blog.test"])
    ]

    assert frontier.run(calls.seed("one", seeds)) == 0
    assert frontier.counters("one")["total"] == 2


def test_a_new_generation_forgets_what_is_left_of_the_one_before(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    ticket = frontier.one()
    frontier.found(ticket, "/a")
    frontier.finish(ticket)
    frontier.finish(frontier.one())
    again = calls.Seed("shop.test", 0, "shop.test", "https://shop.test/", hash("shop.test"), generation=2)

    frontier.run(calls.seed("one", [again]))
    ticket = frontier.one()

    assert (ticket.url, ticket.generation, ticket.opening) == ("https://shop.test/", 2, True)
    assert frontier.found(ticket, "/a") == ["https://shop.test/a"]
    assert frontier.counters("one")["open"] == 1


def test_dead_letters_are_told_until_the_record_has_them(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    frontier.redis.hset("prospector:state:one:shop.test", "https://shop.test/", "no JSON")
    frontier.claim()

    told = frontier.run(rebuild_calls.buried())

    assert [(one.domain, one.number, one.generation, one.url) for one in told] == [
        ("shop.test", 0, 1, "https://shop.test/")
    ]
    assert frontier.run(rebuild_calls.buried()) == told
    frontier.run(rebuild_calls.recorded(told))
    assert frontier.run(rebuild_calls.buried()) == []


def test_a_suspect_of_a_held_job_keeps_no_worker_quiet(frontier: Hand) -> None:
    frontier.job("one", ["poison.test"])
    frontier.one(worker="node/a")
    frontier.advance(calls.LEASE_MS + 1)
    frontier.run(calls.beat("node/witness", {"pages": 1}))
    frontier.run(calls.reap())
    frontier.run(calls.hold("one"))
    frontier.job("two", ["shop.test", "blog.test"])
    frontier.advance(1_000)

    busy = frontier.claim(n=1, worker="node/b").tickets
    more = frontier.claim(n=1, worker="node/b").tickets

    assert len(busy) == len(more) == 1


def test_all_leases_of_a_worker_are_taken_back_at_once(frontier: Hand) -> None:
    """Were some left, its next beat would make it believe that it still has all of them."""
    frontier.job("one", [f"{number}.test" for number in range(300)])
    assert len(frontier.claim(n=300).tickets) == 300

    assert frontier.lose_worker()[0] == 300
    assert not frontier.run(calls.beat("node/a", {"pages": 1}))


WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


def test_a_job_that_ends_while_others_look_is_not_brought_back(
    empty_frontier: Hand, engine: Engine, half_done: str
) -> None:
    empty_frontier.run(calls.begin(1))
    with engine.connect() as connection, engine.begin() as ending:
        jobs.move(ending, half_done, JobState.CANCELLED, "asked")
        with ThreadPoolExecutor(1) as pool:
            looking = pool.submit(rebuild_if_lost, engine, empty_frontier)
            while not connection.scalar(text(WAITING)):
                connection.rollback()
            ending.commit()
            looking.result()

    assert empty_frontier.run(job_calls.status([half_done])) == [None]


def test_a_job_that_is_filled_again_counts_nothing_twice(empty_frontier: Hand, engine: Engine, half_done: str) -> None:
    rebuild_if_lost(engine, empty_frontier)
    before = empty_frontier.counters(half_done)

    with engine.connect() as connection:
        fill(connection, empty_frontier, half_done)

    assert empty_frontier.counters(half_done) == before
