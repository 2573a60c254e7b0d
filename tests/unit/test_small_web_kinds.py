"""What every kind of site promises: its expected pages can be found, its forbidden ones tempt, its rules are what they say."""

import re
from collections.abc import Iterator
from html import unescape
from itertools import islice
from urllib.parse import quote, unquote, urljoin, urlsplit

import pytest
from protego import Protego

from prospector.demo.web import document
from prospector.demo.web.answers import Answers, Reply
from prospector.demo.web.draft import Draft
from prospector.demo.web.kinds import KINDS
from prospector.demo.web.plan import Plan
from prospector.demo.web.prose import languages
from prospector.demo.web.site import Answer, Declared, Ending, Page, Phrase, Placement, Reach, Request, Site, Zone
from prospector.demo.web.truth import EXPECTED, Mode, canonical

SEED = 21
MOST_REQUESTS = 1500
SITEMAPS = ("/sitemap.xml", "/index.xml", "/a.xml", "/b.xml.gz", "/sitemap.txt", "/map.xml")
READABLE = EXPECTED[Mode.HYBRID]


def one(kind: str) -> tuple[Plan, Site]:
    plan = Plan(SEED, 1, [kind])
    return plan, plan.sites[0]


def links_in(url: str, reply: Reply) -> Iterator[str]:
    text = reply.body.decode("utf-16" if reply.body[1:2] == b"\0" else "utf-8", "replace")
    location = re.search(rb"Location: ([^\r]+)", reply.head)
    written = re.findall(r'href="([^"]*)"|(?i:url)=\'?([^"\'>]+)', text)
    found = ["".join(pair) for pair in written] + ([location[1].decode()] if location else [])
    for href in found:
        try:
            yield urljoin(url, unescape(href).strip()).partition("#")[0].replace("bücher-0000", "xn--bcher-0000-9db")
        except ValueError:
            continue


def reached(plan: Plan, site: Site) -> set[str]:
    """Everything that an able visitor meets who follows all links, in the order in which they are met."""
    answers = Answers(plan, 1)
    listed = [page.key for page in site.pages.values() if any(page.host + path in site.answers for path in SITEMAPS)]
    queue = [f"http://{domain.name}/" for domain in site.domains] + [f"http://{key}" for key in listed]
    met = set(queue)
    queue += [url.replace("http:", "https:") for url in queue]
    done = set()
    for url in islice(queue, MOST_REQUESTS):  # grows while it is read
        parts = urlsplit(url)
        if plan.site_of(parts.hostname or "") is not site:
            continue
        target = quote(parts.path or "/", safe="/%~,") + (f"?{parts.query}" if parts.query else "")
        done.add(canonical(f"//{parts.hostname}{target}", site.ignored_query))
        ask = Request(parts.hostname or "", target, parts.scheme, "seen=1", "", "scrapingbee-js", True, 2, 9)
        for link in links_in(url, answers.reply(site, ask, pressed=False)):
            if link not in met:
                met.add(link)
                queue.append(link)
    return done


def key(page: Page) -> str:
    return canonical(f"//{page.key}")


@pytest.mark.parametrize("kind", KINDS)
def test_every_expected_page_can_be_found(kind: str) -> None:
    plan, site = one(kind)
    expected = {key(page) for page in site.pages.values() if page.reach in READABLE}

    assert expected <= reached(plan, site)


@pytest.mark.parametrize("kind", KINDS)
def test_every_forbidden_page_tempts(kind: str) -> None:
    plan, site = one(kind)
    forbidden = {key(page) for page in site.pages.values() if page.reach is Reach.FORBIDDEN}

    assert forbidden <= reached(plan, site)


@pytest.mark.parametrize("kind", KINDS)
def test_an_independent_reading_of_robots_agrees_with_the_plan(kind: str) -> None:
    plan, site = one(kind)
    answers = Answers(plan, 1)
    for page in site.pages.values():
        found = answers.reply(
            site, Request(page.host, "/robots.txt", "https", "", "", "scrapingbee-js", False, 2, 9), pressed=False
        )
        if found.status != 200 or page.reach is Reach.BEYOND or site.closed:
            continue
        rules = Protego.parse(found.body[: 500 * 1024].decode("utf-8-sig", "replace"))

        assert rules.can_fetch(f"http://{page.key}", "BacklinkProspector") is (page.reach is not Reach.FORBIDDEN), (
            page.key
        )


@pytest.mark.parametrize("kind", KINDS)
def test_a_domain_that_is_done_has_something_to_read(kind: str) -> None:
    _, site = one(kind)
    for domain in site.domains:
        mine = [page for page in site.pages.values() if page.domain == domain.name]
        if domain.hybrid.ending is Ending.DONE and kind != "parked":
            assert any(page.reach in READABLE for page in mine)
        if domain.hybrid.ending is Ending.FAILED:
            assert not any(page.reach in READABLE for page in mine)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_says_what_it_is_or_has_a_name_that_does(kind: str) -> None:
    _, site = one(kind)

    assert site.kind == kind
    assert all(domain.name.endswith((".test", ".invalid")) for domain in site.domains)


