"""What a job has found, read in one transaction: in order, complete, and of one moment."""

from dataclasses import astuple
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, text

from prospector.core.reading.traits import LinkStatus, PageFlag, PageKind
from prospector.core.reading.zones import Zone
from prospector.core.visits.methods import Method
from prospector.core.visits.outcomes import DomainState, PageOutcome
from prospector.errors import NotFound, ServerUnreachable
from prospector.store import pages, partitions, spend
from prospector.store.domains import Finished
from prospector.store.jobs import Keyword, ListedDomain
from prospector.store.results import SiteRow, snapshot
from prospector.store.spend import Reservation

from .conftest import ISSUES, KEYWORDS, NOON, finish, make_job, mention, page


def sites(engine: Engine, job: str) -> dict[str, SiteRow]:
    with snapshot(engine, job) as found:
        return {site.domain.partition(".")[0]: site for site in found.sites()}


def test_mentions_come_by_domain_keyword_and_address_in_byte_order(engine: Engine) -> None:
    job = make_job(engine)
    urls = ("https://x.example/b", "https://x.example/B", "https://x.example/ä", "https://x.example/a-b")
    rows = [
        page(number, number % 2, url=f"{url}{number % 2}", mentions=[mention(1), mention(0)])
        for number, url in enumerate(urls)
    ]
    pages.write(engine, job, rows)

    with snapshot(engine, job) as found:
        order = [(one.domain, one.keyword, one.url) for one in found.mentions()]

    assert order == sorted(order)
    assert len(order) == 8


def test_a_mention_carries_all_that_its_page_says(engine: Engine) -> None:
    job = make_job(engine)
    said = mention(1, Zone.H1, 3, zones={Zone.H1: 1, Zone.NAV: 2}, anchor="tools", snippet="a \t b")
    full = page(
        -7,
        3,
        canonical=5,
        method=Method.JS,
        status=203,
        link=LinkStatus.UGC,
        kind=PageKind.FORUM,
        flags=PageFlag.NOINDEX,
        language="pt-BR",
        title="T",
        mentions=[said],
    )
    pages.write(engine, job, [full])

    with snapshot(engine, job) as found:
        (one,) = found.mentions()

    assert (one.domain, one.identity, one.keyword, one.frequency) == (3, 5, 1, 3)
    assert (one.zone, one.zones, one.snippet, one.anchor) == (Zone.H1, {"h1": 1, "nav": 2}, "a \t b", "tools")
    assert (one.method, one.status, one.link, one.kind) == (Method.JS, 203, LinkStatus.UGC, PageKind.FORUM)
    assert (one.flags, one.language, one.title, one.settled_at) == (PageFlag.NOINDEX, "pt-BR", "T", NOON)


def test_a_page_of_which_little_is_known_is_read_too(engine: Engine) -> None:
    job = make_job(engine)
    pages.write(
        engine,
        job,
        [page(1, 0, method=None, status=None, link=None, kind=None, language=None, title=None, mentions=[mention()])],
    )

    with snapshot(engine, job) as found:
        (one,) = found.mentions()

    assert (one.method, one.status, one.link, one.kind, one.language, one.title) == (None,) * 6


def test_every_domain_is_there_in_the_order_of_the_list(engine: Engine, job: str) -> None:
    found = sites(engine, job)

    assert list(found) == [
        "good",
        "boring",
        "menus",
        "linking",
        "parked",
        "empty",
        "failed",
        "waiting",
        "open",
        "nasty",
    ]
    assert found["failed"].state is DomainState.FAILED
    assert (found["failed"].last_status, found["failed"].attempts, found["failed"].reason) == (
        403,
        3,
        "HTTP 403 Forbidden",
    )
    assert found["good"].cells == {"DR": "-5", "Owner": "Zoë"}
    assert (found["waiting"].pages, found["waiting"].used_credits) == (0, 0)


def test_the_pages_of_a_site_say_whether_it_links_and_how_to_write_to_it(engine: Engine) -> None:
    job = make_job(engine)
    pages.write(engine, job, [
        page(1, 0, link=LinkStatus.UGC, url="https://a.example/first"),
        page(2, 0, link=LinkStatus.FOLLOW, url="https://a.example/z", depth=2),
        page(3, 0, link=LinkStatus.FOLLOW, url="https://a.example/best", depth=1, links=[{"url": "https://acme.test/"}]),
        page(4, 1, link=LinkStatus.DEAD, url="https://b.example/old", links=[{"url": "https://acme.test/gone"}]),
        page(8, 0, link=LinkStatus.DEAD, url="https://a.example/first-of-all"),
        page(5, 2, flags=PageFlag.CONTACT_FOUND),
        page(6, 3, kind=PageKind.CONTACT, url="https://d.example/contact"),
        page(7, 4, outcome=PageOutcome.FAILED, method=Method.STANDARD),
    ])  # fmt: skip

    good, boring, menus, linking, parked, *_ = sites(engine, job).values()

    assert (good.linking, good.linking_url, good.links) == (
        LinkStatus.FOLLOW,
        "https://a.example/best",
        [{"url": "https://acme.test/"}],
    )
    assert (boring.linking, boring.linking_url, boring.links) == (
        LinkStatus.DEAD,
        "https://b.example/old",
        [{"url": "https://acme.test/gone"}],
    )
    assert (menus.contact_found, menus.contact_url) == (True, None)
    assert (linking.contact_found, linking.contact_url) == (True, "https://d.example/contact")
    assert (parked.pages, parked.pages_read, parked.direct_requests) == (1, 0, 0)


