"""The operations on money and on who is paid: the breaker, the account's limit, and what the record knows better."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from prospector.core.visits.evidence import Evidence
from prospector.core.visits.method_memory import MethodMemory
from prospector.frontier import codec
from prospector.frontier.calls import Call

FAILURES = {
    Evidence.PROVIDER_FAILED: "failed",
    Evidence.PROVIDER_BUSY: "busy",
    Evidence.BAD_KEY: "key",
    Evidence.OUT_OF_CREDITS: "credits",
}
ACCOUNT_LIMIT_MS = 600_000


@dataclass(frozen=True)
class Provider:
    """`open_ms`: since when nothing is paid for because it fails; None: it does not. `stopped`: 'key', 'credits' or ''."""

    open_ms: int | None
    stopped: str
    in_flight: int
    allowed: int | None


def charge(lease: str, charged_credits: int | None) -> Call[bool]:
    """The provider answered. None: it did not say at what price, so the reservation stays."""
    return Call("charge", (lease, -1 if charged_credits is None else charged_credits), bool)


def spare(lease: str) -> Call[bool]:
    """Nothing was paid for under it, and nothing will be."""
    return Call("spare", (lease,), bool)


def provider_failed(
    lease: str, evidence: Evidence, charged_credits: int | None, allowed: int | None = None
) -> Call[bool]:
    """One of FAILURES. True if the breaker is open: then PROVIDER_FAILED was PROVIDER_OUT."""
    credits_known = -1 if charged_credits is None else charged_credits
    return Call("provider_failed", (lease, credits_known, FAILURES[evidence], allowed or 0), bool)


def limit_paid(most: int) -> Call[bool]:
    """What the account allows in flight. Said again at least every ten minutes, or forgotten."""
    return Call("limit_paid", (most, ACCOUNT_LIMIT_MS), bool)


def provider() -> Call[Provider]:
    def read(raw: list[Any]) -> Provider:
        open_ms, stopped, in_flight, allowed = raw
        return Provider(
            int(open_ms) if int(open_ms) >= 0 else None,
            stopped.decode(),
            int(in_flight),
            int(allowed) if int(allowed) >= 0 else None,
        )

    return Call("provider", (), read)


def confirm(lease: str) -> Call[bool]:
    """Between the commit of the reservation and the call. False: it must not be made."""
    return Call("confirm", (lease,), bool)


def unbalanced() -> Call[list[str]]:
    return Call("unbalanced", (), lambda raw: [job.decode() for job in raw])


def doubt(job: str) -> Call[int]:
    """Nothing more is paid for by this job before it is balanced. Gives the sign under which that may be done."""
    return Call("doubt", (job,), int)


def balance(job: str, sign: int, used_credits: int, unsettled: Iterable[tuple[str, int]]) -> Call[bool]:
    """`unsettled`: lease and reserved credits; read from the record after the doubt that gave the sign. False: there was
    another doubt since."""
    words = [word for lease, credit_count in unsettled for word in (lease, credit_count)]
    return Call("balance", (job, sign, used_credits, *words), bool)


def remember(lease: str, memory: MethodMemory) -> Call[bool]:
    return Call("remember", (lease, memory.next_method, codec.dumps_memory(memory)), bool)
