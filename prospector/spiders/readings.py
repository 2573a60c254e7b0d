"""Scrapy's responses and failures, read into what the rules of `core` decide by, and their conclusions into items."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from prospector import logs
from prospector.core import sitemaps
from prospector.core.answers import Answer, cookies_of, is_html, of_page
from prospector.core.evidence import Evidence, of_status
from prospector.core.opening import is_unreached
from prospector.core.outcomes import PageOutcome
from prospector.core.robots import SKIPPED_ABOVE_SECONDS, Robots
from prospector.core.robots_visit import RobotsAnswer, judge, known
from prospector.core.sites import site_of
from prospector.core.ticket import Found, Kind, PageState, Ticket, Verdict
from prospector.core.urls import UrlInvalid, canonical, fingerprint, resolve
from prospector.core.visit import Circumstances, Conclusion, Onward, conclude
from prospector.fetch.direct import wait_asked_ms
from prospector.items import PageItem
from prospector.spiders import page_links
from prospector.spiders.brief import Brief
from prospector.spiders.symptoms import evidence_of_failure

if TYPE_CHECKING:
    from prospector.spiders.domain import DomainSpider

LOG = logs.named(__name__)

REDIRECTS = frozenset({301, 302, 303, 307, 308})
DEFECT = "Internal error"
DEFECT_TRIES = 3
SITEMAP = "/sitemap.xml"


def page_of(spider: "DomainSpider", response: Response) -> PageItem:
    ticket: Ticket = response.meta["ticket"]
    answer = _answer(response)
    end = conclude(ticket, answer, _around(spider, ticket))
    item = PageItem(ticket, response.url, response.status, datetime.now(UTC), end, homepage=ticket.opening)
    if end.outcome is PageOutcome.READ:
        item.page = answer.page
        links = [link.url for rule in spider.rules for link in rule.link_extractor.extract_links(response)]  # type: ignore[arg-type]
        item.found = leads(links, ticket, spider.briefs[ticket.job])
    elif end.onward:
        item.found = [_onward(end.onward)]
    if ticket.opening and end.outcome in {PageOutcome.READ, PageOutcome.REDIRECTED}:
        item.found = [*_sitemaps(spider, ticket, response.url), *item.found]
    return item


def failed_page(spider: "DomainSpider", request: Request, failure: Failure) -> PageItem:
    ticket: Ticket = request.meta["ticket"]
    evidence = evidence_of_failure(failure)
    end = conclude(ticket, Answer(evidence), _around(spider, ticket)) if evidence else defect(ticket, failure)
    item = PageItem(ticket, request.url, None, datetime.now(UTC), end)
    if evidence is Evidence.ROBOTS and ticket.opening:
        item.found = _sitemaps(spider, ticket, request.url)
    return item


def defect(ticket: Ticket, failure: Failure) -> Conclusion:
    """An error that no site can cause: tried again, for the worker may be at fault, and then said."""
    LOG.error("defect", job=ticket.job, url=ticket.url, error=failure.getErrorMessage(), trace=failure.getTraceback())
    if ticket.state.attempt + 1 < DEFECT_TRIES:
        state = replace(ticket.state, attempt=ticket.state.attempt + 1)
        return Conclusion(Verdict.AGAIN, state=state, wait_ms=1000)
    return Conclusion(Verdict.FAILED, PageOutcome.FAILED, detail=DEFECT, facts={"reason": DEFECT})


def sitemap_of(response: Response, brief: Brief) -> PageItem:
    ticket: Ticket = response.meta["ticket"]
    end = Conclusion(Verdict.ASIDE, PageOutcome.SKIPPED, detail="sitemap")
    item = PageItem(ticket, response.url, response.status, datetime.now(UTC), end)
    if response.status == 200:
        read = sitemaps.read(response.body)
        pages = leads(page_links.worth_asking(_absolute(read.pages, response.url)), ticket, brief)
        nested = [] if ticket.state.extra.get("nested") else _absolute(read.nested, response.url)
        item.found = [*(_sitemap(url, nested=True) for url in nested if brief.belongs(url, ticket.domain)), *pages]
        item.site_pages = read.listed
    return item


def without_sitemap(request: Request) -> PageItem:
    end = Conclusion(Verdict.ASIDE, PageOutcome.SKIPPED, detail="sitemap")
    return PageItem(request.meta["ticket"], request.url, None, datetime.now(UTC), end)


def robots_of(response: Response) -> Robots | Conclusion:
    ticket: Ticket = response.meta["ticket"]
    target = _location(response) if response.status in REDIRECTS else None
    answer = RobotsAnswer(response.status, response.body, target, wait_asked_ms(response))
    return judge(ticket, answer, lambda url: _site(url) == ticket.site)


def robots_failed(spider: "DomainSpider", request: Request, failure: Failure) -> Conclusion:
    """No answer at all. Where a domain is opened, that is one more address at which it is not."""
    ticket: Ticket = request.meta["ticket"]
    evidence = evidence_of_failure(failure)
    if evidence is None:
        return defect(ticket, failure)
    if evidence in {Evidence.PRIVATE_ADDRESS, Evidence.UNRESOLVED} or (
        ticket.opening and is_unreached(ticket, evidence)
    ):
        return conclude(ticket, Answer(evidence), _around(spider, ticket))
    end = judge(ticket, RobotsAnswer(None), lambda _: False)
    assert isinstance(end, Conclusion)
    return end


def after_robots(ticket: Ticket, read: Robots) -> Conclusion:
    if read.delay_seconds > SKIPPED_ABOVE_SECONDS:
        why = f"Crawl-delay of {read.delay_seconds:.0f} s is too long"
        return Conclusion(Verdict.FAILED, PageOutcome.SKIPPED, detail=why, facts={"reason": why})
    return Conclusion(Verdict.AGAIN, state=known(ticket.state))


def _onward(onward: Onward) -> Found:
    return Found(onward.url, fingerprint(onward.url), onward.state)


def leads(urls: list[str], ticket: Ticket, brief: Brief) -> list[Found]:
    """Those of the domain, each page once."""
    found: dict[int, Found] = {}
    for url in urls:
        if brief.belongs(url, ticket.domain):
            page = fingerprint(url)
            found.setdefault(page, Found(url, page))
    return list(found.values())


def _answer(response: Response) -> Answer:
    status = response.status
    wait_ms = wait_asked_ms(response)
    if status in REDIRECTS:
        cookies = cookies_of(one.decode("latin-1") for one in response.headers.getlist("Set-Cookie"))
        return Answer(Evidence.TEXT, status, None, _location(response), wait_ms, cookies)
    by_status = of_status(status)
    kind = (response.headers.get("Content-Type") or b"").decode("latin-1")
    if "cut_off" in response.meta or not is_html(kind, response.body):
        if not response.body.strip() and "cut_off" not in response.meta:
            return Answer(by_status or Evidence.EMPTY, status, retry_after_ms=wait_ms)
        return Answer(by_status or Evidence.NOT_HTML, status, retry_after_ms=wait_ms)
    page = page_links.page_of(response)
    answer = of_page(status, page, empty=not response.body.strip() or not (page.text_length or page.links))
    return replace(answer, retry_after_ms=wait_ms)


def _around(spider: "DomainSpider", ticket: Ticket) -> Circumstances:
    brief = spider.briefs[ticket.job]
    return Circumstances(
        mode=brief.spec.mode,
        has_key=spider.has_key,
        may_render=True,
        opening=ticket.opening,
        same_page=_same_page,
        belongs=lambda url: brief.belongs(url, ticket.domain),
    )


def _same_page(one: str, other: str) -> bool:
    try:
        return canonical(one) == canonical(other)
    except UrlInvalid:
        return False


def _location(response: Response) -> str:
    """Where a redirect leads, absolute; '' if to no web address."""
    raw = response.headers.get("Location")
    if raw is None:
        return ""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    try:
        return resolve(text, response.url).partition("#")[0]
    except UrlInvalid:
        return ""


def _site(url: str) -> str:
    return site_of(url.partition("//")[2].partition("/")[0].rpartition("@")[2].partition(":")[0])


def _sitemaps(spider: "DomainSpider", ticket: Ticket, at: str) -> list[Found]:
    read = spider.robots.known(at)
    named = list(read.sitemaps) if read and read.sitemaps else [SITEMAP]
    brief = spider.briefs[ticket.job]
    return [_sitemap(url) for url in _absolute(named, at) if brief.belongs(url, ticket.domain)]


def _sitemap(url: str, *, nested: bool = False) -> Found:
    return Found(url, fingerprint(url), PageState(kind=Kind.SITEMAP, extra={"nested": True} if nested else {}))


def _absolute(urls: "list[str] | tuple[str, ...]", base: str) -> list[str]:
    found = []
    for url in urls:
        try:
            found.append(resolve(url, base))
        except UrlInvalid:
            continue
    return found
