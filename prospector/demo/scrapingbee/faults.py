"""Faults of the simulator, on request: which are in force, and whether one strikes a call. Chance comes from a seed."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

T = TypeVar("T")

BROKEN_STATUSES = (500, 502, 503, 504)
BROKEN_COSTS = ("", "free", "-5", "1.5", "5 credits")
UNKNOWN_STATUS = 520
CAPTCHA_PAGE = b"""<!DOCTYPE html><html lang="en"><head><title>Just a moment...</title></head><body>
<h1>Verify you are human</h1><form id="challenge-form"><div class="g-recaptcha" data-sitekey="demo"></div></form>
</body></html>"""


class Fault(StrEnum):
    OUTAGE_ERROR = "outage_error"  # every call, /usage too: 500
    OUTAGE_HANG = "outage_hang"  # accepted, never answered
    OUTAGE_RESET = "outage_reset"
    SERVER_ERROR = "server_error"  # a 5xx of ScrapingBee's own, before the target is asked
    LATENCY = "latency"
    MISSING_COST = "missing_cost"
    MALFORMED_COST = "malformed_cost"
    CAPTCHA = "captcha"  # 200 and charged, but the page is a challenge
    EMPTY_BODY = "empty_body"
    UNKNOWN_STATUS = "unknown_status"
    RESET_BEFORE_BILLING = "reset_before_billing"
    RESET_AFTER_BILLING = "reset_after_billing"
    CUT_BODY = "cut_body"  # charged; half of the body, then a reset
    DIE_BEFORE_BILLING = "die_before_billing"  # the process ends, as by kill -9
    DIE_AFTER_BILLING = "die_after_billing"
    DIE_AFTER_ANSWER = "die_after_answer"  # answered, never billed


OUTAGES = (Fault.OUTAGE_ERROR, Fault.OUTAGE_HANG, Fault.OUTAGE_RESET)


@dataclass(frozen=True)
class Order:
    """`seconds` and `calls` bound it; without either it holds until it is lifted. `low_ms`, `high_ms`: of LATENCY."""

    fault: Fault
    probability: float = 1.0
    seconds: float | None = None
    calls: int | None = None
    low_ms: int = 0
    high_ms: int = 0


class Faults:
    """The same seed strikes the same attempts at the same URLs, in whatever order they arrive."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._orders: dict[Fault, tuple[Order, float | None]] = {}
        self._struck: Counter[Fault] = Counter()
        self._attempts: Counter[str] = Counter()

    def place(self, order: Order, now: float) -> None:
        self._orders[order.fault] = (order, None if order.seconds is None else now + order.seconds)
        self._struck[order.fault] = 0

    def lift(self, fault: Fault) -> None:
        self._orders.pop(fault, None)

    def attempt(self, url: str) -> str:
        """What names one call in the dice: its URL and how often that was asked before."""
        self._attempts[url] += 1
        return f"{self._attempts[url]} {url}"

    def in_force(self, now: float) -> Mapping[Fault, Order]:
        return {fault: order for fault, (order, until) in self._orders.items() if until is None or now < until}

    def strikes(self, fault: Fault, attempt: str, now: float) -> bool:
        order = self.in_force(now).get(fault)
        if order is None or (order.calls is not None and self._struck[fault] >= order.calls):
            return False
        hit = self._chance(fault, attempt) < order.probability
        self._struck[fault] += hit
        return hit

    def outage(self, now: float) -> Fault | None:
        return next((fault for fault in OUTAGES if fault in self.in_force(now)), None)

    def latency_seconds(self, attempt: str, now: float) -> float:
        if not self.strikes(Fault.LATENCY, attempt, now):
            return 0.0
        order = self._orders[Fault.LATENCY][0]
        span_ms = max(0, order.high_ms - order.low_ms)
        return (order.low_ms + span_ms * self._chance("latency_ms", attempt)) / 1000

    def pick(self, among: tuple[T, ...], attempt: str) -> T:
        return among[int(self._chance("pick", attempt) * len(among))]

    def _chance(self, what: str, attempt: str) -> float:
        digest = hashlib.blake2b(f"{self._seed} {what} {attempt}".encode("utf-8", "replace"), digest_size=8).digest()
        return int.from_bytes(digest) / 2**64
