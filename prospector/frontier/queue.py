"""scrapy-redis' queue seam: pops are tickets that the pump has claimed, pushes are pages found under a ticket."""

from collections import deque
from collections.abc import Iterable
from typing import Any

from scrapy import Request, Spider
from scrapy_redis.queue import Base

from prospector.core.visits.ticket import Found, Ticket
from prospector.frontier import calls
from prospector.frontier.dupefilter import FrontierDupeFilter
from prospector.frontier.pump import Pump


class FrontierQueue(Base):  # type: ignore[misc]  # scrapy-redis has no types
    """`pop` never waits: it gives what the pump has delivered."""

    def __init__(self, server: Any, spider: Spider, key: str, serializer: Any = None) -> None:
        super().__init__(server, spider, key, serializer)
        self.pump: Pump = spider.pump  # type: ignore[attr-defined]  # the scheduler sets it before it opens the queue
        self._delivered: deque[Ticket] = deque()
        self._first: deque[Request] = deque()
        self._fingerprint = FrontierDupeFilter.from_spider(spider).request_fingerprint

    def __len__(self) -> int:
        return len(self._delivered) + len(self._first)

    def deliver(self, tickets: Iterable[Ticket]) -> None:
        self._delivered.extend(tickets)

    def put_first(self, request: Request) -> None:
        """Another request under a ticket that nothing was sent for yet."""
        self._first.append(request)

    def push(self, request: Request) -> None:
        """A request made by the crawl belongs to the ticket of the page it was found on."""
        lease = request.meta["found_under"]
        self.pump.tell(calls.add(lease, [self._encode_request(request)]))

    def pop(self, timeout: int = 0) -> Request | None:
        """Tickets whose lease may have gone to another while they waited here are given back unsent."""
        if self._first:
            return self._first.popleft()
        while self._delivered:
            ticket = self._delivered.popleft()
            if self.pump.may_send(ticket):
                return self._decode_request(ticket)
            self.pump.give_back(ticket)
        return None

    def give_back(self) -> None:
        """Everything that was not sent."""
        self._delivered.extend(request.meta["ticket"] for request in self._first)
        self._first.clear()
        while self._delivered:
            self.pump.give_back(self._delivered.popleft())

    def clear(self) -> None:
        """The frontier belongs to all workers: none of them clears it."""

    def _encode_request(self, request: Request) -> Found:
        return Found(request.url, self._fingerprint(request), request.meta.get("state"))

    def _decode_request(self, ticket: Ticket) -> Request:
        made: Request = self.spider.request_of(ticket)
        return made
