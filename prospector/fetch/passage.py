"""What a fetch asks of whoever sent it, and tells when it is over."""

from typing import Protocol

from prospector.fetch.paid import PaidCallFailed


class Passage(Protocol):
    """One request's leave to be sent. It stands in `request.meta["passage"]`."""

    def may_send(self) -> bool:
        """Asked right before anything leaves this machine: is the leave still good?"""
        ...

    async def admit(self, address: str, *, limited: bool) -> bool:
        """May the request go to this address now? `limited`: the limits per address hold for it."""
        ...

    def ended(self, latency_ms: int, *, strained: bool, retry_after_ms: int) -> None:
        """The last byte is here, or none will come. `strained`: the site has trouble, or says that it is asked too often."""
        ...


class PaidPassage(Passage, Protocol):
    """One paid call's leave: it is asked for before the call, and told what became of it."""

    def spared(self) -> None:
        """There will be no call."""
        ...

    async def reserved(self) -> bool:
        """True once the price is in the record and the leave is still good: the call may be made now."""
        ...

    def charged(self, credits_charged: int | None) -> None:
        """The provider answered. None: nobody knows what it cost."""
        ...

    async def failed(self, failure: PaidCallFailed) -> PaidCallFailed:
        """There is no page. Gives the failure as it is to be taken: one of many is an outage."""
        ...
