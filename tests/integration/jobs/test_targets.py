"""The client's own addresses at the end of a job: asked for once, counted nowhere, and right whatever happens meanwhile."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import text

from prospector import settings
from prospector.core.job.progress import Eta
from prospector.core.job.spec import JobSpec
from prospector.core.job.states import JobState
from prospector.core.reading.linking import KEPT_LINKS
from prospector.core.reading.traits import LinkStatus
from prospector.core.results.score import Verdict as Worth
from prospector.core.results.targets import Health
from prospector.core.visits.methods import Mode
from prospector.core.visits.outcomes import PageOutcome
from prospector.core.visits.ticket import Kind, Ticket, Verdict
from prospector.core.web.urls import fingerprint
from prospector.errors import Conflict
from prospector.frontier import calls, job_calls
from prospector.frontier.calls import Fetch
from prospector.jobs import control, queue, status
from prospector.jobs.follow import reconcile
from prospector.store import dead_letters, events, pages, targets, verdicts
from prospector.store.dead_letters import Death
from prospector.store.pages import PageRow

from .conftest import Desk

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
SPEC = JobSpec(client_domains=("acme.test", "acme.example"))
HOME, OLD, GONE = "https://acme.test/", "http://www.acme.test/old?utm_source=x", "https://acme.example/gone"
FAR_MS = 7_200_000


def link(url: str, rel: str = "", whose: str = "client") -> dict[str, object]:
    return {"url": url, "anchor": "their words", "rel": rel.split(), "zone": "main", "whose": whose}


def page(url: str, *links: dict[str, object], domain: int = 0, **changes: Any) -> PageRow:
    facts: dict[str, Any] = {"link": LinkStatus.FOLLOW if links else LinkStatus.UNLINKED, "links": links or None}
    return PageRow(fingerprint(url), domain, url, PageOutcome.READ, NOON, **facts | changes)


PAGES = (
    page("https://site-0.com/", link(GONE), link(OLD), link("https://rival.test/", whose="competitor")),
    page("https://site-0.com/mixed", link(GONE), link(HOME, "nofollow")),
    page("https://site-1.com/", link(OLD), domain=1),
    page("https://site-1.com/alive", link(HOME, "ugc"), domain=1, link=LinkStatus.UGC),
    page("https://site-1.com/none", domain=1),
)


@dataclass
class Crawl:
    desk: Desk
    job: str

    def look(self) -> JobState:
        return reconcile(self.desk.engine, self.desk.frontier, self.job)

    def known(self) -> job_calls.Status:
        found = self.desk.frontier.run(job_calls.status([self.job]))[0]
        assert found
        return found

    def answer(self, ticket: Ticket, found: Health) -> None:
        """As a worker does: the row, then the lease."""
        row = PageRow(
            fingerprint(ticket.url), ticket.number, ticket.url, PageOutcome.SKIPPED, NOON, detail=found, status=404
        )
        pages.write(self.desk.engine, self.job, [row])
        self.desk.frontier.run(calls.release(ticket.lease, Fetch.FINE, 0, 40, 60_000))
        assert self.desk.frontier.run(calls.settle(ticket.lease, Verdict.ASIDE))

    def answer_all(self, *dead: str) -> list[str]:
        """Until nothing is handed out any more; returns what was asked for."""
        asked = []
        while tickets := self.desk.claim():
            for ticket in tickets:
                asked.append(ticket.url)
                self.answer(ticket, Health.DEAD if ticket.url in dead else Health.ALIVE)
        self.desk.close()
        return asked

    def links(self) -> dict[str, str]:
        query = "SELECT url, link FROM pages WHERE job = :job AND domain < 2 AND link <> 'unlinked'"
        with self.desk.engine.connect() as connection:
            return {row.url: row.link for row in connection.execute(text(query), {"job": self.job})}

    def notes(self) -> list[str]:
        with self.desk.engine.connect() as connection:
            return [one.reason for one in events.of_job(connection, self.job) if one.kind == "note"]


def crawled(desk: Desk, rows: Sequence[PageRow] = PAGES, **spec: Any) -> Crawl:
    """A job of two domains whose pages link to the client; its list is done, and nothing more."""
    job = desk.running(count=2, spec=JobSpec(**asdict(SPEC) | spec))
    pages.write(desk.engine, job, rows)
    desk.crawl()
    return Crawl(desk, job)


def half_failed(desk: Desk) -> Crawl:
    """The same of which the second domain has failed."""
    job = desk.running(count=2, spec=SPEC)
    pages.write(desk.engine, job, PAGES[:1])
    first, second = desk.claim()
    desk.finish([first])
    desk.close()
    desk.finish([second], failed=True)
    desk.close(failed=True)
    return Crawl(desk, job)


AS_LINKED = {
    "https://site-0.com/": "follow",
    "https://site-0.com/mixed": "follow",
    "https://site-1.com/": "follow",
    "https://site-1.com/alive": "ugc",
}


def test_a_job_ends_when_the_clients_addresses_are_asked_for_and_a_page_has_the_status_of_those_that_live(
    desk: Desk,
) -> None:
    crawl = crawled(desk)

    assert crawl.look() is JobState.RUNNING
    asked = crawl.answer_all(OLD, GONE)

    assert crawl.look() is JobState.COMPLETED
    assert sorted(asked) == sorted([HOME, OLD, GONE])
    assert crawl.links() == AS_LINKED | {
        "https://site-0.com/": "dead",
        "https://site-0.com/mixed": "nofollow",
        "https://site-1.com/": "dead",
    }
    assert crawl.notes() == [
        "2 of the client's own addresses are dead; the pages whose link status that changes: 3",
        "3 of the client's own addresses are asked whether they still answer",
    ]


def test_addresses_that_answer_or_are_not_known_change_nothing(desk: Desk) -> None:
    crawl = crawled(desk)
    crawl.look()

    for found in (Health.ALIVE, Health.UNKNOWN):
        for ticket in desk.claim():
            crawl.answer(ticket, found)
    desk.close()

    assert crawl.look() is JobState.COMPLETED
    assert crawl.links() == AS_LINKED


@pytest.mark.parametrize("mode", Mode)
def test_an_address_is_asked_for_directly_in_every_mode_and_opens_no_domain(desk: Desk, mode: Mode) -> None:
    crawl = crawled(desk, mode=mode)
    crawl.look()

    tickets = desk.claim()

    assert {(one.state.kind, one.state.method.value, one.price, one.opening) for one in tickets} == {
        (Kind.TARGET, "direct", 0, False)
    }
    # at most one a site
    assert {(one.domain, one.number, one.site) for one in tickets} == {
        ("acme.test", 2, "acme.test"),
        ("acme.example", 3, "acme.example"),
    }


def test_what_is_asked_for_counts_among_no_domains_and_no_pages(desk: Desk) -> None:
    crawl = crawled(desk)
    before = crawl.known()

    crawl.look()
    while_asked = crawl.known()
    shown = status.status(desk.engine, desk.frontier, crawl.job)
    crawl.answer_all(OLD)
    after = crawl.known()

    for one in (while_asked, after):
        assert (one.domains_total, one.domains_waiting, one.domains_open) == (2, 0, 0)
        assert (one.domains_done, one.domains_failed, one.domains_recently.in_15_minutes) == (2, 0, 2)
        assert (one.pages, one.mentions, one.pages_failed) == (before.pages, before.mentions, before.pages_failed)
    assert (while_asked.clients_open, after.clients_open) == (2, 0)
    assert (shown.domains_finished, shown.percent, shown.client_urls_left) == (2, 100, 3)
    assert shown.eta == Eta(3, 3)
    with desk.engine.connect() as connection:
        listed = connection.scalar(text("SELECT count(*) FROM domains WHERE job = :job"), {"job": crawl.job})
    assert listed == 2


@pytest.mark.parametrize(
    ("rows", "spec"),
    [
        (PAGES, {"client_domains": ()}),
        (PAGES, {"client_domains": ("other.example",)}),
        (PAGES[-1:], {}),
        ([page("https://site-0.com/", link("https://rival.test/", whose="competitor"))], {}),
    ],
)
def test_a_job_with_no_client_or_no_link_to_one_ends_at_once(
    desk: Desk, rows: Sequence[PageRow], spec: dict[str, Any]
) -> None:
    crawl = crawled(desk, rows, **spec)

    assert crawl.look() is JobState.COMPLETED
    assert crawl.notes() == []


def test_of_too_many_addresses_the_most_linked_ones_are_asked_for_and_it_is_said(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "CLIENT_URLS_MOST", 2)
    crawl = crawled(desk, [*PAGES, page("https://site-1.com/more", link(OLD), link(GONE), domain=1)])

    crawl.look()

    assert sorted(crawl.answer_all()) == sorted([OLD, GONE])
    assert crawl.look() is JobState.COMPLETED
    assert crawl.notes() == [
        "2 of the client's own addresses are asked whether they still answer, of the 2 most linked of 3"
    ]


def test_all_pages_are_changed_when_there_are_more_than_are_read_at_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(targets, "ROWS_AT_ONCE", 2)
    crawl = crawled(desk, [page(f"https://site-0.com/{number}", link(GONE)) for number in range(7)])
    crawl.look()

    crawl.answer_all(GONE)

    assert crawl.look() is JobState.COMPLETED
    assert set(crawl.links().values()) == {"dead"}
    assert len(crawl.links()) == 7


def test_a_deployment_may_ask_for_none(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "CLIENT_URLS_MOST", 0)

    assert crawled(desk).look() is JobState.COMPLETED


def test_a_page_of_which_not_all_links_are_kept_stays_as_it_is(desk: Desk) -> None:
    crawl = crawled(desk, [page("https://site-0.com/", *[link(GONE)] * KEPT_LINKS)])
    crawl.look()

    crawl.answer_all(GONE)

    assert crawl.look() is JobState.COMPLETED
    assert crawl.links() == {"https://site-0.com/": "follow"}


def test_a_site_that_links_to_dead_addresses_only_is_judged_anew(desk: Desk) -> None:
    crawl = crawled(desk)
    with desk.engine.begin() as connection:
        verdicts.keep(connection, crawl.job, {Worth.LINKING: [0, 1]})
    crawl.look()

    crawl.answer_all(GONE)
    crawl.look()

    with desk.engine.connect() as connection:
        found = connection.execute(text("SELECT number, verdict FROM domains WHERE job = :job"), {"job": crawl.job})
        assert {row.number: row.verdict for row in found} == {0: None, 1: Worth.LINKING}


# whatever happens meanwhile


def test_when_redis_has_lost_everything_only_what_has_no_answer_is_asked_for_again(desk: Desk) -> None:
    crawl = crawled(desk)
    crawl.look()
    answered = desk.claim()
    for ticket in answered:
        crawl.answer(ticket, Health.DEAD)

    desk.frontier.redis.flushdb()
    assert crawl.look() is JobState.RUNNING
    counted = crawl.known()
    again = crawl.answer_all()

    assert (counted.domains_total, counted.domains_done, counted.pages) == (2, 2, len(PAGES))
    assert sorted([*again, *(one.url for one in answered)]) == sorted([HOME, OLD, GONE])
    assert crawl.look() is JobState.COMPLETED


def test_an_address_whose_worker_dies_is_handed_out_again_as_what_it_is(desk: Desk) -> None:
    crawl = crawled(desk, [page("https://site-0.com/", link(HOME))])
    crawl.look()
    [lost] = desk.claim(worker="node/a")
    for _ in range(10):
        desk.advance()
        desk.frontier.run(calls.reap())

    [again] = desk.claim(worker="other/b")

    assert again.lease != lost.lease
    assert (again.url, again.state.kind, again.number, again.opening) == (HOME, Kind.TARGET, 2, False)
    crawl.answer(again, Health.ALIVE)
    desk.close()
    assert crawl.look() is JobState.COMPLETED


def test_a_pause_holds_them_and_a_resume_goes_on(desk: Desk) -> None:
    crawl = crawled(desk)
    crawl.look()

    assert control.pause(desk.engine, desk.frontier, crawl.job) is JobState.PAUSED
    assert desk.claim() == ()
    assert control.resume(desk.engine, desk.frontier, crawl.job) is JobState.RUNNING
    assert len(crawl.answer_all(GONE)) == 3

    assert crawl.look() is JobState.COMPLETED
    assert crawl.links()["https://site-0.com/mixed"] == "nofollow"


def test_a_job_that_is_paused_as_its_list_ends_asks_for_them_when_it_is_resumed(desk: Desk) -> None:
    crawl = crawled(desk)

    assert control.pause(desk.engine, desk.frontier, crawl.job) is JobState.PAUSED
    assert desk.claim() == ()
    assert control.resume(desk.engine, desk.frontier, crawl.job) is JobState.RUNNING

    assert len(crawl.answer_all()) == 3
    assert crawl.look() is JobState.COMPLETED


def test_a_job_that_is_cancelled_meanwhile_leaves_nothing_behind(desk: Desk) -> None:
    crawl = crawled(desk)
    crawl.look()

    assert control.cancel(desk.engine, desk.frontier, crawl.job) is JobState.CANCELLED

    assert desk.claim() == ()
    assert list(desk.frontier.redis.scan_iter(f"*{crawl.job}*")) == []


def test_failed_domains_that_are_tried_again_bring_only_addresses_that_have_no_answer(desk: Desk) -> None:
    crawl = half_failed(desk)
    assert crawl.look() is JobState.RUNNING
    assert sorted(crawl.answer_all(GONE)) == sorted([OLD, GONE])
    assert crawl.look() is JobState.COMPLETED

    assert control.retry(desk.engine, desk.frontier, crawl.job) == 1
    pages.write(desk.engine, crawl.job, [page("https://site-1.com/", link(HOME), link(OLD), domain=1)])
    desk.crawl()

    assert crawl.look() is JobState.RUNNING
    assert crawl.answer_all() == [HOME]
    assert crawl.look() is JobState.COMPLETED


def test_addresses_that_a_retry_during_the_asking_brings_are_asked_for_as_well(desk: Desk) -> None:
    crawl = half_failed(desk)
    crawl.look()

    assert control.retry(desk.engine, desk.frontier, crawl.job) == 1
    pages.write(desk.engine, crawl.job, [page("https://site-1.com/", link(HOME), domain=1)])
    asked = []
    while tickets := desk.claim():
        for ticket in tickets:
            if ticket.state.kind is Kind.TARGET:
                asked.append(ticket.url)
                crawl.answer(ticket, Health.ALIVE)
            else:
                desk.finish([ticket])
    desk.close()

    assert sorted(asked) == sorted([OLD, GONE])
    assert crawl.look() is JobState.RUNNING
    assert crawl.answer_all() == [HOME]
    assert crawl.look() is JobState.COMPLETED


def test_what_a_clients_domain_has_no_time_for_is_not_known_and_not_asked_for_again(desk: Desk) -> None:
    crawl = crawled(desk)
    crawl.look()
    for ticket in desk.claim():
        crawl.answer(ticket, Health.ALIVE)
    desk.frontier.redis.hset(f"prospector:job:{crawl.job}", "max_ms", 1)

    assert desk.claim() == ()
    desk.close()

    assert crawl.known().clients_open == 0
    assert crawl.look() is JobState.COMPLETED


def test_a_clients_site_that_asks_for_a_far_moment_is_not_waited_for(desk: Desk) -> None:
    crawl = crawled(desk, [page("https://site-0.com/", link(HOME), link(OLD))])
    crawl.look()
    [ticket] = desk.claim()
    desk.frontier.run(calls.release(ticket.lease, Fetch.STRAINED, 0, 40, 60_000, retry_after_ms=FAR_MS))

    desk.frontier.run(calls.settle(ticket.lease, Verdict.ASIDE))

    assert crawl.known().clients_open == 1
    assert crawl.look() is JobState.COMPLETED
    assert list(desk.frontier.redis.scan_iter(f"*{crawl.job}*")) == []


def test_a_clients_site_that_is_blocked_for_long_already_is_not_waited_for(desk: Desk) -> None:
    seconds, _ = desk.frontier.redis.time()
    desk.frontier.redis.hset("prospector:site:acme.test", "blocked", seconds * 1_000 + FAR_MS)
    crawl = crawled(desk, [page("https://site-0.com/", link(HOME), link(OLD))])

    crawl.look()

    assert crawl.look() is JobState.COMPLETED
    assert crawl.links() == {"https://site-0.com/": "follow"}


def test_an_address_that_ended_its_workers_is_settled_and_is_not_queued_again(desk: Desk) -> None:
    crawl = crawled(desk, [page("https://site-0.com/", link(HOME))])
    row = PageRow(fingerprint(HOME), 2, HOME, PageOutcome.DEAD, NOON, detail="its worker died with it")
    pages.write(desk.engine, crawl.job, [row])
    with desk.engine.begin() as connection:
        dead_letters.bury(connection, [Death(crawl.job, 2, row.page, 1, 3, HOME, "its worker died with it")])
        [letter] = dead_letters.waiting(connection, 10)

    assert crawl.look() is JobState.COMPLETED
    with pytest.raises(Conflict, match="is an address of the client's own"):
        queue.requeue(desk.engine, desk.frontier, str(letter.id))
