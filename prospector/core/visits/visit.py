"""What becomes of a page after one fetch: the rules for opening a domain, for hops and for the ladder, in one answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from prospector.core.reading.linking import meant
from prospector.core.visits.answers import Answer
from prospector.core.visits.evidence import Evidence, reason
from prospector.core.visits.ladder import CALLS_MOST, Next, Step, next_step
from prospector.core.visits.method_memory import MethodMemory, after_read, after_render
from prospector.core.visits.methods import Method, Mode
from prospector.core.visits.opening import AT, address_of, anew, first_failure, is_unreached, next_opening
from prospector.core.visits.outcomes import PageOutcome
from prospector.core.visits.ticket import PageState, Ticket, Verdict
from prospector.core.web.hops import Hop, hop, is_web_host
from prospector.core.web.urls import fingerprint

# what `extra` remembers of a page
HOPS = "hops"
VIA = "via"  # the pages that led here, by fingerprint: text, for a number of that size is rounded in Lua
COOKIE = "cookie"  # what the site has set on the way to this page
SHELL = "shell"  # characters of text that the page has without a browser
PLAIN = "plain"  # no browser could read it: it is read as it is

BLOCKED = frozenset({Evidence.FORBIDDEN, Evidence.CHALLENGE, Evidence.EMPTY, Evidence.TOO_MANY})
COUNTED = "+"  # before the name of a fact: a number that is added up over the domain's pages
KEY_WANTED = f"{COUNTED}key_wanted"  # pages that would have gone on to ScrapingBee, had there been a key


@dataclass(frozen=True)
class Onward:
    """Another page of the domain, to be queued with what is remembered of the way to it."""

    url: str
    state: PageState


@dataclass(frozen=True)
class Conclusion:
    """`outcome` is None while the page is not settled for good. `facts` are about the domain as a whole; `memory` is
    what it has newly taught, if anything."""

    verdict: Verdict
    outcome: PageOutcome | None = None
    state: PageState | None = None
    wait_ms: int = 0
    parked: str = ""
    detail: str | None = None
    onward: Onward | None = None
    facts: Mapping[str, str | int] = field(default_factory=dict)
    memory: MethodMemory | None = None


@dataclass(frozen=True)
class Circumstances:
    """What is known around the fetch. `opening`: no page of the domain is settled yet."""

    mode: Mode
    has_key: bool
    may_render: bool
    opening: bool
    same_page: Callable[[str, str], bool]
    belongs: Callable[[str], bool]


def conclude(ticket: Ticket, answer: Answer, around: Circumstances) -> Conclusion:
    if answer.target is not None:
        return _after_hop(ticket, answer, around)
    if around.opening and is_unreached(ticket, answer.evidence) and ticket.state.method is Method.DIRECT:
        elsewhere = next_opening(ticket, answer.evidence)
        if elsewhere:
            return Conclusion(Verdict.AGAIN, state=elsewhere)
    return _by_the_ladder(ticket, answer, around)


def leads_off(url: str, belongs: Callable[[str], bool]) -> bool:
    """A redirector to another site. It is never paid for: the provider would follow it, past that site's gate and robots."""
    target = meant(url)
    return target != url and not belongs(target)


def _by_the_ladder(ticket: Ticket, answer: Answer, around: Circumstances) -> Conclusion:
    step = next_step(
        answer.evidence,
        ticket.state,
        Mode.FREE_ONLY if leads_off(address_of(ticket), around.belongs) else around.mode,
        has_key=around.has_key,
        may_render=around.may_render and PLAIN not in ticket.state.extra,
        retry_after_ms=answer.retry_after_ms,
        status=answer.status,
    )
    counted: dict[str, str | int] = {f"{COUNTED}blocks": 1} if answer.evidence in BLOCKED else {}
    match step.next:
        case Next.RETRY:
            return Conclusion(
                Verdict.AGAIN, state=anew(step.state, answer.evidence), wait_ms=step.wait_ms, facts=counted
            )
        case Next.ESCALATE:
            state = _with_shell(step.state, answer)
            return Conclusion(Verdict.AGAIN, state=state, wait_ms=step.wait_ms, facts=counted)
        case Next.PARK:
            return Conclusion(Verdict.PARK, state=step.state, parked=step.parked or "", facts=counted)
    if step.next is Next.FAIL and _has_shell(step.state):
        plain = replace(step.state, method=Method.DIRECT, extra={**step.state.extra, PLAIN: True})
        return Conclusion(Verdict.AGAIN, state=plain, facts=counted)
    if step.wanted and around.mode is not Mode.FREE_ONLY:
        counted[KEY_WANTED] = 1
    ended = _ended(ticket, answer, step, around)
    return replace(ended, facts={**ended.facts, **counted}, memory=_taught(ticket, answer, ended, around))


def _has_shell(state: PageState) -> bool:
    """What it showed without a browser is better than nothing, where a call is left to read it."""
    return (
        state.method is Method.JS and SHELL in state.extra and PLAIN not in state.extra and state.attempt < CALLS_MOST
    )


def _with_shell(state: PageState, answer: Answer) -> PageState:
    if answer.evidence is not Evidence.NEEDS_BROWSER or answer.page is None:
        return state
    return replace(state, extra={**state.extra, SHELL: answer.page.text_length})


