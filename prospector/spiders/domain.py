"""The worker: crawls the domains of every running job, each as a crawl of its own, as the frontier hands them out."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.settings import BaseSettings
from scrapy.spiders import CrawlSpider, Rule
from sqlalchemy import Engine
from twisted.python.failure import Failure

from prospector import logs
from prospector.core.system.latency import Times
from prospector.core.visits.methods import Method
from prospector.core.visits.opening import address_of
from prospector.core.visits.purpose import Purpose
from prospector.core.visits.robots_visit import authority, known, robots_address, robots_method
from prospector.core.visits.ticket import Kind, Ticket
from prospector.core.visits.visit import COOKIE, Conclusion, leads_off
from prospector.core.web.robots import Robots
from prospector.errors import ProspectorError, SettingInvalid, end_in_words
from prospector.fetch.by_method import METHOD
from prospector.fetch.failures import NameUnknown, NotSent, Stopped
from prospector.fetch.key import key_in_force
from prospector.fetch.scrapingbee import safe_api_url
from prospector.frontier import calls, paid_calls
from prospector.frontier.desk import DelayBounds, Desk
from prospector.frontier.in_process import InProcessFrontier
from prospector.frontier.passage import TicketPassage
from prospector.items import PageItem
from prospector.spiders import debugging, parts, readings, sitemap_readings, target_readings
from prospector.spiders.arguments import WAY, Arguments, arguments
from prospector.spiders.briefs import Briefs
from prospector.spiders.ledger import Ledger
from prospector.spiders.open_files import raise_open_files
from prospector.spiders.page_links import PageLinks
from prospector.spiders.paid_passage import PaidTicketPassage
from prospector.spiders.preparation import Preparation
from prospector.spiders.robots_book import RobotsBook
from prospector.store import jobs, server

LOG = logs.named(__name__)
MS = 1000


class DomainSpider(CrawlSpider):
    """Scrapy's side of the crawl: a ticket becomes a request, an answer becomes an item or goes back to the frontier.

    What an answer means is decided in `readings`, by the rules of `core`.
    """

    name = "domain"
    rules = (Rule(PageLinks()),)  # type: ignore[arg-type]  # Scrapy asks an extractor for extract_links only

    pump: Desk  # a worker's is set by the scheduler
    engine: Engine
    ledger: Ledger
    briefs: Briefs
    summary: debugging.Summary
    robots: RobotsBook
    pays: bool
    only_job: str  # '' for all
    uncommitted: int  # pages read whose rows are not in Postgres yet
    writes: Times
    least_ms: int
    most_ms: int
    vitals: Callable[[], dict[str, str | int]] = dict  # extensions/vitals.py sets it

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> "DomainSpider":
        """With `-a domain=` it is the debug mode: that one domain, in this process (see debugging.py)."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        settings = crawler.settings
        spider.robots = RobotsBook()
        spider.uncommitted = 0
        spider.writes = Times()
        spider.least_ms, spider.most_ms = settings.getint("DELAY_MS"), settings.getint("DELAY_MOST_MS")
        try:
            given = arguments(kwargs)
            parts.install(settings, parts.DEBUG if given.domain else parts.WORKER)
            if given.domain:
                spider.debug(given.domain, given)
            else:
                spider.work(settings, given.job)
        except ProspectorError as error:
            end_in_words(type(error), error, None)
        return spider

    def work(self, settings: BaseSettings, job: str = "") -> None:
        """`job`: the only one whose work is taken."""
        if not (settings["WORKER_DATABASE_URL"] and settings["REDIS_URL"]):
            raise SettingInvalid("A worker needs DATABASE_URL and REDIS_URL.", f"Give them, or debug one domain: {WAY}")
        safe_api_url(settings["SCRAPINGBEE_API_URL"])  # Scrapy would take the error of a handler for a missing one
        raise_open_files()
        self.engine = server.engine(settings["WORKER_DATABASE_URL"], "prospector worker")
        if job:
            with self.engine.connect() as connection:
                jobs.job(connection, job)
        self.only_job = job
        self.briefs = Briefs(self.engine)
        self.ledger = Ledger(self.engine, self.watch)
        self.pays = True
        self._preparation = Preparation(self)

    def debug(self, domain: str, given: Arguments) -> None:
        brief = debugging.brief_of(domain, given)
        self.briefs = Briefs(None, brief)
        self.pays = False
        self.pump = debugging.frontier_of(brief, domain, self.least_ms)
        self.summary = debugging.Summary(brief.numbers)

    async def start(self) -> AsyncIterator[Any]:
        """A worker's work comes from the frontier by way of the scheduler; in the debug mode it comes from here."""
        if isinstance(self.pump, InProcessFrontier):
            async for ticket in self.pump.tickets():
                yield self.request_of(ticket)

    async def closed(self, _reason: str) -> None:
        if isinstance(self.pump, InProcessFrontier):
            self.summary.note_left(*self.pump.left())
            for line in self.summary.lines():
                LOG.info("summary", message=line)
        else:
            await self.ledger.close()

    @property
    def has_key(self) -> bool:
        """At this moment: a key that comes into prospector.toml while the worker runs is used from then on."""
        return self.pays and bool(key_in_force()())

    def about(self) -> dict[str, str | int]:
        """What a beat tells of this worker."""
        return {"uncommitted": self.uncommitted, "jobs": len(self.briefs), **self.vitals()}

    def watch(self, task: "asyncio.Task[None]") -> None:
        """For tasks that last as long as the worker: one that has lost such a task ends, and is replaced by a whole one."""
        task.add_done_callback(self._watched)

    def _watched(self, task: "asyncio.Task[None]") -> None:
        if not task.cancelled() and (error := task.exception()):
            LOG.error("worker_broken", worker=self.pump.worker, error=logs.in_full(error))
            self._stopping = asyncio.ensure_future(self.crawler.stop_async())

    # --- from ticket to request

    def prepare(self, tickets: list[Ticket], then: Callable[[list[Ticket]], None]) -> None:
        """Calls `then` once what these tickets lean on is known: their jobs, and the robots.txt of their authorities."""
        self._preparation.begin(tickets, then)

    def request_of(self, ticket: Ticket) -> Request:
        if self.robots.known(address_of(ticket)):
            ticket = replace(ticket, state=known(ticket.state))
        if ticket.price and leads_off(
            address_of(ticket), lambda url: self.briefs[ticket.job].belongs(url, ticket.domain)
        ):
            ticket = replace(ticket, state=replace(ticket.state, method=Method.DIRECT))
        purpose = Purpose.SITEMAP if ticket.state.kind is Kind.SITEMAP else Purpose.PAGE
        return self._request(ticket, address_of(ticket), purpose)

    def robots_request(self, request: Request) -> Request:
        """What is asked for in the place of a page whose robots.txt is not known."""
        ticket = request.meta["ticket"]
        return self._request(ticket, robots_address(ticket, request.url), Purpose.ROBOTS)

    def _request(self, ticket: Ticket, url: str, purpose: Purpose) -> Request:
        read = self.robots.known(url)
        bounds = DelayBounds(self.least_ms, self.most_ms, int((read.delay_seconds if read else 0) * MS))
        method = robots_method(ticket.state) if purpose is Purpose.ROBOTS else ticket.state.method
        passage = self._passage(ticket, bounds, method)
        meta = {"ticket": ticket, "purpose": purpose, "passage": passage, METHOD: method}
        cookie = ticket.state.extra.get(COOKIE) if purpose is Purpose.PAGE else None
        headers = {"Cookie": cookie} if cookie else None
        return Request(url, headers=headers, errback=self.failed, meta=meta, dont_filter=True)

    def _passage(self, ticket: Ticket, bounds: DelayBounds, method: Method) -> TicketPassage:
        if ticket.price == 0:
            return TicketPassage(self.pump, ticket, bounds)
        passage = PaidTicketPassage(self.pump, ticket, bounds, self.ledger)
        if method is Method.DIRECT:
            passage.spared()
        return passage

    # --- from answer to item

    async def parse_with_rules(
        self, response: Response, callback: Any, cb_kwargs: dict[str, Any], follow: bool = True
    ) -> AsyncIterator[Any]:
        """Links travel with their page's item, so that they are in the frontier before the page is settled."""
        ticket: Ticket = response.meta["ticket"]
        match response.meta["purpose"]:
            case Purpose.ROBOTS:
                item = self._robots_read(ticket, readings.robots_of(self, response))
            case Purpose.SITEMAP:
                item = self._concluded(sitemap_readings.sitemap_of(self, response))
            case _ if target_readings.is_target(ticket):
                item = self._concluded(target_readings.target_of(response, readings.answer_of(response)))
            case _:
                item = self._concluded(readings.page_of(self, response))
        if item is not None:
            yield item

    async def failed(self, failure: Failure) -> AsyncIterator[Any]:
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy puts it there
        ticket: Ticket = request.meta["ticket"]
        if isinstance(failure.value, NotSent):
            self.pump.give_back(ticket)
        elif not isinstance(failure.value, Stopped):
            item = self._of_failure(request, ticket, failure)
            if item is not None:
                yield item

    def _of_failure(self, request: Request, ticket: Ticket, failure: Failure) -> PageItem | None:
        match request.meta["purpose"]:
            case purpose if target_readings.is_target(ticket) and (
                purpose is Purpose.PAGE or isinstance(failure.value, NameUnknown)
            ):
                return self._concluded(target_readings.without_target(request, failure))
            case Purpose.ROBOTS:
                return self._robots_read(ticket, readings.robots_failed(self, request, failure))
            case Purpose.SITEMAP:
                return self._concluded(sitemap_readings.without_sitemap(self, request, failure))
        return self._concluded(readings.failed_page(self, request, failure))

    def _robots_read(self, ticket: Ticket, read: Robots | Conclusion) -> PageItem | None:
        """Kept for all; then the page goes on, or ends if its site wants longer delays than we can wait."""
        if isinstance(read, Robots):
            of_authority = authority(address_of(ticket))
            self.robots.learn(of_authority, read)
            self.pump.tell(calls.keep_robots(of_authority, read))
            read = readings.after_robots(ticket, read)
        end = target_readings.ended(ticket, sitemap_readings.ended(ticket, read))
        return self._concluded(PageItem(ticket, address_of(ticket), None, datetime.now(UTC), end))

    def _concluded(self, item: PageItem) -> PageItem | None:
        """An item goes through the pipelines only if its page is settled for good."""
        end = item.conclusion
        if end.memory:
            self.pump.tell(paid_calls.remember(item.ticket.lease, end.memory))
        if end.outcome is not None:
            self.uncommitted += 1
            return item
        self.settle(item.ticket, end)
        return None

    def defect(self, ticket: Ticket, failure: Failure) -> None:
        """A callback or a pipeline of ours failed on this page: the ticket is settled without a row."""
        self.settle(ticket, target_readings.ended(ticket, readings.defect(ticket, failure)))

    def settle(self, ticket: Ticket, end: Conclusion, mentions: int = 0, *, after_add: bool = False) -> None:
        if ticket.price and ticket.lease not in self.ledger.asked:
            self.pump.tell(paid_calls.spare(ticket.lease))
        self.pump.settle(
            ticket,
            calls.settle(
                ticket.lease, end.verdict, mentions, end.state, end.wait_ms, end.parked, end.facts, after_add=after_add
            ),
        )
        if ticket.price:
            self.ledger.asked.discard(ticket.lease)