def test_an_open_domain_is_counted_by_its_pages_and_the_ledger(engine: Engine) -> None:
    job = make_job(engine)
    pages.write(engine, job, [page(1, 0), page(2, 0, method=Method.JS)])
    with engine.begin() as connection:
        spend.reserve(
            connection, [Reservation("a", job, 0, 2, Method.JS, 5), Reservation("b", job, 0, 3, Method.STANDARD, 1)]
        )
        spend.settle(connection, {"a": 5})

    site = sites(engine, job)["good"]

    assert (site.pages, site.direct_requests, site.standard_requests, site.js_requests) == (2, 1, 1, 1)
    assert (site.used_credits, site.reserved_credits) == (5, 1)


def test_a_finished_domain_keeps_its_own_counts(engine: Engine) -> None:
    job = make_job(engine)
    finish(
        engine,
        job,
        Finished(
            0,
            1,
            DomainState.DONE,
            pages=7,
            direct_requests=9,
            standard_requests=2,
            js_requests=1,
            moved_to="b.example",
            partial=True,
        ),
    )

    site = sites(engine, job)["good"]

    assert (site.pages, site.direct_requests, site.standard_requests, site.js_requests) == (7, 9, 2, 1)
    assert (site.moved_to, site.partial) == ("b.example", True)


def test_other_jobs_are_never_mixed_in(engine: Engine, job: str) -> None:
    other = make_job(engine)
    pages.write(engine, other, [page(1, 0, mentions=[mention(1, snippet="not ours")])])
    with engine.begin() as connection:
        spend.reserve(connection, [Reservation("theirs", other, 0, 1, Method.JS, 5)])

    with snapshot(engine, job) as found:
        assert all(one.snippet != "not ours" for one in found.mentions())
        assert found.mention_count() == 10
        assert sum(site.reserved_credits for site in found.sites()) == 1


def test_lost_pages_issues_keywords_and_spellings_are_read(engine: Engine, job: str) -> None:
    pages.write(
        engine,
        job,
        [
            page(90, 0, outcome=PageOutcome.DEAD, detail=None, attempts=3),
            page(91, 1, spellings=["AcmeCRM", "acme-crm"]),
        ],
    )

    with snapshot(engine, job) as found:
        troubles = [(one.domain, one.outcome, one.detail, one.attempts) for one in found.troubles()]
        assert troubles == [
            ("good.example", PageOutcome.DEAD, None, 3),
            ("nasty.example", PageOutcome.UNWRITABLE, "value too long", 1),
        ]
        assert [astuple(one) for one in found.issues()] == [
            (one.row, one.kind, one.value, one.reason) for one in ISSUES
        ]
        assert found.keywords() == KEYWORDS
        assert found.spellings() == {"AcmeCRM": 2, "acme-crm": 1}


def test_own_columns_keep_the_order_of_the_file(engine: Engine) -> None:
    listed = [
        ListedDomain("a.example", 2, {"Z": "1", "A": "2"}),
        ListedDomain("b.example", 3),
        ListedDomain("c.example", 4, {"late": "3", "Z": "x"}),
    ]
    job = make_job(engine, domains=listed, input_columns=["Z", "domain", "A"])

    with snapshot(engine, job) as found:
        assert found.columns() == ["Z", "A", "late"]
        assert sorted(found.column("Z")) == ["1", "x"]
        assert list(found.column("'; DROP TABLE jobs; --")) == []


def test_the_streams_may_be_read_side_by_side(engine: Engine, job: str) -> None:
    with snapshot(engine, job) as found:
        pairs = list(zip(found.mentions(), found.sites(), found.issues(), strict=False))

    assert len(pairs) == len(ISSUES)


def test_the_picture_is_of_one_moment_and_nothing_can_be_changed_in_it(engine: Engine, job: str) -> None:
    with snapshot(engine, job) as found:
        pages.write(engine, job, [page(500, 0, mentions=[mention()])])

        assert found.mention_count() == len(list(found.mentions())) == 10
        assert abs(found.taken_at - datetime.now(UTC)) < timedelta(minutes=5)

    with pytest.raises(ServerUnreachable, match="read-only transaction"), snapshot(engine, job) as found:
        found._connection.execute(text("DELETE FROM jobs"))


def test_a_job_without_results_or_without_an_id_is_a_clear_end(engine: Engine, job: str) -> None:
    with engine.begin() as connection:
        partitions.drop(connection, job)

    for wrong, said in ((job, "are deleted"), ("zzzzzz", "are deleted"), ("'; --", "There is no job")):
        with pytest.raises(NotFound, match=said), snapshot(engine, wrong):
            pass


def test_five_hundred_keywords_of_one_job_keep_their_numbers(engine: Engine) -> None:
    keywords = [Keyword(f"keyword {number}", "label" if number % 2 else None) for number in range(500)]
    job = make_job(engine, keywords=keywords)

    with snapshot(engine, job) as found:
        assert found.keywords() == keywords