def _taught(ticket: Ticket, answer: Answer, end: "Conclusion", around: Circumstances) -> MethodMemory | None:
    """What the domain's next pages learn from this one; None where that is nothing new. One mode alone may choose."""
    if around.mode is not Mode.HYBRID or end.outcome is not PageOutcome.READ:
        return None
    method, shell = ticket.state.method, ticket.state.extra.get(SHELL)
    added = answer.page is not None and answer.page.text_length > (shell or 0)
    learned = ticket.memory
    if method is Method.JS and shell is not None:
        learned = after_render(learned, added=added)
    if method is not Method.JS or added:
        learned = after_read(learned, method)
    return None if learned == ticket.memory else learned


def _ended(ticket: Ticket, answer: Answer, step: Step, around: Circumstances) -> Conclusion:
    """A domain whose opening page is skipped has nothing else: it fails for that reason."""
    if step.next is Next.DONE and answer.evidence in {Evidence.TEXT, Evidence.NEEDS_BROWSER}:
        needed: dict[str, str | int] = {f"{COUNTED}js_pages": 1} if _needs_browser(ticket, answer) else {}
        return Conclusion(Verdict.DONE, PageOutcome.READ, facts={**_facts(ticket, answer, "", around), **needed})
    why = step.reason or reason(Evidence.FORBIDDEN, Method.DIRECT, answer.status)  # "HTTP 404 Not Found"
    facts = _facts(ticket, answer, why, around)
    if step.next is Next.SKIP:
        verdict = Verdict.FAILED if around.opening and step.verdict is Verdict.DONE else step.verdict
        return Conclusion(verdict, PageOutcome.SKIPPED, detail=why, facts=facts)
    return Conclusion(Verdict.FAILED, PageOutcome.FAILED, detail=why, facts=facts)


def _needs_browser(ticket: Ticket, answer: Answer) -> bool:
    return answer.evidence is Evidence.NEEDS_BROWSER or ticket.state.method is Method.JS


def _facts(ticket: Ticket, answer: Answer, why: str, around: Circumstances) -> dict[str, str | int]:
    """Of its opening page a domain keeps how it ended, for its final row."""
    if not around.opening:
        return {}
    facts: dict[str, str | int] = {"attempts": ticket.state.attempt + 1}
    first = first_failure(ticket.state, answer.evidence)
    if first:
        return facts | {"reason": reason(first, ticket.state.method)}
    if answer.status is not None:
        facts["status"] = answer.status
    if why:
        facts["reason"] = why
    return facts


def _after_hop(ticket: Ticket, answer: Answer, around: Circumstances) -> Conclusion:
    target = answer.target or ""
    match _kind(ticket, answer, around):
        case Hop.SAME:
            extra = {**ticket.state.extra, AT: target, HOPS: _hops(ticket) + 1}
            return Conclusion(Verdict.AGAIN, state=replace(ticket.state, extra=_with_cookies(extra, answer)))
        case Hop.INSIDE:
            state = PageState(method=ticket.state.method, extra=_with_cookies(_way(ticket), answer))
            onward = Onward(target, state)
            return Conclusion(Verdict.ASIDE, PageOutcome.REDIRECTED, detail=f"to {target}", onward=onward)
        case Hop.MOVED:
            host = urlsplit(target).hostname or ""
            facts: dict[str, str | int] = {"moved_to": host, "reason": f"moved to {host}", "status": answer.status or 0}
            return Conclusion(Verdict.ASIDE, PageOutcome.REDIRECTED, detail=f"moved to {host}", facts=facts)
        case Hop.OUTSIDE:
            return Conclusion(Verdict.DONE, PageOutcome.REDIRECTED, detail=f"offsite: {target}")
        case Hop.PRIVATE:
            shown = Evidence.PRIVATE_ADDRESS
        case Hop.LOOP:
            shown = Evidence.REDIRECT_LOOP
        case Hop.BROKEN:
            shown = Evidence.REDIRECT_BROKEN
    return _by_the_ladder(ticket, replace(answer, evidence=shown, target=None), around)


def _kind(ticket: Ticket, answer: Answer, around: Circumstances) -> Hop:
    kind = hop(
        answer.target or None,
        source=address_of(ticket),
        hops=_hops(ticket),
        opening=around.opening,
        asks_for_cookie=bool(answer.cookies) and answer.cookies != ticket.state.extra.get(COOKIE),
        same_page=around.same_page,
        belongs=around.belongs,
    )
    if kind is Hop.INSIDE and str(fingerprint(answer.target or "")) in ticket.state.extra.get(VIA, ()):
        return Hop.LOOP
    if kind is Hop.MOVED and not is_web_host(urlsplit(answer.target or "").hostname or ""):
        return Hop.PRIVATE
    return kind


def _hops(ticket: Ticket) -> int:
    return int(ticket.state.extra.get(HOPS, 0))


def _way(ticket: Ticket) -> dict[str, object]:
    via = [*ticket.state.extra.get(VIA, ()), str(fingerprint(ticket.url))]
    return {HOPS: _hops(ticket) + 1, VIA: via}


def _with_cookies(extra: dict[str, object], answer: Answer) -> dict[str, object]:
    return {**extra, COOKIE: answer.cookies} if answer.cookies else extra
