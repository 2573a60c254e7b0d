"""What a fetch asks of whoever sent it, and tells when it is over."""

from typing import Protocol


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
