"""The crawl's small parts: what is followed, whose a page is, what a failure is called, what is kept of a page."""

import gc
import time
import tracemalloc
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from scrapy import exceptions
from scrapy.downloadermiddlewares.downloadtimeout import DownloadTimeoutMiddleware
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.http import HtmlResponse, Request, Response
from scrapy.settings import Settings
from scrapy.utils.conf import build_component_list
from scrapy.utils.misc import load_object
from scrapy.utils.test import get_crawler
from twisted.internet import error
from twisted.python.failure import Failure

from prospector.core.job.spec import JobSpec
from prospector.core.reading.linking import linking
from prospector.core.reading.page import read
from prospector.core.reading.traits import LinkStatus, PageFlag, PageKind
from prospector.core.reading.zones import Zone
from prospector.core.visits.evidence import Evidence
from prospector.core.visits.outcomes import PageOutcome
from prospector.core.visits.ticket import Found, Kind, PageState, Ticket, Verdict
from prospector.core.visits.visit import Conclusion, Onward
from prospector.core.web import robots
from prospector.core.web.robots import Robots, Stance
from prospector.core.words.keywords import Keyword
from prospector.core.words.match import Matcher
from prospector.errors import InputInvalid
from prospector.fetch.failures import AddressRefused, Disallowed, NameUnknown
from prospector.items import PageItem
from prospector.pipelines.rows import page_row
from prospector.pipelines.show import shown
from prospector.spiders import parts, robots_book
from prospector.spiders.arguments import Arguments, arguments
from prospector.spiders.brief import brief
from prospector.spiders.debugging import Summary, brief_of
from prospector.spiders.leads import absolute, host_site, leads, location_of, same_page
from prospector.spiders.page_links import PageLinks, worth_asking
from prospector.spiders.robots_book import RobotsBook
from prospector.spiders.sitemap_readings import ended
from prospector.spiders.symptoms import SYMPTOMS, UNPACKING, evidence_of_failure

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
CRM = Keyword("CRM")


def ticket(url: str = "https://a.test/", domain: str = "a.test") -> Ticket:
    return Ticket("l", "j", domain, 3, 1, "a.test", url, PageState(), 0)


def html(body: str, **facts: Any) -> HtmlResponse:
    url = "https://a.test/dir/page"
    return HtmlResponse(url, body=body.encode(), headers={"Content-Type": "text/html"}, request=Request(url), **facts)


# --- what is followed


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("https://a.test/", True),
        ("https://a.test", True),
        ("https://a.zip/", True),  # a host, not an archive
        ("https://a.test/x.html", True),
        ("https://a.test/x.php?file=a.pdf", True),
        ("https://a.test/x.pdf", False),
        ("https://a.test/X.JPG?size=2", False),
        ("https://a.test/feed.xml", False),
        ("https://a.test/v1.2/notes", True),
        ("https://a.test/calendar/2031/05", False),
        ("https://a.test/a/b/a/b/a/b", False),
        ("https://a.test/?sort=price&color=red", False),
    ],
)
def test_files_and_traps_are_not_asked_for(url: str, asked: bool) -> None:
    assert worth_asking([url]) == ([url] if asked else [])


def test_links_are_followed_once_without_fragments_and_with_their_anchor() -> None:
    response = html("<a href=/x#1></a><a href=/x#2>words</a><a href=/y rel=nofollow>y</a><a href=mailto:a@b>m</a>")

    found = PageLinks().extract_links(response)

    assert [(one.url, one.text) for one in found] == [("https://a.test/x", "words"), ("https://a.test/y", "y")]


def test_a_page_that_asks_not_to_be_followed_is_not() -> None:
    assert PageLinks().extract_links(html("<meta name=robots content=nofollow><a href=/x>x</a>")) == []


def test_its_headers_may_ask_it_too() -> None:
    response = html("<a href=/x>x</a>")
    response.headers["X-Robots-Tag"] = "noindex, nofollow"

    assert PageLinks().extract_links(response) == []


def test_a_page_is_parsed_once() -> None:
    response = html("<p>x")

    PageLinks().extract_links(response)
    first = response.meta["page"]
    PageLinks().extract_links(response)

    assert response.meta["page"] is first


# --- whose a page is

JOB = brief("j", JobSpec(), [CRM], ["a.test", "shop.a.test", "b.test"])


