"""Opening a domain: one address after the other until one answers, and which of the failures is told in the end."""

from dataclasses import replace
from urllib.parse import urlsplit

from prospector.core.visits.evidence import Evidence
from prospector.core.visits.ticket import PageState, Ticket
from prospector.core.web.hops import openings

# what `extra` remembers of a page
AT = "at"  # the address to fetch, where it is not the page's own
OPENING = "opening"  # which of the domain's openings is tried
FIRST = "first"  # how the listed host failed

# nobody is there at this address; a reset is that only while TLS is being agreed on
UNREACHED = frozenset({Evidence.UNRESOLVED, Evidence.REFUSED, Evidence.TIMED_OUT})
TELLING = (Evidence.UNRESOLVED, Evidence.REFUSED, Evidence.RESET, Evidence.TIMED_OUT)  # the last says most of a host
UNANSWERED = frozenset({Evidence.UNRESOLVED, Evidence.REFUSED})  # known at once, so that all may be tried again
AS_LISTED = 2  # the openings of the host as it is listed; the others are those of its twin


def address_of(ticket: Ticket) -> str:
    at: str = ticket.state.extra.get(AT, ticket.url)
    return at


def is_unreached(ticket: Ticket, evidence: Evidence) -> bool:
    return evidence in UNREACHED or (evidence is Evidence.RESET and address_of(ticket).startswith("https:"))


def next_opening(ticket: Ticket, evidence: Evidence) -> PageState | None:
    """The next of the domain's openings that this failure says nothing about; None when there is none left."""
    ways = openings(ticket.domain)
    extra = ticket.state.extra
    tried = int(extra.get(OPENING, 0))
    host = urlsplit(ways[tried]).hostname
    for number in range(tried + 1, len(ways)):
        if evidence is Evidence.UNRESOLVED and urlsplit(ways[number]).hostname == host:
            continue
        first = {FIRST: _told(extra.get(FIRST), evidence) if tried < AS_LISTED else extra[FIRST]}
        return replace(ticket.state, extra={**extra, **first, OPENING: number, AT: ways[number]})
    return None


def anew(state: PageState, evidence: Evidence) -> PageState:
    """For a retry after the last opening: a name or a port that was away for a moment is away at the first one too."""
    if OPENING not in state.extra or evidence not in UNANSWERED:
        return state
    return replace(state, extra={name: value for name, value in state.extra.items() if name not in {AT, OPENING}})


def first_failure(state: PageState, evidence: Evidence) -> Evidence | None:
    """The failure to tell instead of this one: what the listed host did says more than that its twin is not there."""
    first = state.extra.get(FIRST)
    if first is None or (evidence not in UNREACHED and not _is_of_twin(state, evidence)):
        return None
    return Evidence(first)


def _told(first: str | None, evidence: Evidence) -> Evidence:
    return evidence if first is None else max(Evidence(first), evidence, key=TELLING.index)


def _is_of_twin(state: PageState, evidence: Evidence) -> bool:
    return int(state.extra.get(OPENING, 0)) >= AS_LISTED and evidence in {Evidence.GONE, Evidence.RESET}
