"""The frontier of one domain inside one process, for `scrapy crawl domain -a domain=…`: the same calls, no server.

It answers the calls that a worker makes as the Lua files do, for the one site there is.
"""

import asyncio
import heapq
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

from prospector.core.visits.pace import SitePace, after_fetch
from prospector.core.visits.ticket import COUNTED, Kind, PageState, Ticket, Verdict
from prospector.core.web.sites import site_of
from prospector.core.web.urls import fingerprint
from prospector.frontier import codec
from prospector.frontier.calls import Call, Fetch, Limits
from prospector.frontier.desk import DelayBounds
from prospector.frontier.moments import steady_seconds

T = TypeVar("T")
JOB = "debug"
FRONT = -(2**51)
LINK = 2**32
MS = 1000


class InProcessFrontier:
    """Stands where a worker's pump stands."""

    worker = "debug"

    def __init__(self, domain: str, limits: Limits, least_ms: int) -> None:
        self.hands: dict[str, Ticket] = {}
        self.fetched = 0
        self._domain = domain
        self._limits = limits
        self._pace = SitePace(least_ms)
        self._next_at = 0.0
        self._opened_at = steady_seconds()
        self._top = False
        self._read = False
        self._count = 0
        self._seen: set[int] = set()
        self._scores: dict[str, int] = {}
        self._states: dict[str, PageState] = {}
        self._later: list[tuple[float, int, str]] = []
        self._changed = asyncio.Event()
        self._handlers: dict[str, Callable[..., Any]] = {
            "add": self._add,
            "release": self._release,
            "settle": self._settle,
            "robots_of": lambda *authorities: [None] * len(authorities),
            "keep_robots": lambda *_: 1,
            "bind": lambda *_: 0,
        }
        home = f"https://{domain}/"
        self._seen.add(fingerprint(home))
        self._scores[home] = FRONT

    async def tickets(self) -> AsyncIterator[Ticket]:
        """One after the other, each when the site may be asked again, until nothing is left."""
        while True:
            self._changed.clear()
            self._queue_due()
            if self.hands:
                await self._changed.wait()
                continue
            if self._is_over():
                return
            wait_seconds = self._wait_seconds()
            if wait_seconds > 0:
                await asyncio.sleep(wait_seconds)
                continue
            yield self._hand_out()

    # --- what a pump is asked

    def ask(self, call: Call[T]) -> "asyncio.Future[T]":
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        answer.set_result(call.read(self._handlers[call.script](*call.arguments)))
        return answer

    def tell(self, call: Call[Any]) -> None:
        self._handlers[call.script](*call.arguments)

    def settle(self, ticket: Ticket, call: Call[bool]) -> None:
        self.tell(call)  # a second one finds nothing in hand

    def free(self, ticket: Ticket, how: Fetch, latency_ms: int, bounds: DelayBounds, retry_after_ms: int) -> None:
        least_ms = max(bounds.least_ms, bounds.crawl_delay_ms)
        strained = how is Fetch.STRAINED
        self._pace = after_fetch(self._pace, latency_ms, strained=strained, least_ms=least_ms, most_ms=bounds.most_ms)
        self._next_at = steady_seconds() + max(self._pace.delay_ms, retry_after_ms) / MS

    def give_back(self, ticket: Ticket) -> None:
        self._settle(ticket.lease, Verdict.UNSENT, 0, "", 0)

    def may_send(self, ticket: Ticket) -> bool:
        return ticket.lease in self.hands

    def left(self) -> tuple[int, str]:
        """Pages that are known and were not asked for, and which limit is why."""
        return len(self._scores) + len(self._later), self._limit()

    def poke(self) -> None:
        self._changed.set()

    # --- what the Lua files do

    def _hand_out(self) -> Ticket:
        url = min(self._scores, key=self._scores.__getitem__)
        del self._scores[url]
        self._count += 1
        state = self._states.get(url, PageState())
        ticket = Ticket(
            str(self._count), JOB, self._domain, 0, 1, site_of(self._domain), url, state, 0, opening=not self._read
        )
        self.hands[ticket.lease] = ticket
        return ticket

    def _add(self, lease: str, site_pages: int, *flat: str) -> list[int]:
        if lease not in self.hands:
            return [0]
        new = [1]
        for place in range(0, len(flat), 3):
            url, page, state = flat[place : place + 3]
            if int(page) in self._seen:
                if url in self._scores:
                    self._scores[url] -= LINK
            elif len(self._scores) < self._limits.max_queued:
                self._seen.add(int(page))
                self._queue(url, codec.state_of(state) if state else None)
                new.append(place // 3 + 1)
        self._top = self._top or max(len(self._seen), site_pages) > self._limits.threshold_pages
        return new

    def _queue(self, url: str, state: PageState | None) -> None:
        self._count += 1
        front = FRONT if state and state.kind is Kind.SITEMAP else 0
        self._scores[url] = front + self._count
        if state:
            self._states[url] = state

    def _release(self, *_: Any) -> None:
        """`free` has done it."""

    def _settle(self, lease: str, verdict: str, _mentions: int, state: str, wait_ms: int, *_: str | int) -> int:
        ticket = self.hands.pop(lease, None)
        if ticket is None:
            return 0
        if verdict in COUNTED:
            self.fetched += 1
            self._read = self._read or verdict == Verdict.DONE
        elif verdict in {Verdict.AGAIN, Verdict.UNSENT}:
            if state:
                self._states[ticket.url] = codec.state_of(state)
            heapq.heappush(self._later, (steady_seconds() + int(wait_ms) / MS, self._count, ticket.url))
        self._changed.set()
        return 1

    def _queue_due(self) -> None:
        while self._later and self._later[0][0] <= steady_seconds():
            self._scores[heapq.heappop(self._later)[2]] = FRONT

    def _is_over(self) -> bool:
        return bool(self._limit()) or not (self._scores or self._later)

    def _limit(self) -> str:
        """In words, the one that is reached."""
        limits = self._limits
        if (steady_seconds() - self._opened_at) * MS > limits.max_ms:
            return "time limit"
        if self.fetched >= limits.max_pages:
            return "page limit"
        if self._top and self.fetched > limits.top_pages:
            return f"of a site with more than {limits.threshold_pages} pages only the best linked are read"
        return ""

    def _wait_seconds(self) -> float:
        now = steady_seconds()
        until = self._next_at if self._scores else max(self._next_at, self._later[0][0])
        return until - now
