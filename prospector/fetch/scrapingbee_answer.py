"""What an answer of ScrapingBee means: the target's answer, or which failure of whom, and what was charged."""

import json
import re
from dataclasses import dataclass

from scrapy.http import Headers

from prospector.core.visits.evidence import Evidence
from prospector.fetch.client import Raw
from prospector.fetch.paid import PaidCallFailed, PriceMalformed, PriceMissing

COST = "Spb-Cost"
INITIAL_STATUS = "Spb-Initial-Status-Code"  # present: the target answered; absent: ScrapingBee itself failed
RESOLVED_URL = "Spb-Resolved-Url"
PREFIX = b"spb-"
OWN_HEADERS = frozenset({b"cost", b"auto-cost", b"initial-status-code", b"resolved-url", b"request-id"})
OF_THE_WIRE = frozenset({b"content-encoding", b"content-length", b"transfer-encoding"})  # the body comes decoded
TARGET_STATUS = re.compile(r"Server responded with (\d{3})")
ALLOWED = re.compile(r"Max concurrency allowed (\d+)")
PRICE_DIGITS = 4  # the dearest call there is costs 75; a figure that neither ledger nor Redis can hold is none
NO_CREDITS_LEFT = "Monthly API calls limit reached"


@dataclass(frozen=True)
class Target:
    """The target's own answer. A body it sent with a failure is not passed on by ScrapingBee."""

    url: str
    status: int
    headers: Headers
    body: bytes


def credits_charged(raw: Raw) -> int:
    cost = _text(raw.headers, COST)
    if cost is None:
        if raw.status >= 500 and INITIAL_STATUS not in raw.headers:
            return 0  # the call did not come through to where it is billed, and ScrapingBee bills no 5xx
        raise PriceMissing(f"ScrapingBee did not say what a call cost (HTTP {raw.status}).", "It counts in full.")
    if not (cost.isascii() and cost.isdigit() and len(cost) <= PRICE_DIGITS):
        raise PriceMalformed(f"ScrapingBee says that a call cost {cost!r} credits.", "It counts in full.")
    return int(cost)


def target(raw: Raw, url: str, charged_credits: int | None) -> Target:
    """Raises PaidCallFailed where there is none."""
    if INITIAL_STATUS not in raw.headers:
        raise _own_failure(raw, charged_credits)
    if raw.too_large:
        raise PaidCallFailed(Evidence.TOO_LARGE, "The page is too large.", charged_credits)
    if not raw.complete:
        raise PaidCallFailed(Evidence.SHORT_BODY, "The page was cut short on its way.", charged_credits)
    resolved = _text(raw.headers, RESOLVED_URL) or url
    status = _failed_status(raw)
    if status is not None:
        return Target(resolved, status, _of_target(raw.headers, kept=frozenset()), b"")
    return Target(resolved, raw.status, _of_target(raw.headers, kept=frozenset({b"content-type"})), raw.body)


def _own_failure(raw: Raw, charged_credits: int | None) -> PaidCallFailed:
    """None of ScrapingBee's words go into the error: its message to a wrong key repeats the key."""
    words = raw.body.decode("utf-8", "replace")
    match raw.status:
        case 401 if NO_CREDITS_LEFT in words:
            return PaidCallFailed(
                Evidence.OUT_OF_CREDITS,
                "ScrapingBee says the account has no credits left (401).",
                charged_credits,
                remedy="Buy credits or wait for the account to renew, then: prospector job resume JOB",
            )
        case 401:
            return bad_key("ScrapingBee says the key is not valid (401).", charged_credits)
        case 429:
            allowed = ALLOWED.search(words)
            return PaidCallFailed(
                Evidence.PROVIDER_BUSY,
                "ScrapingBee has too many of our calls in flight (429).",
                charged_credits,
                int(allowed[1]) if allowed else None,
            )
        case status if 400 <= status < 500:
            return PaidCallFailed(
                Evidence.PROVIDER_REFUSED, f"ScrapingBee refused the call ({status}).", charged_credits
            )
        case 500 if "timeout" in _reason(raw).lower():
            return PaidCallFailed(Evidence.TIMED_OUT, "The site did not answer ScrapingBee in time.", charged_credits)
    return PaidCallFailed(Evidence.PROVIDER_FAILED, f"ScrapingBee failed ({raw.status}).", charged_credits)


def bad_key(problem: str, charged_credits: int | None) -> PaidCallFailed:
    remedy = "Fix SCRAPINGBEE_API_KEY, then: prospector job resume JOB"
    return PaidCallFailed(Evidence.BAD_KEY, problem, charged_credits, remedy=remedy)


def _failed_status(raw: Raw) -> int | None:
    """The target's status where ScrapingBee tells of a failed page by a 500 of its own. The first hop's is the next best."""
    if raw.status != 500 or not _reason(raw):
        return None
    found = TARGET_STATUS.search(_reason(raw))
    initial = _text(raw.headers, INITIAL_STATUS) or ""
    if found:
        return int(found[1])
    return int(initial) if initial.isascii() and initial.isdigit() and int(initial) >= 400 else 500


def _reason(raw: Raw) -> str:
    try:
        words = json.loads(raw.body)
    except ValueError:
        return ""
    return str(words.get("reason") or "") if isinstance(words, dict) else ""


def _of_target(headers: Headers, kept: frozenset[bytes]) -> Headers:
    theirs = Headers()
    for name in headers:
        lowered = name.lower()
        bare = lowered.removeprefix(PREFIX)
        if bare != lowered and bare not in OWN_HEADERS | OF_THE_WIRE:
            theirs.setlist(bare, headers.getlist(name))
    for name in kept | {b"set-cookie"}:
        if headers.getlist(name):
            theirs.setlist(name, headers.getlist(name))
    return theirs


def _text(headers: Headers, name: str) -> str | None:
    value = headers.get(name)
    return None if value is None else value.decode("latin-1").strip()
