"""What tickets lean on before they become requests: the briefs of their jobs, and the robots.txt of their authorities."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError

from prospector import logs
from prospector.core.visits.methods import Mode
from prospector.core.visits.opening import address_of
from prospector.core.visits.robots_visit import authority
from prospector.core.visits.ticket import Ticket
from prospector.errors import NotFound, ProspectorError
from prospector.frontier import calls

if TYPE_CHECKING:
    from prospector.spiders.domain import DomainSpider

LOG = logs.named(__name__)
AGAIN_SECONDS = 2.0
WITHOUT_KEY = (
    "There is no SCRAPINGBEE_API_KEY: this hybrid job works as free-only, and counts the pages a key would have helped."
)
Then = Callable[[list[Ticket]], None]


class Preparation:
    def __init__(self, spider: "DomainSpider") -> None:
        self._spider = spider
        self._under_way: set[asyncio.Task[None]] = set()

    def begin(self, tickets: list[Ticket], then: Then) -> None:
        spider = self._spider
        new_jobs = {ticket.job for ticket in tickets if ticket.job not in spider.briefs}
        unread = {
            authority(address_of(ticket)) for ticket in tickets if spider.robots.known(address_of(ticket)) is None
        }
        if not new_jobs and not unread:
            then(tickets)
            return
        task = asyncio.ensure_future(self._prepare(tickets, then, new_jobs, sorted(unread)))
        self._under_way.add(task)
        task.add_done_callback(partial(self._prepared, tickets))

    async def _prepare(self, tickets: list[Ticket], then: Then, new_jobs: set[str], unread: list[str]) -> None:
        spider = self._spider
        asked = spider.pump.ask(calls.robots_of(unread))
        if new_jobs:
            in_hand = {ticket.job for ticket in spider.pump.hands.values()}
            spider.briefs.forget_all_but({*await spider.pump.ask(calls.running()), *in_hand})
        for job in new_jobs:
            await self._learn(job)
        for of_authority, read in zip(unread, await asked, strict=True):
            if read is not None:
                spider.robots.learn(of_authority, read)
        self._give_back_later([ticket for ticket in tickets if ticket.job not in spider.briefs])
        then([ticket for ticket in tickets if ticket.job in spider.briefs])

    async def _learn(self, job: str) -> None:
        spider = self._spider
        try:
            await spider.briefs.learn(job)
        except NotFound:
            LOG.warning("job_is_gone", job=job, worker=spider.pump.worker)
            return
        if spider.briefs[job].spec.mode is Mode.HYBRID and not spider.has_key:
            LOG.warning("no_key", job=job, message=WITHOUT_KEY)

    def _prepared(self, tickets: list[Ticket], task: "asyncio.Task[None]") -> None:
        self._under_way.discard(task)
        error = None if task.cancelled() else task.exception()
        if error:
            said = str(error) if isinstance(error, (ProspectorError, DBAPIError)) else logs.in_full(error)
            LOG.error("tickets_not_prepared", worker=self._spider.pump.worker, tickets=len(tickets), error=said)
            self._give_back_later(tickets)

    def _give_back_later(self, tickets: list[Ticket]) -> None:
        """What is given back may be handed out again at once."""
        asyncio.get_running_loop().call_later(AGAIN_SECONDS, self._give_back, tickets)

    def _give_back(self, tickets: list[Ticket]) -> None:
        for ticket in tickets:
            self._spider.pump.give_back(ticket)