@pytest.mark.parametrize(
    ("url", "domain", "expected"),
    [
        ("https://a.test/", "a.test", True),
        ("http://www.a.test/x", "a.test", True),
        ("https://blog.a.test/", "a.test", True),
        ("https://shop.a.test/", "a.test", False),  # listed itself
        ("https://de.shop.a.test/", "shop.a.test", True),
        ("https://a.test/", "shop.a.test", False),
        ("https://b.test/", "a.test", False),
        ("https://nota.test/", "a.test", False),
        ("https://a.test.evil.example/", "a.test", False),
        ("https://[half", "a.test", False),
    ],
)
def test_a_host_belongs_to_the_longest_listed_host_that_covers_it(url: str, domain: str, expected: bool) -> None:
    assert JOB.belongs(url, domain) is expected


def test_leads_are_pages_of_the_domain_each_once() -> None:
    urls = ["https://a.test/x", "http://www.a.test/x", "https://b.test/", "https://a.test/y"]

    assert [one.url for one in leads(urls, ticket(), JOB)] == ["https://a.test/x", "https://a.test/y"]


@pytest.mark.parametrize(
    ("location", "target"),
    [
        (b"/x", "https://a.test/x"),
        (b"y#part", "https://a.test/dir/y"),
        ("/dörf".encode(), "https://a.test/d%C3%B6rf"),
        ("/dörf".encode("latin-1"), "https://a.test/d%C3%B6rf"),
        (b"//b.test/", "https://b.test/"),
        (b"http://2135031809/", "http://127.66.0.1/"),
        (b"file:///etc/passwd", ""),
        (b"gopher://a.test/", ""),
        (b"javascript:alert(1)", ""),
        (b"http://[half", ""),
        (None, ""),
    ],
)
def test_a_redirect_leads_where_a_browser_would_go_or_nowhere(location: bytes | None, target: str) -> None:
    headers = {} if location is None else {"Location": location}

    assert location_of(Response("https://a.test/dir/page", 302, headers=headers)) == target


def test_addresses_that_are_none_are_left_out() -> None:
    assert absolute(["/x", "ftp://a.test/", "http://[half"], "https://a.test/") == ["https://a.test/x"]
    assert not same_page("https://a.test/", "ftp://a.test/")


@pytest.mark.parametrize("url", ["https://www.a.test/x", "http://u:p@b.a.test:8080/", "https://a.test"])
def test_the_site_of_an_address_is_that_of_its_host(url: str) -> None:
    assert host_site(url) == "a.test"


# --- what a failure is called

GZIP_HEAD = b"\x1f\x8b\x08" + bytes(7)


@pytest.mark.parametrize(
    ("failure", "evidence"),
    [
        (Disallowed(""), Evidence.ROBOTS),
        (AddressRefused(""), Evidence.PRIVATE_ADDRESS),
        (NameUnknown(""), Evidence.UNRESOLVED),
        (error.DNSLookupError(), Evidence.UNRESOLVED),
        (exceptions.DownloadTimeoutError(""), Evidence.TIMED_OUT),
        (error.TCPTimedOutError(), Evidence.TIMED_OUT),
        (error.NoRouteError(), Evidence.REFUSED),
        (exceptions.DownloadConnectionRefusedError(""), Evidence.REFUSED),
        (exceptions.DownloadCancelledError(""), Evidence.TOO_LARGE),
        (exceptions.ResponseDataLossError(""), Evidence.SHORT_BODY),
        *((kind(), Evidence.GARBLED) for kind in UNPACKING),
        (error.ConnectionLost(), Evidence.RESET),
        (exceptions.DownloadFailedError(""), Evidence.RESET),
        (OSError(), Evidence.RESET),
        (ValueError(), None),
        (KeyError("ours"), None),
    ],
)
def test_a_failure_is_what_a_site_can_do_or_a_defect_of_ours(failure: Exception, evidence: Evidence | None) -> None:
    assert evidence_of_failure(Failure(failure)) is evidence


@pytest.mark.parametrize("body", [b"<p>plain", GZIP_HEAD, GZIP_HEAD + b"\xff" * 9], ids=["plain", "cut", "damaged"])
@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_a_body_that_cannot_be_unpacked_is_no_defect_of_ours(encoding: str, body: bytes) -> None:
    request = Request("https://a.test/")
    answer = Response(request.url, headers={"Content-Encoding": encoding}, body=body)

    with pytest.raises(UNPACKING) as raised:
        HttpCompressionMiddleware.from_crawler(get_crawler()).process_response(request, answer)

    assert evidence_of_failure(Failure(raised.value)) is Evidence.GARBLED


