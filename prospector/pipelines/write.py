"""Item pipeline: rows are committed first, then the page is settled. Batches of 100 or half a second, in a thread."""

import asyncio
import time
from collections import OrderedDict, defaultdict
from dataclasses import dataclass
from typing import Any, TypeVar

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from sqlalchemy.exc import DBAPIError

from prospector import logs
from prospector.core.system.signals import STOP_FETCHING
from prospector.errors import NotFound, ServerUnreachable
from prospector.frontier import calls
from prospector.items import PageItem
from prospector.pipelines.rows import page_row
from prospector.store import domains, pages
from prospector.store.pages import PageRow

LOG = logs.named(__name__)

T = TypeVar("T")
REPLAYED = "replayed"  # set by frontier/lua/shared/lose.lua
BATCH_ROWS = 100
BATCH_SECONDS = 0.5
OPENED_MOST = 10_000  # domains that need not be opened again, which changes nothing; 2 MB
AWAY_SECONDS = (1.0, 15.0)  # first and longest pause while Postgres is away


@dataclass
class Waiting:
    """A row and the item that waits for it to be committed."""

    item: PageItem
    row: PageRow
    committed: "asyncio.Future[None]"


class WritePipeline:
    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._waiting: list[Waiting] = []
        self._awaited: set[asyncio.Future[Any]] = set()  # by items
        self._opened: OrderedDict[tuple[str, int, int], None] = OrderedDict()  # those written last
        self._full = asyncio.Event()
        self._stopping = False
        self._is_over = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "WritePipeline":
        made = cls(crawler)
        crawler.signals.connect(made.abandon, STOP_FETCHING)
        return made

    def open_spider(self) -> None:
        self._task = asyncio.ensure_future(self._write_batches())
        spider: Any = self._crawler.spider
        spider.watch(self._task)

    async def close_spider(self) -> None:
        self._stopping = True
        self._full.set()
        await asyncio.wait([self._task])

    def abandon(self) -> None:
        """The worker's time is over: what Redis and the record have not taken by now is fetched again by another."""
        self._is_over = True
        self._task.cancel()
        for one in list(self._awaited):
            one.cancel()

    async def process_item(self, item: PageItem) -> PageItem:
        """Returns once the page is settled: its children in the frontier, its rows in Postgres, then acknowledged."""
        spider: Any = self._crawler.spider
        try:
            await self._keep(spider, item)
        except DropItem:
            spider.uncommitted -= 1  # after any other error extensions/second_chance.py does it
            raise
        spider.uncommitted -= 1
        spider.settle(item.ticket, item.conclusion, len(item.mentions), after_add=True)
        spider.pump.poke()
        return item

    async def _keep(self, spider: Any, item: PageItem) -> None:
        connection = spider.pump.reconnections
        new = await self._in_time(spider.pump.ask(calls.add(item.ticket.lease, item.found, item.site_pages)))
        if new is None:
            spider.pump.hands.pop(item.ticket.lease, None)
            raise DropItem("its lease was lost: the page is another worker's", log_level="DEBUG")
        if item.ticket.state.extra.get(REPLAYED) or spider.pump.reconnections != connection:
            new = list(item.found)  # the frontier may have been told of them before, and not the record
        row = page_row(item, new, spider.briefs[item.ticket.job].numbers)
        committed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(Waiting(item, row, committed))
        if len(self._waiting) >= BATCH_ROWS or self._nothing_else_comes(spider):
            self._full.set()
        await self._in_time(committed)

    async def _in_time(self, answer: "asyncio.Future[T]") -> T:
        """Raises DropItem when the worker's time is over: Redis or Postgres may be away for long."""
        if self._is_over:
            answer.cancel()
        self._awaited.add(answer)
        try:
            return await answer
        except asyncio.CancelledError:
            raise DropItem("the worker ended before the page was kept", log_level="DEBUG") from None
        finally:
            self._awaited.discard(answer)

    def _nothing_else_comes(self, spider: Any) -> bool:
        """A worker that has only this in its hands does not wait for more: it may be empty for a suspect page."""
        return len(spider.pump.hands) <= len(self._waiting)

    async def _write_batches(self) -> None:
        while not (self._stopping and not self._waiting):
            try:
                async with asyncio.timeout(BATCH_SECONDS):
                    await self._full.wait()
            except TimeoutError:
                pass
            self._full.clear()
            while self._waiting:
                batch, self._waiting = self._waiting[:BATCH_ROWS], self._waiting[BATCH_ROWS:]
                await self._commit(batch)

    async def _commit(self, batch: list[Waiting]) -> None:
        of_job: defaultdict[str, list[Waiting]] = defaultdict(list)
        for one in batch:
            of_job[one.item.ticket.job].append(one)
        spider: Any = self._crawler.spider
        for job, waiting in of_job.items():
            spider.writes.begin(time.monotonic())
            await self._commit_job(job, waiting)
            spider.writes.end(time.monotonic())

    async def _commit_job(self, job: str, waiting: list[Waiting]) -> None:
        """Tries for as long as Postgres is away: the worker claims nothing meanwhile, because its results fill up."""
        pause, longest = AWAY_SECONDS
        while True:
            try:
                written = await asyncio.to_thread(self._write, job, [one.row for one in waiting])
                break
            except NotFound:
                LOG.warning("results_are_deleted", job=job)  # the job was, and its leases are worth nothing
                written = None
                break
            except (ServerUnreachable, DBAPIError) as error:
                LOG.error("record_away", job=job, error=str(getattr(error, "orig", error)).strip())
                await asyncio.sleep(pause)
                pause = min(2 * pause, longest)
        for page, problem in (written.refused if written else {}).items():
            LOG.error("row_refused", job=job, page=page, error=problem)
        for one in waiting:
            if not one.committed.done():
                one.committed.set_result(None)

    def _write(self, job: str, rows: list[PageRow]) -> pages.Written:
        spider: Any = self._crawler.spider
        written = {(job, row.domain, row.generation) for row in rows}
        unopened = written - self._opened.keys()
        if unopened:
            with spider.engine.begin() as connection:
                domains.open_(connection, job, sorted(number for _, number, _ in unopened))
        for one in written:
            self._opened[one] = None
            self._opened.move_to_end(one)
        while len(self._opened) > OPENED_MOST:
            self._opened.popitem(last=False)
        return pages.write(spider.engine, job, rows)
