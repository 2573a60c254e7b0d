"""What becomes of a page after one fetch: the rules for opening a domain, for hops and for the ladder, in one answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from prospector.core.answers import Answer
from prospector.core.evidence import Evidence, reason
from prospector.core.hops import Hop, hop, openings
from prospector.core.ladder import Next, next_step
from prospector.core.methods import Method, Mode
from prospector.core.outcomes import PageOutcome
from prospector.core.ticket import PageState, Ticket, Verdict

# what `extra` remembers of a page
AT = "at"  # the address to fetch, where it is not the page's own
HOPS = "hops"
OPENING = "opening"  # which of the domain's openings is tried

# nobody is there at this address; a reset is that only while TLS is being agreed on
UNREACHED = frozenset({Evidence.UNRESOLVED, Evidence.REFUSED, Evidence.TIMED_OUT})


@dataclass(frozen=True)
class Conclusion:
    """`outcome` is None while the page is not settled for good. `facts` are about the domain as a whole.

    `onward`: another page of the domain, to be queued with this many hops behind it.
    """

    verdict: Verdict
    outcome: PageOutcome | None = None
    state: PageState | None = None
    wait_ms: int = 0
    parked: str = ""
    detail: str | None = None
    onward: str | None = None
    facts: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True)
class Circumstances:
    """What is known around the fetch. `opening`: no page of the domain is settled yet."""

    mode: Mode
    has_key: bool
    may_render: bool
    opening: bool
    same_page: Callable[[str, str], bool]
    belongs: Callable[[str], bool]


def address_of(ticket: Ticket) -> str:
    at: str = ticket.state.extra.get(AT, ticket.url)
    return at


def conclude(ticket: Ticket, answer: Answer, around: Circumstances) -> Conclusion:
    if answer.target is not None:
        return _after_hop(ticket, answer, around)
    if around.opening and is_unreached(ticket, answer.evidence) and ticket.state.method is Method.DIRECT:
        elsewhere = _next_opening(ticket, answer.evidence)
        if elsewhere:
            return Conclusion(Verdict.AGAIN, state=elsewhere)
    return _by_the_ladder(ticket, answer, around)


def _by_the_ladder(ticket: Ticket, answer: Answer, around: Circumstances) -> Conclusion:
    step = next_step(
        answer.evidence,
        ticket.state,
        around.mode,
        has_key=around.has_key,
        may_render=around.may_render,
        retry_after_ms=answer.retry_after_ms,
        status=answer.status,
    )
    if step.next in {Next.RETRY, Next.ESCALATE}:
        return Conclusion(Verdict.AGAIN, state=step.state, wait_ms=step.wait_ms)
    if step.next is Next.PARK:
        return Conclusion(Verdict.PARK, state=step.state, parked=step.parked or "")
    facts = _facts(ticket, answer, step.reason, around)
    if step.next is Next.DONE and answer.evidence in {Evidence.TEXT, Evidence.NEEDS_BROWSER}:
        return Conclusion(Verdict.DONE, PageOutcome.READ, facts=facts)
    if step.next is Next.SKIP:
        return Conclusion(step.verdict, PageOutcome.SKIPPED, detail=step.reason, facts=facts)
    return Conclusion(Verdict.FAILED, PageOutcome.FAILED, detail=step.reason or _gone(answer), facts=facts)


def _gone(answer: Answer) -> str:
    return reason(Evidence.FORBIDDEN, Method.DIRECT, answer.status)  # "HTTP 404 Not Found"


def _facts(ticket: Ticket, answer: Answer, why: str, around: Circumstances) -> dict[str, str | int]:
    """Of its opening page a domain keeps how it ended, for its final row."""
    if not around.opening:
        return {}
    facts: dict[str, str | int] = {"attempts": ticket.state.attempt + 1}
    if answer.status is not None:
        facts["status"] = answer.status
    if why or answer.evidence is Evidence.GONE:
        facts["reason"] = why or _gone(answer)
    return facts


def _after_hop(ticket: Ticket, answer: Answer, around: Circumstances) -> Conclusion:
    hops = int(ticket.state.extra.get(HOPS, 0))
    source = address_of(ticket)
    kind = hop(
        answer.target or None,
        source=source,
        hops=hops,
        opening=around.opening,
        same_page=around.same_page,
        belongs=around.belongs,
    )
    match kind:
        case Hop.SAME:
            extra = {**ticket.state.extra, AT: answer.target, HOPS: hops + 1}
            return Conclusion(Verdict.AGAIN, state=replace(ticket.state, extra=extra))
        case Hop.INSIDE:
            return Conclusion(Verdict.ASIDE, PageOutcome.REDIRECTED, detail=f"to {answer.target}", onward=answer.target)
        case Hop.MOVED:
            host = urlsplit(answer.target or "").hostname or ""
            facts: dict[str, str | int] = {"moved_to": host, "reason": f"moved to {host}", "status": answer.status or 0}
            return Conclusion(Verdict.ASIDE, PageOutcome.REDIRECTED, detail=f"moved to {host}", facts=facts)
        case Hop.OUTSIDE:
            return Conclusion(Verdict.DONE, PageOutcome.REDIRECTED, detail=f"offsite: {answer.target}")
    looped = replace(answer, evidence=Evidence.REDIRECT_LOOP, target=None)
    return _by_the_ladder(ticket, looped, around)


def is_unreached(ticket: Ticket, evidence: Evidence) -> bool:
    return evidence in UNREACHED or (evidence is Evidence.RESET and address_of(ticket).startswith("https:"))


def _next_opening(ticket: Ticket, evidence: Evidence) -> PageState | None:
    """The next of the domain's openings that this failure says nothing about; None when there is none left."""
    ways = openings(ticket.domain)
    tried = int(ticket.state.extra.get(OPENING, 0))
    host = urlsplit(ways[tried]).hostname
    for number in range(tried + 1, len(ways)):
        if evidence is Evidence.UNRESOLVED and urlsplit(ways[number]).hostname == host:
            continue
        return replace(ticket.state, extra={**ticket.state.extra, OPENING: number, AT: ways[number]})
    return None