def test_no_symptom_hides_a_later_one() -> None:
    for place, (kind, _) in enumerate(SYMPTOMS):
        assert not any(issubclass(kind, earlier) for earlier, _ in SYMPTOMS[:place]), kind


def test_a_sitemap_that_its_robots_txt_ends_is_no_failed_page() -> None:
    failed = Conclusion(Verdict.FAILED, PageOutcome.FAILED)
    again = Conclusion(Verdict.AGAIN)
    sitemap = replace(ticket(), state=PageState(kind=Kind.SITEMAP))

    assert ended(sitemap, failed).verdict is Verdict.ASIDE
    assert ended(sitemap, again) is again
    assert ended(ticket(), failed) is failed


# --- what a worker knows of robots.txt


def test_what_is_known_of_robots_is_by_authority_and_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    book, rules = RobotsBook(), Robots(Stance.NONE)
    book.learn("https://a.test", rules)

    assert book.known("https://a.test/x") is rules
    assert book.known("http://a.test/x") is None
    monkeypatch.setattr(robots_book, "KEPT_SECONDS", -1)
    book.learn("https://a.test", rules)
    assert book.known("https://a.test/x") is None
    assert time.monotonic() > 0


def test_the_oldest_robots_are_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    one = robots_book.ENTRY_BYTES + len(Robots(Stance.NONE).encoded())
    monkeypatch.setattr(robots_book, "KEPT_BYTES", 2 * one)
    book = RobotsBook()
    for name in "abcc":
        book.learn(f"https://{name}.test", Robots(Stance.NONE))

    assert [name for name in "abc" if book.known(f"https://{name}.test/")] == ["b", "c"]


def test_a_robots_txt_that_is_not_at_hand_any_more_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robots_book, "RULES_AT_HAND", 1)
    book = RobotsBook()
    for name in "abc":
        book.learn(f"https://{name}.test", robots.read(f"User-agent: *\nDisallow: /{name}".encode()))

    found = {name: book.known(f"https://{name}.test/") for name in "abc"}

    assert [name for name, of in found.items() if of and not of.allows(f"https://{name}.test/{name}")] == [
        "a",
        "b",
        "c",
    ]
    assert all(of and of.allows("https://any.test/x") for of in found.values())


def test_thousands_of_rules_of_hundreds_of_sites_fit_into_a_worker() -> None:
    rules = "".join(f"Disallow: /*/collections/*{number}filter*&*filter*\n" for number in range(1000))
    book = RobotsBook()
    tracemalloc.start()
    try:
        for number in range(25):
            book.learn(f"https://{number}.test", robots.read(f"User-agent: *\n{rules}".encode()))
            known = book.known(f"https://{number}.test/")
            assert known
            assert known.allows("https://any.test/x")
        gc.collect()  # parsed rules refer to each other
        used_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert used_bytes < 15_000_000  # twice as much if all of them stayed as they are parsed
    assert all(book.known(f"https://{number}.test/") for number in range(25))


# --- what is kept of a page

PAGE = """<html lang=de><title>CRM here</title><meta name=robots content=noindex><link rel=canonical href=/c>
<h1>x</h1><p>crm <a href=https://acme.test/ rel=nofollow>best CRM ever</a> <a href=/contact>us</a> <a href=https://rival.test/>r</a>"""


def item(body: str = PAGE, **facts: Any) -> PageItem:
    page = read(body.encode(), "https://a.test/p")
    made = PageItem(
        ticket("https://a.test/p"), "https://a.test/p", 200, NOON, Conclusion(Verdict.DONE, PageOutcome.READ), page
    )
    made.mentions = Matcher([CRM]).match(page).mentions
    made.linking = linking(page.links, ["acme.test"], ["rival.test"], domain="a.test")
    made.kind = PageKind.ARTICLE
    for name, value in facts.items():
        setattr(made, name, value)
    return made


def test_a_row_keeps_what_the_page_says_and_never_the_page() -> None:
    row = page_row(item(bad_certificate=True), [Found("https://a.test/new", 7)], {CRM: 4})

    assert (row.domain, row.url, row.status, row.title, row.language) == (3, "https://a.test/p", 200, "CRM here", "de")
    assert (row.kind, row.link, row.found) == (PageKind.ARTICLE, LinkStatus.NOFOLLOW, ["https://a.test/new"])
    assert row.flags == (
        PageFlag.NOINDEX | PageFlag.CONTACT_FOUND | PageFlag.LINKS_TO_COMPETITOR | PageFlag.BAD_CERTIFICATE
    )
    assert row.links
    assert [one["whose"] for one in row.links] == ["client", "competitor"]
    assert row.canonical is not None
    assert len(str(row)) < 2_000


