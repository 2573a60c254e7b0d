"""Scrapy extension: what has ended is written down, then the frontier may forget it: domains with nothing left, dead letters."""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError, IntegrityError

from prospector import logs
from prospector.core.visits.outcomes import DomainState, PageOutcome
from prospector.core.web.urls import fingerprint
from prospector.errors import NotFound, ProspectorError, ServerUnreachable
from prospector.frontier import calls, rebuild_calls
from prospector.frontier.calls import Ended
from prospector.frontier.rebuild_calls import Buried
from prospector.store import dead_letters, domains, pages
from prospector.store.dead_letters import Death
from prospector.store.domains import Finished
from prospector.store.final_rows import final_row
from prospector.store.pages import PageRow

LOG = logs.named(__name__)
LOOK_SECONDS = 1.0
IDLE_SECONDS = 3.0  # a worker with nothing in its hands looks more rarely


class Closer:
    """Any worker may close any domain: the frontier tells each one to one worker at a time, and the row is written once."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._task: asyncio.Task[None] | None = None
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Closer":
        return cls(crawler)

    def spider_opened(self, spider: Any) -> None:
        self._task = asyncio.ensure_future(self._close())
        spider.watch(self._task)

    def spider_closed(self) -> None:
        if self._task:  # the spider may close without having been opened
            self._task.cancel()

    async def _close(self) -> None:
        spider: Any = self._crawler.spider
        while True:
            await asyncio.sleep(LOOK_SECONDS if spider.pump.hands else IDLE_SECONDS)
            if not self._crawler.engine or not self._crawler.engine.running:
                return
            try:
                await self._look(spider)
            except ProspectorError as error:  # nothing was forgotten: it is told of again
                LOG.error("endings_wait", worker=spider.pump.worker, error=str(error))

    async def _look(self, spider: Any) -> None:
        asked = spider.pump.ask(calls.ended()), spider.pump.ask(rebuild_calls.buried())
        ended, buried = await asyncio.gather(*asked)
        for job, ones in _by_job(ended).items():
            await self._finish(spider, job, ones)
        for job, ones in _by_job(buried).items():
            if await _written(job, _bury, spider.engine, job, ones):
                spider.pump.tell(rebuild_calls.recorded(ones))

    async def _finish(self, spider: Any, job: str, ended: list[Ended]) -> None:
        rows = [final_row(one.number, one.generation, one.counters) for one in ended]
        if not await _written(job, _end, spider.engine, job, rows):
            return
        for one, row in zip(ended, rows, strict=True):
            spider.pump.tell(calls.close(one, failed=row.state is DomainState.FAILED))


def _by_job(ones: list[Any]) -> dict[str, list[Any]]:
    found: defaultdict[str, list[Any]] = defaultdict(list)
    for one in ones:
        found[one.job].append(one)
    return found


async def _written(job: str, write: Callable[..., None], *given: Any) -> bool:
    """False while the record is away: the frontier tells of it again later."""
    try:
        await asyncio.to_thread(write, *given)
    except (ServerUnreachable, DBAPIError) as error:
        LOG.error("record_away", job=job, error=str(error))
        return False
    return True


def _end(engine: Engine, job: str, rows: list[Finished]) -> None:
    with engine.begin() as connection:
        domains.finish(connection, job, rows)


def _bury(engine: Engine, job: str, letters: list[Buried]) -> None:
    numbered = [(one, fingerprint(one.url)) for one in letters]
    rows = [
        PageRow(
            page=page,
            domain=one.number,
            url=one.url,
            outcome=PageOutcome.DEAD,
            settled_at=one.at,
            generation=one.generation,
            attempts=one.attempts,
            detail=one.reason,
        )
        for one, page in numbered
    ]
    deaths = [Death(job, one.number, page, one.generation, one.attempts, one.url, one.reason) for one, page in numbered]
    try:
        with engine.begin() as connection:
            domains.open_(connection, job, sorted({one.number for one in letters}))
            dead_letters.bury(connection, deaths)
        pages.write(engine, job, rows)
    except (NotFound, IntegrityError):
        LOG.warning("results_are_deleted", job=job)  # the job was, and with it whom these letters concern
