"""Scrapy extension: writes the final rows of domains that have nothing left, then lets the frontier forget them."""

import asyncio
from collections import defaultdict
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler

from prospector import logs
from prospector.core.endings import ending, requests
from prospector.core.methods import Method
from prospector.core.outcomes import DomainState
from prospector.errors import ServerUnreachable
from prospector.frontier import calls
from prospector.frontier.calls import Ended
from prospector.store import domains

LOG = logs.named(__name__)
LOOK_SECONDS = 1.0


class Closer:
    """Any worker may close any domain: the frontier tells each one to one worker at a time, and the row is written once."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Closer":
        return cls(crawler)

    def spider_opened(self) -> None:
        self._task = asyncio.ensure_future(self._close_domains())

    def spider_closed(self) -> None:
        self._task.cancel()

    async def _close_domains(self) -> None:
        spider: Any = self._crawler.spider
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if not self._crawler.engine or not self._crawler.engine.running:
                return
            ended: list[Ended] = await spider.pump.ask(calls.ended())
            of_job: defaultdict[str, list[Ended]] = defaultdict(list)
            for one in ended:
                of_job[one.job].append(one)
            for job, ones in of_job.items():
                await self._finish(spider, job, ones)

    async def _finish(self, spider: Any, job: str, ended: list[Ended]) -> None:
        rows = [final_row(one) for one in ended]
        try:
            await asyncio.to_thread(_write, spider.engine, job, rows)
        except ServerUnreachable as error:
            LOG.error("record_away", job=job, error=str(error))  # told again when its turn comes round
            return
        for one, row in zip(ended, rows, strict=True):
            spider.pump.tell(calls.close(one, failed=row.state is DomainState.FAILED))


def _write(engine: Any, job: str, rows: list[domains.Finished]) -> None:
    with engine.begin() as connection:
        domains.finish(connection, job, rows)


def final_row(ended: Ended) -> domains.Finished:
    counters = ended.counters
    end = ending(counters)
    status = counters.get("status")
    return domains.Finished(
        number=ended.number,
        generation=ended.generation,
        state=end.state,
        reason=end.reason,
        partial=end.partial,
        moved_to=end.moved_to,
        last_status=int(status) if status else None,
        attempts=int(counters.get("attempts", 0)),
        pages=int(counters.get("fetched", 0)),
        mentions=int(counters.get("mentions", 0)),
        direct_requests=requests(counters, Method.DIRECT),
        standard_requests=requests(counters, Method.STANDARD),
        js_requests=requests(counters, Method.JS),
        js_pages=int(counters.get("js_pages", 0)),
        credits=int(counters.get("credits", 0)),
        blocks=int(counters.get("blocks", 0)),
        delay_ms=int(counters["delay_ms"]) if "delay_ms" in counters else None,
    )