def test_a_mention_has_its_best_zone_its_counts_and_the_anchor_it_stands_in() -> None:
    mention = page_row(item(), [], {CRM: 4}).mentions[0]

    assert (mention.keyword, mention.frequency, mention.zone) == (4, 3, Zone.TITLE)
    assert mention.zones == {Zone.TITLE: 1, Zone.MAIN: 2}
    assert mention.anchor == "best CRM ever"


def test_a_mention_outside_of_links_has_no_anchor() -> None:
    row = page_row(item("<title>t</title><p>CRM <a href=/x>words</a> CRM"), [], {CRM: 0})

    assert row.mentions[0].anchor is None


FARM = "".join(f"<a href=https://site-{number}.com>a link to site {number}</a> " for number in range(150))


@pytest.mark.parametrize(
    ("body", "flags", "link"),
    [
        ("<div id=root></div><script src=x></script>", PageFlag.NEEDS_BROWSER, LinkStatus.UNKNOWN),
        ("<title>x</title><p>This domain is for sale", PageFlag.PARKED, LinkStatus.UNLINKED),
        ("<title>404 Not Found</title><p>x", PageFlag.SOFT_404, LinkStatus.UNLINKED),
        ("<title>x</title><p>" + "word " * 200, PageFlag(0), LinkStatus.UNLINKED),
        (f"<title>CRM</title>{FARM}", PageFlag.LINK_FARM, LinkStatus.UNLINKED),
        (f"<title>x</title>{FARM}", PageFlag(0), LinkStatus.UNLINKED),  # without a mention it is nobody's prospect
    ],
)
def test_signs_of_a_page_are_flags_of_its_row(body: str, flags: PageFlag, link: LinkStatus) -> None:
    row = page_row(item(body), [], {CRM: 0})

    assert (row.flags, row.link) == (flags, link)


def test_a_page_that_was_not_read_is_a_row_with_its_reason() -> None:
    end = Conclusion(Verdict.FAILED, PageOutcome.FAILED, detail="HTTP 404 Not Found")

    row = page_row(PageItem(ticket(), "https://a.test/", 404, NOON, end), [], {})

    assert (row.outcome, row.detail, row.status, row.link) == (PageOutcome.FAILED, "HTTP 404 Not Found", 404, None)
    assert not row.mentions


@pytest.mark.parametrize(
    ("verdict", "outcome", "flags"),
    [
        (Verdict.DONE, PageOutcome.SKIPPED, PageFlag.COUNTED),
        (Verdict.DONE, PageOutcome.REDIRECTED, PageFlag.COUNTED),
        (Verdict.ASIDE, PageOutcome.REDIRECTED, PageFlag(0)),
        (Verdict.ASIDE, PageOutcome.SKIPPED, PageFlag(0)),
        (Verdict.FAILED, PageOutcome.FAILED, PageFlag(0)),
    ],
)
def test_a_row_says_whether_its_page_counts_as_fetched_where_its_outcome_does_not(
    verdict: Verdict, outcome: PageOutcome, flags: PageFlag
) -> None:
    row = page_row(PageItem(ticket(), "https://a.test/", 200, NOON, Conclusion(verdict, outcome)), [], {})

    assert row.flags == flags


# --- the debug mode


def test_the_debug_mode_shows_what_was_found() -> None:
    record = shown(item())

    assert record["mentions"][0]["keyword"] == "CRM"
    assert record["mentions"][0]["zones"] == {"title": 1, "main": 2}
    assert (record["url"], record["outcome"]) == ("https://a.test/p", "read")


def test_its_summary_says_what_was_skipped_and_why_and_of_each_keyword_how_often() -> None:
    summary = Summary([CRM, Keyword("erp")])
    summary.note(item())
    end = Conclusion(Verdict.ASIDE, PageOutcome.SKIPPED, detail="robots.txt disallowed")
    summary.note(PageItem(ticket(), "https://a.test/", None, NOON, end))
    for target in ("https://a.test/1", "https://a.test/2"):
        hop = Conclusion(
            Verdict.ASIDE, PageOutcome.REDIRECTED, detail=f"to {target}", onward=Onward(target, PageState())
        )
        summary.note(PageItem(ticket(), "https://a.test/", 301, NOON, hop))
    summary.note_left(3, "page limit")

    assert summary.lines() == [
        "3 pages not asked for: page limit",
        "2 pages redirected",
        "1 page read",
        "1 page skipped: robots.txt disallowed",
        "3 mentions of CRM",
        "0 mentions of erp",
    ]


