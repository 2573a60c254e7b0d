"""One ticket's leave to be sent: what `prospector.fetch` asks, answered by the frontier."""

from prospector.core.visits.ticket import Ticket
from prospector.frontier import calls
from prospector.frontier.calls import Fetch
from prospector.frontier.desk import DelayBounds, Desk


class TicketPassage:
    """Tells the frontier when the fetch is over, so that the site's delay begins at that moment."""

    def __init__(self, desk: Desk, ticket: Ticket, bounds: DelayBounds) -> None:
        self._desk = desk
        self._ticket = ticket
        self._bounds = bounds

    def may_send(self) -> bool:
        return self._desk.may_send(self._ticket)

    async def admit(self, address: str, *, limited: bool) -> bool:
        if not limited:
            return True
        return await self._desk.ask(calls.bind(self._ticket.lease, address)) == 0

    def ended(self, latency_ms: int, *, strained: bool, retry_after_ms: int) -> None:
        how = Fetch.STRAINED if strained else Fetch.FINE
        self._desk.free(self._ticket, how, latency_ms, self._bounds, retry_after_ms)
