"""robots.txt by RFC 9309: whose rules are ours, what an answer means, and what becomes of the page that waits for it."""

import json
import zlib
from typing import Any

import pytest

from prospector.core.visits.robots_visit import (
    ROBOTS,
    UNREACHABLE,
    RobotsAnswer,
    authority,
    judge,
    known,
    robots_address,
)
from prospector.core.visits.ticket import PageState, Ticket, Verdict
from prospector.core.visits.visit import Conclusion
from prospector.core.web.robots import MOST_BYTES, MOST_SITEMAPS, Robots, Stance, decoded, of_status, read


def allows(text: str, path: str) -> bool:
    return read(text.encode()).allows(f"https://a.test{path}")


@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        ("", "/", True),
        ("User-agent: *\nDisallow: /", "/", False),
        ("User-agent: *\nDisallow:", "/x", True),
        ("User-agent: *\nDisallow: /private", "/private/x", False),
        ("User-agent: *\nDisallow: /private", "/public", True),
        ("user-AGENT : *\ndisALLOW : /x", "/x", False),
        # our own group only, wherever it stands
        ("User-agent: *\nDisallow: /\n\nUser-agent: BacklinkProspector\nDisallow: /x", "/y", True),
        ("User-agent: BacklinkProspector\nDisallow: /x\n\nUser-agent: *\nDisallow: /", "/x", False),
        ("User-agent: backlinkprospector/2.0\nDisallow: /x\n\nUser-agent: *\nDisallow: /", "/y", True),
        ("User-agent: BacklinkProspectorPlus\nDisallow: /", "/x", True),  # another's name
        ("User-agent: BacklinkProspector\n\nUser-agent: *\nDisallow: /", "/x", False),  # one group with two names
        # two groups of ours are one
        ("User-agent: *\nDisallow: /a\n\nUser-agent: b\nDisallow: /\n\nUser-agent: *\nDisallow: /c", "/c", False),
        ("User-agent: *\nDisallow: /a\n\nUser-agent: b\nDisallow: /\n\nUser-agent: *\nDisallow: /c", "/d", True),
        # several names above one set of rules
        ("User-agent: x\nUser-agent: *\nDisallow: /a", "/a", False),
        # the longest match, and Allow where two are as long
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: *\nAllow: /a\nDisallow: /a/b", "/a/b", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a", "/a", True),
        # wildcards and the end
        ("User-agent: *\nDisallow: /*.php$", "/x.php", False),
        ("User-agent: *\nDisallow: /*.php$", "/x.php?a", True),
        ("User-agent: *\nDisallow: /*?sort=", "/x?sort=a", False),
        # encoded and plain are the same
        ("User-agent: *\nDisallow: /ü", "/%C3%BC", False),
        ("User-agent: *\nDisallow: /%7Ejoe", "/~joe", False),
        # records that are none do not split a group, and comments are none
        ("User-agent: *\nHost: a.test\nDisallow: /a", "/a", False),
        ("User-agent: * # all\nDisallow: /a # this", "/a", False),
        ("User-agent: *\nSitemap: https://a.test/s.xml\nDisallow: /a", "/a", False),
        ("User-agent: x\nSitemap: https://a.test/s.xml\nUser-agent: *\nDisallow: /a", "/a", False),
        ("\ufeffUser-agent: *\nDisallow: /a", "/a", False),
        ("User-agent: *\rDisallow: /a", "/a", False),
        ("User-agent: *\nDissallow: /a", "/a", False),
        ("Disallow: /a", "/a", True),  # rules of nobody
        ("<html><body>User-agent: nothing</body></html>", "/a", True),
        ("User-agent: *\nDisallow: /a\n\nUser-agent: *bot\nDisallow: /b", "/b", True),
    ],
)
def test_rules_are_read_by_the_standard(text: str, path: str, allowed: bool) -> None:
    assert allows(text, path) is allowed


@pytest.mark.parametrize(
    ("status", "stance", "allowed"),
    [
        (200, Stance.RULES, False), (204, Stance.RULES, False), (301, Stance.UNREACHABLE, False), (400, Stance.NONE, True),
        (401, Stance.NONE, True), (403, Stance.NONE, True), (404, Stance.NONE, True), (429, Stance.UNREACHABLE, False),
        (500, Stance.UNREACHABLE, False), (503, Stance.UNREACHABLE, False),
    ],
)  # fmt: skip
def test_a_status_means_rules_none_or_not_now(status: int, stance: Stance, allowed: bool) -> None:
    found = of_status(status, b"User-agent: *\nDisallow: /")

    assert found.stance is stance
    assert found.allows("https://a.test/x") is allowed


def test_what_stands_behind_the_first_500_kib_is_not_read() -> None:
    rules = b"User-agent: *\nDisallow: /a\n"
    body = rules + b"#" * (MOST_BYTES - len(rules) - 1) + b"\nDisallow: /b\n"

    found = read(body)

    assert not found.allows("https://a.test/a")
    assert found.allows("https://a.test/b")


def test_an_endless_wildcard_does_not_take_long() -> None:
    text = "User-agent: *\n" + "".join(f"Disallow: /{'*a' * 60}${n}\n" for n in range(50))

    assert allows(text, "/" + "a" * 2_000)


