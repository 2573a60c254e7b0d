"""One paid call's leave: the price is in the record before the call, and what became of it is told to both sides after."""

from dataclasses import replace

from prospector import logs
from prospector.core.visits.evidence import Evidence
from prospector.core.visits.ticket import Ticket
from prospector.core.web.urls import fingerprint
from prospector.fetch.paid import PaidCallFailed
from prospector.frontier import paid_calls
from prospector.frontier.desk import DelayBounds, Desk
from prospector.frontier.passage import TicketPassage
from prospector.spiders.ledger import Ledger
from prospector.store.spend import Reservation

LOG = logs.named(__name__)
FOR_A_PERSON = frozenset({Evidence.BAD_KEY, Evidence.OUT_OF_CREDITS})


class PaidTicketPassage(TicketPassage):
    """For a ticket with a price, whether the request that is made under it costs anything or not."""

    def __init__(self, desk: Desk, ticket: Ticket, bounds: DelayBounds, ledger: Ledger) -> None:
        super().__init__(desk, ticket, bounds)
        self._ledger = ledger
        self._is_reserved = False

    def spared(self) -> None:
        """There will be no call. The ticket is as good as free: a worker that stops gives it back."""
        lease = self._ticket.lease
        self._desk.tell(paid_calls.spare(lease))
        if lease in self._desk.hands:
            self._desk.hands[lease] = replace(self._ticket, price=0)
        if self._is_reserved:
            self._ledger.spare(lease)

    async def reserved(self) -> bool:
        ticket = self._ticket
        page, method = fingerprint(ticket.url), ticket.state.method
        self._is_reserved = True
        await self._ledger.reserve(Reservation(ticket.lease, ticket.job, ticket.number, page, method, ticket.price))
        return await self._desk.ask(paid_calls.confirm(ticket.lease)) and self.may_send()

    def charged(self, credits_charged: int | None) -> None:
        self._desk.tell(paid_calls.charge(self._ticket.lease, credits_charged))
        self._book(credits_charged)

    async def failed(self, failure: PaidCallFailed) -> PaidCallFailed:
        if failure.evidence not in paid_calls.FAILURES:
            self.charged(failure.charged_credits)
            return failure
        self._book(failure.charged_credits)
        if failure.evidence in FOR_A_PERSON:
            LOG.error("provider_refuses", job=self._ticket.job, error=str(failure))
        told = paid_calls.provider_failed(
            self._ticket.lease, failure.evidence, failure.charged_credits, failure.allowed_concurrency
        )
        is_out = await self._desk.ask(told) and failure.evidence is Evidence.PROVIDER_FAILED
        return failure.as_outage() if is_out else failure

    def _book(self, credits_charged: int | None) -> None:
        """Where nobody knows the price, the reservation stays until an operator settles it."""
        if credits_charged is not None:
            self._ledger.settle(self._ticket.lease, credits_charged)