@pytest.mark.parametrize("given", ["localhost", "", "a.test b.test", "10.0.0.1", "not a domain"])
def test_what_is_no_domain_is_refused_with_an_example(given: str) -> None:
    with pytest.raises(InputInvalid) as caught:
        arguments({"domain": given})

    assert "scrapy crawl domain" in str(caught.value.remedy)


def test_a_domain_may_be_given_as_an_address() -> None:
    assert arguments({"domain": "https://www.example.com/x"}).domain == "example.com"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"keyword": "crm", "domain": "a.test"}, "There is no argument 'keyword'. Did you mean keywords?"),
        ({"xyz": "1"}, "There is no argument 'xyz'. There are domain, keywords, keywords_file, max_pages, job."),
        ({"keywords": "crm"}, "The argument keywords is for debugging one domain."),
        ({"domain": "a.test", "job": "j"}, "The argument job is for a worker"),
    ],
)
def test_an_argument_that_means_nothing_is_refused_in_words(given: dict[str, str], said: str) -> None:
    with pytest.raises(InputInvalid) as caught:
        arguments(given)

    assert str(caught.value).startswith(said)
    assert "scrapy crawl domain" in str(caught.value.remedy)


def test_a_worker_takes_what_scrapyd_adds_and_the_job_it_is_for() -> None:
    assert arguments({"_job": "x"}) == Arguments()
    assert arguments({"job": "abc"}).job == "abc"


def test_keywords_are_needed_from_somewhere(tmp_path: Any) -> None:
    file = tmp_path / "k.txt"
    file.write_text("crm\nerp\n")

    assert [one.text for one in brief_of("a.test", Arguments(keywords="crm,erp")).numbers] == ["crm", "erp"]
    assert [one.text for one in brief_of("a.test", Arguments(keywords_file=str(file))).numbers] == ["crm", "erp"]
    with pytest.raises(InputInvalid, match="no keywords"):
        brief_of("a.test", Arguments())


# --- the parts of Scrapy that a crawl runs with


def test_parts_stand_beside_what_the_project_switches_and_give_way_to_the_command_line() -> None:
    settings = Settings({"EXTENSIONS": {"mine.One": 1}})
    settings.set("CONCURRENT_REQUESTS", 7, priority="cmdline")

    parts.install(settings, parts.WORKER)

    assert settings.getint("CONCURRENT_REQUESTS") == 7
    assert {"mine.One", "prospector.extensions.closer.Closer"} <= set(settings["EXTENSIONS"])
    assert settings["SCHEDULER"] == "prospector.scheduler.Scheduler"


@pytest.mark.parametrize("chosen", [parts.WORKER, parts.DEBUG])
def test_a_fetch_may_take_as_long_as_the_settings_say(chosen: parts.Parts) -> None:
    """Nobody but this part of Scrapy reads DOWNLOAD_TIMEOUT: without it a page has ten seconds."""
    settings = Settings()
    settings.setmodule("prospector.settings")
    parts.install(settings, chosen)

    used = build_component_list(settings.get_component_priority_dict_with_base("DOWNLOADER_MIDDLEWARES"))

    assert DownloadTimeoutMiddleware in [load_object(one) for one in used]
    assert settings.getfloat("DOWNLOAD_TIMEOUT") == 30


@pytest.mark.parametrize("chosen", [parts.WORKER, parts.DEBUG])
def test_every_part_can_be_loaded(chosen: parts.Parts) -> None:
    for name, value in chosen.items():
        listed = value if isinstance(value, dict) else {}
        for path in [one for one in (*listed, *listed.values()) if isinstance(one, str) and "." in one]:
            assert load_object(path), name


def test_in_the_debug_mode_no_part_speaks_to_a_server() -> None:
    assert "SCHEDULER" not in parts.DEBUG
    assert not {path for path in parts.DEBUG["EXTENSIONS"] if "closer" in path or "memor" in path}
    assert list(parts.DEBUG["ITEM_PIPELINES"].values()) == list(parts.WORKER["ITEM_PIPELINES"].values())
