"""What becomes of a page whose robots.txt was asked for under its ticket."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from prospector.core.visits.ladder import BACKOFF_MS
from prospector.core.visits.methods import Method
from prospector.core.visits.outcomes import PageOutcome
from prospector.core.visits.ticket import Kind, PageState, Ticket, Verdict
from prospector.core.visits.visit import Conclusion
from prospector.core.web import robots
from prospector.core.web.robots import MOST_HOPS, Robots, Stance

ROBOTS = "robots"  # in a page's `extra`: where its robots.txt is looked for, and how often it was
PAID = "paid"  # in there: robots.txt is paid for this once; the method by which the page itself will be asked for
UNREACHABLE = "robots.txt unreachable"


@dataclass(frozen=True)
class RobotsAnswer:
    """`status` None: no answer at all, and `failure` says why. `target`: where a redirect leads, '' if to no address."""

    status: int | None
    body: bytes = b""
    target: str | None = None
    retry_after_ms: int = 0
    failure: str = ""


def authority(url: str) -> str:
    """What has one robots.txt: scheme, host and port."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def robots_address(ticket: Ticket, page_address: str) -> str:
    looked_for: str = _search(ticket).get("at", f"{authority(page_address)}/robots.txt")
    return looked_for


def judge(ticket: Ticket, answer: RobotsAnswer, same_site: Callable[[str], bool]) -> Robots | Conclusion:
    """The rules, to be kept; or how the page goes on without them."""
    if answer.target is not None:
        return _after_redirect(ticket, answer.target, same_site)
    if answer.status is not None:
        read = robots.of_status(answer.status, answer.body)
        if read.stance is not Stance.UNREACHABLE:
            return read
    tries = int(_search(ticket).get("tries", 0))
    if tries < len(BACKOFF_MS) and PAID not in _search(ticket):
        state = _with(ticket, tries=tries + 1)
        return Conclusion(Verdict.AGAIN, state=state, wait_ms=answer.retry_after_ms or BACKOFF_MS[tries])
    why = answer.failure if answer.failure and ticket.opening else UNREACHABLE
    facts: dict[str, str | int] = {"reason": why, "attempts": tries + 1} if ticket.opening else {}
    if facts and answer.status is not None:
        facts["status"] = answer.status
    return Conclusion(Verdict.FAILED, PageOutcome.FAILED, detail=why, facts=facts)


def paid_instead(ticket: Ticket, end: Robots | Conclusion) -> Robots | Conclusion:
    """Where the mode pays: a site that blocks our address may answer another, so there is one paid try before the end.
    Not for an address of the client's, which is worth no credit."""
    if isinstance(end, Robots) or end.verdict is not Verdict.FAILED:
        return end
    if PAID in _search(ticket) or ticket.state.kind is Kind.TARGET:
        return end
    state = _with(ticket, **{PAID: ticket.state.method})
    return Conclusion(Verdict.AGAIN, state=replace(state, method=Method.STANDARD))


def robots_method(state: PageState) -> Method:
    """How robots.txt is asked for under a ticket, whatever the page's own method is."""
    return state.method if PAID in state.extra.get(ROBOTS, {}) else Method.DIRECT


def known(state: PageState) -> PageState:
    """The page's state once its robots.txt is kept."""
    method = Method(state.extra.get(ROBOTS, {}).get(PAID, state.method))
    return replace(state, method=method, extra={name: value for name, value in state.extra.items() if name != ROBOTS})


def _after_redirect(ticket: Ticket, target: str, same_site: Callable[[str], bool]) -> Robots | Conclusion:
    """Another site's rules are not this one's, and asking it would need its own gate: RFC 9309 calls this unavailable."""
    hops = int(_search(ticket).get("hops", 0)) + 1
    if hops > MOST_HOPS or not target or not same_site(target):
        return Robots(Stance.NONE)
    return Conclusion(Verdict.AGAIN, state=_with(ticket, at=target, hops=hops))


def _search(ticket: Ticket) -> dict[str, Any]:
    return dict(ticket.state.extra.get(ROBOTS, {}))


def _with(ticket: Ticket, **changes: object) -> PageState:
    search = {**_search(ticket), **changes}
    return replace(ticket.state, extra={**ticket.state.extra, ROBOTS: search})
