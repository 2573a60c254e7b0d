"""Sitemaps, as they are found, followed and read. One that cannot be read costs the domain nothing but its hints."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from prospector.core.visits.evidence import Evidence, of_status
from prospector.core.visits.ladder import Next, next_step
from prospector.core.visits.opening import AT
from prospector.core.visits.outcomes import SITEMAP, PageOutcome
from prospector.core.visits.ticket import Found, Kind, PageState, Ticket, Verdict
from prospector.core.visits.visit import HOPS, Conclusion
from prospector.core.web import sitemaps
from prospector.core.web.robots import MOST_HOPS
from prospector.core.web.urls import fingerprint
from prospector.fetch.direct import wait_asked_ms
from prospector.items import PageItem
from prospector.spiders.leads import REDIRECTS, absolute, leads, location_of, same_page
from prospector.spiders.page_links import worth_asking
from prospector.spiders.symptoms import evidence_of_failure

if TYPE_CHECKING:
    from prospector.spiders.domain import DomainSpider

USUAL = "/sitemap.xml"
NESTED = "nested"  # in a sitemap's `extra`: an index named it, so it is no index itself
SET_ASIDE = Conclusion(Verdict.ASIDE, PageOutcome.SKIPPED, detail=SITEMAP)


def named(spider: "DomainSpider", ticket: Ticket, at: str) -> list[Found]:
    """Those that robots.txt names, else the usual one."""
    read = spider.robots.known(at)
    brief = spider.briefs[ticket.job]
    urls = absolute(read.sitemaps if read and read.sitemaps else [USUAL], at)
    return [_sitemap(url) for url in urls if brief.belongs(url, ticket.domain)]


def sitemap_of(spider: "DomainSpider", response: Response) -> PageItem:
    ticket: Ticket = response.meta["ticket"]
    item = PageItem(ticket, response.url, response.status, datetime.now(UTC), SET_ASIDE)
    brief = spider.briefs[ticket.job]
    if response.status in REDIRECTS:
        _follow(spider, item, location_of(response))
    elif response.status == 200:
        read = sitemaps.read(response.body)
        pages = leads(worth_asking(absolute(read.pages, response.url)), ticket, brief)
        below = () if ticket.state.extra.get(NESTED) else absolute(read.nested, response.url)
        item.found = [*(_sitemap(url, {NESTED: True}) for url in below if brief.belongs(url, ticket.domain)), *pages]
        item.site_pages = read.listed
    else:
        item.conclusion = _once_more(spider, ticket, of_status(response.status), wait_asked_ms(response))
    return item


def ended(ticket: Ticket, end: Conclusion) -> Conclusion:
    """A sitemap whose robots.txt ended it is no failed page."""
    return SET_ASIDE if ticket.state.kind is Kind.SITEMAP and end.outcome is not None else end


def without_sitemap(spider: "DomainSpider", request: Request, failure: Failure) -> PageItem:
    ticket: Ticket = request.meta["ticket"]
    end = _once_more(spider, ticket, evidence_of_failure(failure))
    return PageItem(ticket, request.url, None, datetime.now(UTC), end)


def _follow(spider: "DomainSpider", item: PageItem, target: str) -> None:
    """Within the domain, as far as robots.txt is followed."""
    ticket = item.ticket
    hops = int(ticket.state.extra.get(HOPS, 0)) + 1
    if hops > MOST_HOPS or not target or not spider.briefs[ticket.job].belongs(target, ticket.domain):
        return
    extra = {**ticket.state.extra, HOPS: hops}
    if same_page(item.url, target):
        item.conclusion = Conclusion(Verdict.AGAIN, state=replace(ticket.state, extra={**extra, AT: target}))
    else:
        item.found = [_sitemap(target, {name: value for name, value in extra.items() if name != AT})]


def _once_more(
    spider: "DomainSpider", ticket: Ticket, evidence: Evidence | None, retry_after_ms: int = 0
) -> Conclusion:
    """A site that is busy or broken for a moment is asked again, as for a page."""
    if evidence is None:
        return SET_ASIDE
    mode = spider.briefs[ticket.job].spec.mode
    step = next_step(evidence, ticket.state, mode, has_key=False, retry_after_ms=retry_after_ms)
    if step.next is not Next.RETRY:
        return SET_ASIDE
    return Conclusion(Verdict.AGAIN, state=step.state, wait_ms=step.wait_ms)


def _sitemap(url: str, extra: dict[str, object] | None = None) -> Found:
    return Found(url, fingerprint(url), PageState(kind=Kind.SITEMAP, extra=extra or {}))
