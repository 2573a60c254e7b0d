"""The debug mode's frontier: one page after the other, in the order and within the limits of the shared one."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from prospector.core.visits.ticket import Found, Kind, PageState, Ticket, Verdict
from prospector.core.web.urls import fingerprint
from prospector.frontier import calls, in_process
from prospector.frontier.calls import Fetch, Limits
from prospector.frontier.desk import DelayBounds
from prospector.frontier.in_process import InProcessFrontier

HOME = "https://a.test/"
LARGE = "of a site with more than 5 pages only the best linked are read"
Visit = Callable[[InProcessFrontier, Ticket], None]


def page(path: str, state: PageState | None = None) -> Found:
    url = f"https://a.test{path}"
    return Found(url, fingerprint(url), state)


def add(desk: InProcessFrontier, ticket: Ticket, *pages: Found, site_pages: int = 0) -> list[str] | None:
    new = desk.ask(calls.add(ticket.lease, pages, site_pages)).result()
    return None if new is None else [one.url for one in new]


def finish(desk: InProcessFrontier, ticket: Ticket, verdict: Verdict = Verdict.DONE, **facts: Any) -> None:
    desk.settle(ticket, calls.settle(ticket.lease, verdict, **facts))


def crawled(visit: Visit, least_ms: int = 0, desks: list[InProcessFrontier] | None = None, **limits: Any) -> list[str]:
    """The paths that are handed out until nothing is left, each finished after `visit`."""
    paths = []

    async def work() -> None:
        desk = InProcessFrontier("a.test", Limits(0, **limits), least_ms)
        if desks is not None:
            desks.append(desk)
        async for ticket in desk.tickets():
            paths.append(ticket.url.removeprefix("https://a.test"))
            visit(desk, ticket)
            finish(desk, ticket)

    asyncio.run(work())
    return paths


def named_by_home(*pages: Found, site_pages: int = 0) -> Visit:
    def visit(desk: InProcessFrontier, ticket: Ticket) -> None:
        if ticket.url == HOME:
            add(desk, ticket, *pages, site_pages=site_pages)

    return visit


def test_the_homepage_comes_first_then_sitemaps_then_pages_as_they_were_found() -> None:
    sitemap = page("/sitemap.xml", PageState(kind=Kind.SITEMAP))

    assert crawled(named_by_home(page("/b"), page("/a"), sitemap)) == ["/", "/sitemap.xml", "/b", "/a"]


def test_pages_that_are_named_more_often_come_first_and_each_comes_once() -> None:
    assert crawled(named_by_home(page("/a"), page("/b"), page("/b"), page("/"))) == ["/", "/b", "/a"]


def test_nothing_is_handed_out_while_a_page_is_in_hand() -> None:
    async def work() -> None:
        desk = InProcessFrontier("a.test", Limits(0), 0)
        tickets = desk.tickets()
        first = await anext(tickets)
        add(desk, first, page("/a"))
        second = asyncio.ensure_future(anext(tickets))
        done, _ = await asyncio.wait([second], timeout=0.05)
        assert not done
        finish(desk, first)
        assert (await second).url == "https://a.test/a"

    asyncio.run(work())


def test_the_site_is_not_asked_again_before_its_delay_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    slept = slept_seconds(monkeypatch)

    def visit(desk: InProcessFrontier, ticket: Ticket) -> None:
        add(desk, ticket, page("/a"))
        desk.free(ticket, Fetch.FINE, 0, DelayBounds(least_ms=2_000, most_ms=60_000), 0)

    assert crawled(visit, least_ms=2_000) == ["/", "/a"]
    assert slept == [pytest.approx(2.0, abs=0.5)]


def test_retry_after_and_crawl_delay_make_it_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    slept = slept_seconds(monkeypatch)

    def visit(desk: InProcessFrontier, ticket: Ticket) -> None:
        add(desk, ticket, page("/a"))
        wait_ms = 30_000 if ticket.url == HOME else 0
        desk.free(ticket, Fetch.FINE, 0, DelayBounds(1_000, 60_000, crawl_delay_ms=5_000), wait_ms)
        add(desk, ticket, page("/b"))

    assert crawled(visit) == ["/", "/a", "/b"]
    assert slept == [pytest.approx(30, abs=0.5), pytest.approx(5, abs=0.5)]


def slept_seconds(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Time passes by being slept: what is waited for is told, and over at once."""
    slept: list[float] = []
    real = in_process.steady_seconds

    class Sleeper:
        Event, get_running_loop = asyncio.Event, staticmethod(asyncio.get_running_loop)

        @staticmethod
        async def sleep(seconds: float) -> None:
            slept.append(seconds)
            await asyncio.sleep(0)

    monkeypatch.setattr(in_process, "steady_seconds", lambda: real() + sum(slept))
    monkeypatch.setattr(in_process, "asyncio", Sleeper)
    return slept


def test_a_page_that_is_to_be_tried_again_comes_with_its_state_before_the_others() -> None:
    seen: list[int] = []

    def visit(desk: InProcessFrontier, ticket: Ticket) -> None:
        seen.append(ticket.state.attempt)
        add(desk, ticket, page("/a"))
        if ticket.state.attempt == 0 and ticket.url == HOME:
            finish(desk, ticket, Verdict.AGAIN, state=PageState(attempt=1))

    assert crawled(visit) == ["/", "/", "/a"]
    assert seen == [0, 1, 0]


def test_a_page_that_was_not_sent_is_as_it_was() -> None:
    back = []

    def visit(desk: InProcessFrontier, ticket: Ticket) -> None:
        if not back:
            back.append(ticket)
            desk.give_back(ticket)
            assert not desk.may_send(ticket)

    assert crawled(visit) == ["/", "/"]


def test_a_ticket_that_is_settled_adds_and_settles_nothing_more() -> None:
    async def work() -> None:
        desk = InProcessFrontier("a.test", Limits(0), 0)
        ticket = await anext(desk.tickets())
        finish(desk, ticket)

        assert add(desk, ticket, page("/a")) is None
        finish(desk, ticket)
        assert desk.fetched == 1

    asyncio.run(work())


def test_the_opening_is_over_with_the_first_page_that_was_read() -> None:
    openings = []

    def visit(desk: InProcessFrontier, ticket: Ticket) -> None:
        openings.append(ticket.opening)
        add(desk, ticket, page("/a"), page("/b"))
        if ticket.url == HOME:
            finish(desk, ticket, Verdict.ASIDE)

    crawled(visit)

    assert openings == [True, True, False]


@pytest.mark.parametrize(
    ("limits", "site_pages", "most", "left"),
    [
        ({"max_pages": 3}, 0, 3, (7, "page limit")),
        ({"threshold_pages": 5, "top_pages": 2}, 0, 3, (7, LARGE)),
        ({"threshold_pages": 50, "top_pages": 2}, 0, 10, (0, "")),
        ({"threshold_pages": 5, "top_pages": 2}, 51, 3, (7, LARGE)),
        ({"max_queued": 4}, 0, 5, (0, "")),
        ({"max_ms": -1}, 0, 0, (1, "time limit")),
    ],
)
def test_a_domain_ends_at_its_limits_and_says_what_it_left(
    limits: dict[str, int], site_pages: int, most: int, left: tuple[int, str]
) -> None:
    pages = [page(f"/{number}") for number in range(9)]
    desks: list[InProcessFrontier] = []

    assert len(crawled(named_by_home(*pages, site_pages=site_pages), desks=desks, **limits)) == most
    assert desks[0].left() == left
