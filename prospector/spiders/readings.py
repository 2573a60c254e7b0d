"""Scrapy's responses and failures, read into what the rules of `core` decide by, and their conclusions into items."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.http import Response
from scrapy.link import Link
from twisted.python.failure import Failure

from prospector import logs
from prospector.core.visits.answers import Answer, cookies_of, is_html, of_page
from prospector.core.visits.evidence import Evidence, of_status, reason
from prospector.core.visits.methods import Method, Mode
from prospector.core.visits.opening import address_of, is_unreached
from prospector.core.visits.outcomes import PageOutcome
from prospector.core.visits.robots_visit import RobotsAnswer, judge, known, paid_instead, robots_method
from prospector.core.visits.ticket import Found, Ticket, Verdict
from prospector.core.visits.visit import KEY_WANTED, Circumstances, Conclusion, Onward, conclude
from prospector.core.web.robots import SKIPPED_ABOVE_SECONDS, Robots, Stance
from prospector.core.web.size_hints import pages_said
from prospector.core.web.urls import fingerprint
from prospector.fetch.by_method import METHOD
from prospector.fetch.direct import wait_asked_ms
from prospector.fetch.failures import DelayTooLong
from prospector.items import PageItem
from prospector.spiders import page_links, sitemap_readings
from prospector.spiders.leads import REDIRECTS, host_site, leads, location_of, same_page
from prospector.spiders.symptoms import evidence_of_failure

if TYPE_CHECKING:
    from prospector.spiders.domain import DomainSpider

LOG = logs.named(__name__)

DEFECT = "Internal error"
DEFECT_TRIES = 3
OF_PROVIDER = frozenset(
    {Evidence.PROVIDER_FAILED, Evidence.PROVIDER_OUT, Evidence.PROVIDER_BUSY, Evidence.BAD_KEY, Evidence.OUT_OF_CREDITS}
)
NO_SITE = frozenset({Evidence.PRIVATE_ADDRESS, Evidence.UNRESOLVED, Evidence.REFUSED})  # there is no site to pay for


def page_of(spider: "DomainSpider", response: Response) -> PageItem:
    ticket: Ticket = response.meta["ticket"]
    answer = answer_of(response)
    end = conclude(ticket, answer, _around(spider, ticket))
    item = PageItem(ticket, response.url, response.status, datetime.now(UTC), end, homepage=ticket.opening)
    if end.outcome is PageOutcome.READ:
        item.page = answer.page
        item.bad_certificate = response.meta.get("bad_certificate", False)
        item.site_pages = _pages_said(response) if ticket.opening else 0
        links = [link for rule in spider.rules for link in rule.link_extractor.extract_links(response)]  # type: ignore[arg-type]
        item.found = _leads(spider, links, ticket)
    elif end.onward:
        item.found = [_onward(end.onward)]
    if ticket.opening and (end.outcome is PageOutcome.READ or end.onward):
        item.found = [*sitemap_readings.named(spider, ticket, response.url), *item.found]
    return item


def failed_page(spider: "DomainSpider", request: Request, failure: Failure) -> PageItem:
    ticket: Ticket = request.meta["ticket"]
    evidence = evidence_of_failure(failure)
    known_rules = spider.robots.known(request.url)
    if isinstance(failure.value, DelayTooLong) and known_rules:
        end = after_robots(ticket, known_rules)
    else:
        end = conclude(ticket, Answer(evidence), _around(spider, ticket)) if evidence else defect(ticket, failure)
    item = PageItem(ticket, request.url, None, datetime.now(UTC), end)
    if evidence is Evidence.ROBOTS and ticket.opening:
        item.found = sitemap_readings.named(spider, ticket, request.url)
    return item


def defect(ticket: Ticket, failure: Failure) -> Conclusion:
    """An error that no site can cause: tried again, for the worker may be at fault, and then said."""
    LOG.error("defect", job=ticket.job, url=ticket.url, error=failure.getErrorMessage(), trace=failure.getTraceback())
    if ticket.state.attempt + 1 < DEFECT_TRIES:
        state = replace(ticket.state, attempt=ticket.state.attempt + 1)
        return Conclusion(Verdict.AGAIN, state=state, wait_ms=1000)
    facts = {"reason": DEFECT} if ticket.opening else {}
    return Conclusion(Verdict.FAILED, PageOutcome.FAILED, detail=DEFECT, facts=facts)


def robots_of(spider: "DomainSpider", response: Response) -> Robots | Conclusion:
    ticket: Ticket = response.meta["ticket"]
    target = location_of(response) if response.status in REDIRECTS else None
    if host_site(response.url) != ticket.site:  # a paid call follows redirects by itself
        return Robots(Stance.NONE)
    answer = RobotsAnswer(response.status, response.body, target, wait_asked_ms(response))
    return _or_paid(spider, ticket, judge(ticket, answer, lambda url: host_site(url) == ticket.site))


def robots_failed(spider: "DomainSpider", request: Request, failure: Failure) -> Conclusion:
    """No answer at all. Where a domain is opened, that is one more address at which it is not."""
    ticket: Ticket = request.meta["ticket"]
    evidence = evidence_of_failure(failure)
    if evidence is None:
        return defect(ticket, failure)
    method = robots_method(ticket.state)
    if evidence in OF_PROVIDER:
        return conclude(ticket, Answer(evidence), _around(spider, ticket))
    if evidence in {Evidence.PRIVATE_ADDRESS, Evidence.UNRESOLVED} or (
        ticket.opening and is_unreached(ticket, evidence) and method is Method.DIRECT
    ):
        end: Robots | Conclusion = _concluded_directly(spider, ticket, evidence)
    else:
        end = judge(ticket, RobotsAnswer(None, failure=reason(evidence, method)), lambda _: False)
    end = end if evidence in NO_SITE else _or_paid(spider, ticket, end)
    assert isinstance(end, Conclusion)
    return end


def _concluded_directly(spider: "DomainSpider", ticket: Ticket, evidence: Evidence) -> Conclusion:
    """Under a ticket whose page will be paid for, too, robots.txt was asked for directly; the page keeps its method."""
    asked = replace(ticket, state=replace(ticket.state, method=Method.DIRECT))
    end = conclude(asked, Answer(evidence), replace(_around(spider, ticket), mode=Mode.FREE_ONLY))
    return replace(end, state=replace(end.state, method=ticket.state.method)) if end.state else end


def _or_paid(spider: "DomainSpider", ticket: Ticket, end: Robots | Conclusion) -> Robots | Conclusion:
    if isinstance(end, Robots) or end.verdict is not Verdict.FAILED:
        return end
    if spider.briefs[ticket.job].spec.mode is Mode.FREE_ONLY:
        return end
    return paid_instead(ticket, end) if spider.has_key else replace(end, facts={**end.facts, KEY_WANTED: 1})


def after_robots(ticket: Ticket, read: Robots) -> Conclusion:
    if read.delay_seconds > SKIPPED_ABOVE_SECONDS:
        why = f"Crawl-delay of {read.delay_seconds:.0f} s is too long"
        return Conclusion(
            Verdict.FAILED, PageOutcome.SKIPPED, detail=why, facts={"reason": why} if ticket.opening else {}
        )
    return Conclusion(Verdict.AGAIN, state=known(ticket.state))


def _leads(spider: "DomainSpider", links: list[Link], ticket: Ticket) -> list[Found]:
    """Where pages may be paid for, those come first that look as if they mention a keyword."""
    brief = spider.briefs[ticket.job]
    found = leads((link.url for link in links), ticket, brief)
    if brief.spec.mode is Mode.FREE_ONLY or not spider.has_key:
        return found
    anchors = {link.url: link.text for link in links}
    return [replace(one, hinted=brief.hints.found(one.url, anchors[one.url])) for one in found]


def _pages_said(response: Response) -> int:
    return pages_said({str(name).lower(): value for name, value in response.headers.to_unicode_dict().items()})


def _onward(onward: Onward) -> Found:
    return Found(onward.url, fingerprint(onward.url), onward.state)


def _was_led_on(response: Response) -> bool:
    """A paid call follows redirects by itself: what it brings may be another page."""
    paid = response.meta[METHOD] is not Method.DIRECT
    return paid and not same_page(response.url, address_of(response.meta["ticket"]))


def answer_of(response: Response) -> Answer:
    status = response.status
    wait_ms = wait_asked_ms(response)
    if status < 300 and _was_led_on(response):
        return Answer(Evidence.TEXT, status, target=response.url, retry_after_ms=wait_ms)
    if status in REDIRECTS:
        cookies = cookies_of(one.decode("latin-1") for one in response.headers.getlist("Set-Cookie"))
        return Answer(Evidence.TEXT, status, None, location_of(response), wait_ms, cookies)
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
        may_render=ticket.memory.may_render,
        opening=ticket.opening,
        same_page=same_page,
        belongs=lambda url: brief.belongs(url, ticket.domain),
    )