def parsed(page: Page) -> str:
    return document.document(page)


@pytest.mark.parametrize(
    ("zone", "inside"),
    [
        (Zone.TITLE, r"<title>[^<]*{}[^<]*</title>"),
        (Zone.H1, r"<main><h1>[^<]*{}[^<]*</h1>"),
        (Zone.HEADING, r"<h2>[^<]*{}[^<]*</h2>"),
        (Zone.MAIN, r"<main>.*<p>[^<]*{}[^<]*</p>.*</main>"),
        (Zone.LIST, r"<main>.*<ul><li>[^<]*{}[^<]*</li></ul>.*</main>"),
        (Zone.TABLE, r"<table><tr><td>[^<]*{}[^<]*</td>"),
        (Zone.COMMENT, r'<section id="comments" class="comments"><p>[^<]*{}'),
        (Zone.NAV, r"<nav>.*{}.*</nav>"),
        (Zone.HEADER, r"<header><p>[^<]*{}"),
        (Zone.FOOTER, r"</main><footer>.*<p>[^<]*{}.*</footer>"),
        (Zone.ASIDE, r"</main><aside><p>[^<]*{}.*</aside>"),
    ],
)
def test_what_is_placed_in_a_zone_stands_there_once(zone: Zone, inside: str) -> None:
    page = Page("a.test", "/", "a.test", placements=(Placement(zone, Phrase("Zeppelin", {})),))

    html = document.document(page)

    assert html.count("Zeppelin") == 1
    assert re.search(inside.format("Zeppelin"), html, re.DOTALL)


@pytest.mark.parametrize("code", languages())
def test_a_page_in_each_charset_of_a_language_says_the_same(code: str) -> None:
    phrases = languages()[code].phrases
    placements = tuple(Placement(Zone.MAIN, phrase) for phrase in phrases)
    for charset in languages()[code].charsets:
        page = Page("a.test", "/", "a.test", code, placements, charset=charset)

        text = unescape(document.encoded(page, rendered=False).decode(document.CODECS.get(charset, charset)))

        assert all(unescape(phrase.html) in text for phrase in phrases)


@pytest.mark.parametrize(
    ("declared", "charset", "begins", "media"),
    [
        (Declared.HEADER, "windows-1252", b"<!doctype html><html lang", "text/html; charset=windows-1252"),
        (Declared.META, "koi8-r", b'<!doctype html><html lang="en"><head><meta charset="koi8-r">', "text/html"),
        (Declared.MARK, "utf-8", b"\xef\xbb\xbf<!doctype", "text/html"),
        (Declared.MARK, "utf-16", b"\xff\xfe<\0!\0", "text/html"),
        (Declared.NOWHERE, "windows-1252", b"<!doctype html><html lang", "text/html"),
    ],
)
def test_a_charset_is_declared_in_one_place(declared: Declared, charset: str, begins: bytes, media: str) -> None:
    page = Page("a.test", "/", "a.test", charset=charset, declared=declared)

    assert document.encoded(page, rendered=False).startswith(begins)
    assert document.media(page) == media


def test_a_shell_shows_nothing_of_its_page() -> None:
    page = Page("a.test", "/", "a.test", placements=(Placement(Zone.MAIN, Phrase("Zeppelin", {})),), root="root")

    assert b"Zeppelin" not in document.encoded(page, rendered=False)
    assert b"Zeppelin" in document.encoded(page, rendered=True)


def test_links_are_written_in_many_ways_and_mean_the_same() -> None:
    draft = Draft(1, 0, "company")

    written = {draft.href("/news/3/k%C3%A4se.html") for _ in range(200)}

    meant = {unquote(urljoin(f"http://{draft.host}/a/b", href.strip())).partition("#")[0] for href in written}
    assert len(written) >= 5
    assert {one.replace("/./", "/") for one in meant} == {f"http://{draft.host}/news/3/käse.html"}


def test_a_redirector_leads_to_the_address_in_its_query() -> None:
    plan, site = one("company")
    ask = Request(site.name, "/go?url=https%3A%2F%2Facme.test%2Ftour", "https")

    got = Answers(plan, 1).reply(site, ask, pressed=False)

    assert got.status == 302
    assert b"Location: https://acme.test/tour\r\n" in got.head


def test_answers_are_kept_within_their_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prospector.demo.web.answers.KEPT_BYTES", 200_000)
    plan, site = one("large-links")
    answers = Answers(plan, 1)

    for page in list(site.pages.values())[:200]:
        answers.reply(site, Request(page.host, page.target), pressed=False)

    assert sum(len(kept.body) for kept in answers._kept.values()) <= 200_000


def test_an_answer_with_a_date_is_made_anew_each_time() -> None:
    plan, site = one("limited-date")
    ask = Request(site.name, "/", visit_of_page=1, visit_of_site=3)

    assert Answers(plan, 1).reply(site, ask, pressed=False).retry_ms > 0
    assert isinstance(site.rule and site.rule(ask), Answer)
