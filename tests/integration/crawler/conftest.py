"""A worker's parts without Scrapy's engine: the real spider and pump, on a record and a frontier of the test's own."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from scrapy.crawler import Crawler
from scrapy.settings import Settings
from sqlalchemy import Engine, text

from prospector.core.job.spec import JobSpec
from prospector.core.job.states import JobState
from prospector.core.reading.page import read
from prospector.core.visits.methods import PRICE_CREDITS, Mode
from prospector.core.visits.outcomes import PageOutcome
from prospector.core.visits.ticket import Ticket, Verdict
from prospector.core.visits.visit import Conclusion
from prospector.frontier import calls
from prospector.frontier.calls import Terms
from prospector.frontier.client import AsyncFrontier, Frontier
from prospector.frontier.pump import Pump
from prospector.items import PageItem
from prospector.jobs.fill import fill
from prospector.pipelines.match import MatchPipeline
from prospector.spiders.domain import DomainSpider
from prospector.store import jobs
from prospector.store.jobs import Keyword, ListedDomain, NewJob

DELAY_MS = 10
PRICES = tuple((str(method), price) for method, price in PRICE_CREDITS.items())
HTML = "<title>A CRM</title><p>Our crm and your crm. <a href=/next>next</a> <a href=https://acme.test/>Acme</a>"


@dataclass
class Bench:
    """Where a worker's parts stand. `got`: tickets that the frontier has handed out."""

    engine: Engine
    frontier: Frontier
    crawler: Crawler
    spider: DomainSpider
    job: str
    got: list[Ticket] = field(default_factory=list)

    async def ticket(self) -> Ticket:
        await until(lambda: self.got)
        return self.got.pop(0)

    def item(self, ticket: Ticket, html: str = HTML, **facts: Any) -> PageItem:
        """As the spider yields one, with what is on it."""
        self.spider.uncommitted += 1
        end = Conclusion(Verdict.DONE, PageOutcome.READ)
        page = read(html.encode(), ticket.url)
        made = PageItem(ticket, ticket.url, 200, datetime.now(UTC), end, page, **facts)
        return MatchPipeline(self.crawler).process_item(made)

    def rows(self, query: str) -> list[dict[str, Any]]:
        with self.engine.connect() as connection:
            return [dict(row) for row in connection.execute(text(query)).mappings()]

    def pages(self) -> list[dict[str, Any]]:
        return self.rows("SELECT url, outcome, detail, title FROM pages ORDER BY url")

    def counter(self, name: str) -> int:
        return int(cast("Any", self.frontier.redis.hget(f"prospector:job:{self.job}", name)) or 0)


async def until(what: Callable[[], object], seconds: float = 60) -> None:
    async with asyncio.timeout(seconds):
        while not what():
            await asyncio.sleep(0.01)


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(work)


@asynccontextmanager
async def working(bench: Bench, redis_url: str) -> AsyncIterator[Pump]:
    terms = Terms(DELAY_MS, 1_000, 100, PRICES)
    pump = Pump(AsyncFrontier(redis_url), "node/w", terms, lambda: 100, bench.got.extend, bench.spider.about)
    bench.spider.pump = pump
    pump.start()
    await bench.spider.briefs.learn(bench.job)
    try:
        yield pump
    finally:
        await pump.stop(5)


@pytest.fixture
def bench(engine: Engine, redis_url: str) -> Any:
    settings = Settings()
    settings.setmodule("prospector.settings")
    url = engine.url.render_as_string(hide_password=False)
    settings.setdict({"WORKER_DATABASE_URL": url, "REDIS_URL": redis_url}, priority="cmdline")
    crawler = Crawler(DomainSpider, settings)
    crawler.spider = spider = DomainSpider.from_crawler(crawler)
    frontier = Frontier(redis_url)
    frontier.run(calls.begin(1))
    spec = JobSpec(mode=Mode.FREE_ONLY, client_domains=("acme.test",)).stored()
    listed = [ListedDomain(f"{name}.test", row) for row, name in enumerate("abc")]
    with engine.begin() as connection:
        job = jobs.create(connection, NewJob("one", spec, 0, [Keyword("crm")], listed)).job
        jobs.move(connection, job, JobState.RUNNING, "test")
    with engine.connect() as connection:
        fill(connection, frontier, job)
    frontier.run(calls.lift(job))
    yield Bench(engine, frontier, crawler, spider, job)
    spider.engine.dispose()
    frontier.close()