@pytest.mark.parametrize(
    ("lines", "seconds"),
    [
        ("Crawl-delay: 3", 3.0),
        ("Crawl-delay: 0.5", 0.5),
        ("Crawl-delay: 10s", 10.0),
        ("Crawl-delay: 2 seconds", 2.0),
        ("Crawl-delay: 1,5", 1.5),
        ("Crawl-delay: 2\nCrawl-delay: 7\nCrawl-delay: 5", 7.0),
        ("Crawl-delay: nan", 0.0),
        ("Crawl-delay: soon", 0.0),
        ("Crawl-delay: -5", 0.0),
        ("", 0.0),
    ],
)
def test_a_crawl_delay_is_that_of_our_group(lines: str, seconds: float) -> None:
    assert read(f"User-agent: *\n{lines}\nDisallow: /x\n".encode()).delay_seconds == seconds
    assert read(f"User-agent: other\n{lines}\nDisallow: /x\n".encode()).delay_seconds == 0


def test_sitemaps_are_everyones_and_not_endless() -> None:
    lines = "".join(f"Sitemap: https://a.test/{n}.xml\n" for n in range(MOST_SITEMAPS + 10))

    found = read(f"User-agent: other\n{lines}".encode())

    assert len(found.sitemaps) == MOST_SITEMAPS
    assert found.sitemaps[0] == "https://a.test/0.xml"


def test_it_comes_back_from_the_frontier_as_it_was() -> None:
    found = read(b"User-agent: *\nCrawl-delay: 2\nDisallow: /x\nSitemap: https://a.test/s.xml")

    again = decoded(found.encoded())

    assert again == found
    assert not again.allows("https://a.test/x")


def test_one_that_an_older_version_kept_is_read() -> None:
    kept = zlib.compress(
        json.dumps(["rules", "user-agent: *\ndisallow: /x", [], 0.0, "https://a.test/robots.txt"]).encode()
    )

    assert not decoded(kept).allows("https://a.test/x")


# --- the page that waits for it


def ticket(*, opening: bool = False, **extra: Any) -> Ticket:
    return Ticket("l", "j", "a.test", 0, 1, "a.test", "https://a.test/p", PageState(extra=extra), 0, opening=opening)


def same_site(url: str) -> bool:
    return "a.test" in url


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.test/x?y", "https://a.test"),
        ("http://a.test:8080/", "http://a.test:8080"),
        ("https://www.a.test/", "https://www.a.test"),
    ],
)
def test_each_scheme_host_and_port_has_its_own(url: str, expected: str) -> None:
    assert authority(url) == expected


def test_rules_that_were_found_are_handed_on() -> None:
    found = judge(ticket(), RobotsAnswer(200, b"User-agent: *\nDisallow: /x"), same_site)

    assert isinstance(found, Robots)
    assert not found.allows("https://a.test/x")


def tried(status: int | None, *, opening: bool = False, **facts: Any) -> tuple[list[int], Conclusion]:
    one, waits = ticket(opening=opening), []
    while True:
        end = judge(one, RobotsAnswer(status, **facts), same_site)
        assert isinstance(end, Conclusion)
        if end.verdict is not Verdict.AGAIN:
            return waits, end
        assert end.state
        waits.append(end.wait_ms)
        one = ticket(opening=opening, **end.state.extra)


def test_one_that_cannot_be_had_is_asked_for_again_and_then_the_page_fails() -> None:
    waits, end = tried(503, opening=True)

    assert waits == [1_000, 2_000, 4_000]
    assert end.verdict is Verdict.FAILED
    assert dict(end.facts) == {"reason": UNREACHABLE, "attempts": 4, "status": 503}


def test_a_wait_that_is_asked_for_is_kept() -> None:
    waits, _ = tried(429, retry_after_ms=30_000)

    assert waits == [30_000] * 3


def test_a_domain_that_does_not_answer_at_all_fails_for_that_and_not_for_its_robots() -> None:
    _, end = tried(None, opening=True, failure="Connection reset")

    assert end.detail == "Connection reset"
    assert end.facts["reason"] == "Connection reset"


def test_robots_of_another_host_below_say_nothing_about_the_domain() -> None:
    _, end = tried(None, failure="Connection reset")

    assert end.detail == UNREACHABLE
    assert not end.facts


def test_five_redirects_are_followed_within_the_site() -> None:
    one, hops = ticket(), 0
    while isinstance(end := judge(one, RobotsAnswer(302, target=f"https://a.test/{hops}"), same_site), Conclusion):
        assert end.state
        one, hops = ticket(**end.state.extra), hops + 1
        assert robots_address(one, "https://a.test/p") == f"https://a.test/{hops - 1}"

    assert hops == 5
    assert end.stance is Stance.NONE


@pytest.mark.parametrize("target", ["", "https://b.test/robots.txt"])
def test_a_redirect_to_nowhere_or_to_another_site_leaves_no_rules(target: str) -> None:
    found = judge(ticket(), RobotsAnswer(302, target=target), same_site)

    assert isinstance(found, Robots)
    assert found.stance is Stance.NONE


def test_the_page_goes_on_as_it_was() -> None:
    state = PageState(attempt=1, extra={"at": "http://a.test/", ROBOTS: {"tries": 2}})

    assert known(state) == PageState(attempt=1, extra={"at": "http://a.test/"})
