"""What the crawl asks of a frontier, be it the shared one (pump.py) or the debug mode's own (in_process.py)."""

import asyncio
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from prospector.core.visits.ticket import Ticket
from prospector.frontier.calls import Call, Fetch

T = TypeVar("T")


@dataclass(frozen=True)
class DelayBounds:
    """How a site's delay is bounded: the deployment's least and most, and what its robots.txt asks for."""

    least_ms: int
    most_ms: int
    crawl_delay_ms: int = 0


class Desk(Protocol):
    worker: str
    hands: dict[str, Ticket]

    def tell(self, call: Call[Any]) -> None: ...

    def ask(self, call: Call[T]) -> "asyncio.Future[T]": ...

    def settle(self, ticket: Ticket, call: Call[bool]) -> None:
        """The last word on a ticket. A second one is not sent."""
        ...

    def free(self, ticket: Ticket, how: Fetch, latency_ms: int, bounds: DelayBounds, retry_after_ms: int) -> None:
        """The fetch is over; what is made of it may take longer."""
        ...

    def give_back(self, ticket: Ticket) -> None:
        """Nothing was asked of the site: it has no delay to keep, and the page is as it was."""
        ...

    def may_send(self, ticket: Ticket) -> bool:
        """Asked right before the request leaves: does its lease surely still belong to this worker?"""
        ...

    def poke(self) -> None:
        """There may be room for tickets again."""
        ...
