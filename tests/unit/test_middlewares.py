"""What a request meets on its way out: robots.txt first, one browser a domain, and no body that is no page."""

from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import StopDownload
from scrapy.http import Headers

from prospector.core.visits.identity import CRAWLER, IDENTITIES
from prospector.core.visits.purpose import Purpose
from prospector.core.visits.ticket import PageState, Ticket
from prospector.core.web import robots
from prospector.fetch.failures import DelayTooLong, Disallowed
from prospector.middlewares.identity import IdentityMiddleware
from prospector.middlewares.limits import LimitsMiddleware
from prospector.middlewares.robots import RobotsMiddleware
from prospector.spiders.robots_book import RobotsBook

INSTEAD = Request("https://a.test/robots.txt")


def request(
    url: str = "https://a.test/x", purpose: Purpose = Purpose.PAGE, job: str = "j", domain: str = "a.test"
) -> Request:
    ticket = Ticket("l", job, domain, 0, 1, "a.test", url, PageState(), 0)
    return Request(url, meta={"ticket": ticket, "purpose": purpose})


# --- robots.txt


def middleware(rules: str | None) -> RobotsMiddleware:
    """Of a worker that has read these rules of https://a.test."""
    crawler: Any = Crawler(Spider)
    book = RobotsBook()
    if rules is not None:
        book.learn("https://a.test", robots.read(rules.encode()))
    crawler.spider = SimpleNamespace(robots=book, robots_request=lambda _: INSTEAD)
    return RobotsMiddleware.from_crawler(crawler)


@pytest.mark.parametrize("purpose", [Purpose.PAGE, Purpose.SITEMAP])
def test_where_robots_txt_is_not_known_it_is_asked_for_instead(purpose: Purpose) -> None:
    assert middleware(None).process_request(request(purpose=purpose)) is INSTEAD


def test_rules_of_one_scheme_are_not_those_of_the_other() -> None:
    assert middleware("").process_request(request("http://a.test/x")) is INSTEAD


def test_robots_txt_itself_needs_nobodys_leave() -> None:
    asked = request("https://a.test/robots.txt", Purpose.ROBOTS)

    assert middleware(None).process_request(asked) is None
    assert middleware("User-agent: *\nDisallow: /").process_request(asked) is None


@pytest.mark.parametrize(
    ("rules", "goes"),
    [
        ("", True),
        ("User-agent: *\nDisallow: /y", True),
        ("User-agent: *\nDisallow: /x", False),
        ("User-agent: *\nDisallow: /\n\nUser-agent: BacklinkProspector\nAllow: /", True),
        ("User-agent: *\nAllow: /\n\nUser-agent: BacklinkProspector\nDisallow: /x", False),
    ],
)
def test_what_its_rules_forbid_is_not_sent(rules: str, goes: bool) -> None:
    if goes:
        assert middleware(rules).process_request(request()) is None
    else:
        with pytest.raises(Disallowed):
            middleware(rules).process_request(request())


@pytest.mark.parametrize(("seconds", "goes"), [(60, True), (61, False)])
def test_a_delay_longer_than_a_minute_is_not_waited_for(seconds: int, goes: bool) -> None:
    one = middleware(f"User-agent: *\nCrawl-delay: {seconds}")

    if goes:
        assert one.process_request(request()) is None
    else:
        with pytest.raises(DelayTooLong, match="61 s"):
            one.process_request(request())


# --- identity


def dressed(**facts: Any) -> dict[str, str]:
    asked = request(**facts)
    IdentityMiddleware().process_request(asked)
    return {name.lower(): value for name, value in asked.headers.to_unicode_dict().items()}


def test_a_domain_sees_one_browser_through_the_whole_job_and_it_is_consistent() -> None:
    first, second = dressed(url="https://a.test/1"), dressed(url="https://a.test/2")

    assert first == second
    assert any(all(first.get(name.lower()) == value for name, value in one.items()) for one in IDENTITIES)


def test_domains_and_jobs_see_different_browsers() -> None:
    agents = {dressed(job=job, domain=f"{number}.test")["user-agent"] for job in "jk" for number in range(20)}

    assert len(agents) == len(IDENTITIES)


def test_robots_txt_is_asked_for_by_our_name() -> None:
    assert dressed(purpose=Purpose.ROBOTS)["user-agent"] == CRAWLER["User-Agent"]


def test_what_a_request_says_itself_stays() -> None:
    asked = request()
    asked.headers["Accept"] = "text/plain"

    IdentityMiddleware().process_request(asked)

    assert asked.headers["Accept"] == b"text/plain"


# --- limits


def received(kind: str | None, purpose: Purpose = Purpose.PAGE) -> Request:
    """A request whose answer's headers have come, as the download handler signals them."""
    crawler: Any = Crawler(Spider)
    _middleware = LimitsMiddleware.from_crawler(crawler)  # signals hold nobody
    asked = request(purpose=purpose)
    headers = Headers({} if kind is None else {"Content-Type": kind})
    told = crawler.signals.send_catch_log(
        signals.headers_received, headers=headers, request=asked, dont_log=StopDownload
    )
    asked.meta["stopped"] = any(isinstance(getattr(one, "value", None), StopDownload) for _, one in told)
    return asked


@pytest.mark.parametrize(
    "kind",
    [
        "text/html",
        "text/html; charset=utf-8",
        "TEXT/HTML",
        "text/html charset=utf-8",
        "html",
        "*/*",
        "application/xhtml+xml",
        "",
        None,
    ],
)
def test_a_page_is_read_on(kind: str | None) -> None:
    assert not received(kind).meta["stopped"]


@pytest.mark.parametrize("kind", ["application/pdf", "image/png; x=y", "application/octet-stream", "text/plain"])
def test_what_is_no_page_is_cut_off_at_its_headers(kind: str) -> None:
    asked = received(kind)

    assert asked.meta["stopped"]
    assert asked.meta["cut_off"]


@pytest.mark.parametrize("purpose", [Purpose.ROBOTS, Purpose.SITEMAP])
def test_robots_txt_and_sitemaps_may_be_of_any_kind(purpose: Purpose) -> None:
    assert not received("application/gzip", purpose).meta["stopped"]
