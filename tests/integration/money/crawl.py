"""A worker in small: tickets from the frontier, paid calls through Scrapy's engine, the ladder, settlements. Not a test.

Scrapy logs at DEBUG with its own handler, so nothing is redacted: what is not in this output was never said.
"""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import Crawler, CrawlerProcess
from scrapy.http import Response, TextResponse
from twisted.python.failure import Failure

from prospector.core.visits.evidence import Evidence, of_status
from prospector.core.visits.ladder import Step, next_step
from prospector.core.visits.methods import Mode
from prospector.core.visits.ticket import Ticket
from prospector.fetch.paid import CHARGED_CREDITS, PaidCallFailed
from prospector.fetch.scrapingbee import ScrapingBee
from prospector.frontier import calls, paid_calls
from prospector.frontier.calls import Fetch, Terms
from prospector.frontier.client import Frontier

WISH: dict[str, Any] = json.loads(sys.stdin.readline())
TERMS = Terms(
    delay_ms=10,
    open_domains_per_worker=1000,
    paid_most=WISH["paid_most"],
    prices=(("direct", 0), ("scrapingbee-standard", 1), ("scrapingbee-js", 5)),
)


class Handler(ScrapingBee):
    lazy = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Handler":
        return cls.from_settings(crawler.settings, anything)


async def anything(url: str) -> None:
    """Every target of these tests may be fetched."""


class Passage:
    def may_send(self) -> bool:
        return True


class Worker(Spider):
    name = "worker"

    def __init__(self) -> None:
        self.frontier = Frontier(WISH["redis"])
        self.run_id = str(self.frontier.redis.info("server")["run_id"])
        self.flying = 0
        self.done: dict[str, str] = {}

    async def start(self) -> AsyncIterator[Request]:
        while len(self.done) < WISH["pages"] and not (self.flying == 0 and self.is_over()):
            for ticket in self.frontier.run(calls.claim("node/a", 8, TERMS, self.run_id)).tickets:
                self.flying += 1
                meta = {"ticket": ticket, "passage": Passage(), "handle_httpstatus_all": True}
                yield Request(ticket.url, self.read, errback=self.lost, meta=meta, dont_filter=True)
            self.frontier.run(calls.beat("node/a", {"pages": self.flying}))
            await asyncio.sleep(0.02)
        while self.flying:
            await asyncio.sleep(0.02)

    def is_over(self) -> bool:
        """Only pages that an operator must bring back are left."""
        counters = self.frontier.redis.hgetall("prospector:job:one")
        over = self.frontier.redis.exists("prospector:parked:one:budget", "prospector:parked:one:credits")
        busy = self.frontier.redis.exists("prospector:ready:one", "prospector:later", "prospector:paid:one")
        return bool(over) and int(counters[b"waiting"]) == 0 and not busy

    def read(self, response: Response) -> None:
        self.go_on(response.meta["ticket"], evidence_of(response), response.meta[CHARGED_CREDITS], response.status)

    def lost(self, failure: Failure) -> None:
        self.logger.debug("lost: %r %s", failure, failure.getTraceback())
        error = failure.value
        if not isinstance(error, PaidCallFailed):
            os.abort()
        request: Request = failure.request  # type: ignore[attr-defined]
        self.go_on(request.meta["ticket"], error.evidence, error.charged_credits, None, error.allowed_concurrency)

    def go_on(
        self, ticket: Ticket, evidence: Evidence, charged: int | None, status: int | None, allowed: int | None = None
    ) -> None:
        self.flying -= 1
        self.frontier.run(calls.release(ticket.lease, Fetch.FINE, 1, 10, 60_000))
        if evidence in paid_calls.FAILURES:
            is_open = self.frontier.run(paid_calls.provider_failed(ticket.lease, evidence, charged, allowed))
            if is_open and evidence is Evidence.PROVIDER_FAILED:
                evidence = Evidence.PROVIDER_OUT
        else:
            self.frontier.run(paid_calls.charge(ticket.lease, charged))
        step = next_step(evidence, ticket.state, Mode.HYBRID, status=status)
        self.settle(ticket, step)

    def settle(self, ticket: Ticket, step: Step) -> None:
        wait_ms = step.wait_ms // WISH.get("faster", 1)
        reason = step.parked or ""
        call = calls.settle(ticket.lease, step.verdict, 0, step.state, wait_ms, reason)
        assert self.frontier.run(call)
        if step.verdict in {"done", "failed"}:
            assert ticket.url not in self.done
            self.done[ticket.url] = step.reason or step.next


def evidence_of(response: Response) -> Evidence:
    found = of_status(response.status)
    if found:
        return found
    if not isinstance(response, TextResponse) or not response.text:
        return Evidence.EMPTY
    return Evidence.CHALLENGE if "g-recaptcha" in response.text else Evidence.TEXT


process = CrawlerProcess(
    {
        "DOWNLOAD_HANDLERS": {"http": Handler, "https": None},
        "LOG_LEVEL": "DEBUG",
        "CONCURRENT_REQUESTS": 64,
        "RETRY_ENABLED": False,
        "ROBOTSTXT_OBEY": False,
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "SCRAPINGBEE_API_URL": WISH["api_url"],
    }
)
crawler = process.create_crawler(Worker)
process.crawl(crawler)
process.start()
worker = crawler.spider
assert isinstance(worker, Worker)
assert crawler.stats
sys.stdout.write(json.dumps({"done": worker.done, "stats": str(crawler.stats.get_stats())}) + "\n")
