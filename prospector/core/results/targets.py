"""The client's own addresses that pages link to: which of them are asked whether they still answer, and what an answer says."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from urllib.parse import urlsplit

from prospector.core.reading.linking import meant
from prospector.core.reading.signs import Sign
from prospector.core.visits.answers import Answer
from prospector.core.visits.evidence import Evidence
from prospector.core.visits.ladder import Next, next_step
from prospector.core.visits.methods import Mode
from prospector.core.visits.opening import AT, address_of
from prospector.core.visits.outcomes import PageOutcome
from prospector.core.visits.ticket import Ticket, Verdict
from prospector.core.visits.visit import COOKIE, HOPS, VIA, Conclusion
from prospector.core.web.hops import Hop, hop
from prospector.core.web.sites import bare, owner
from prospector.core.web.urls import UrlInvalid, fingerprint, resolve

WAIT_MOST_MS = 600_000  # no job lasts longer for an address that wants more time than this

GONE = frozenset({404, 410})
THERE = frozenset({Evidence.TEXT, Evidence.NEEDS_BROWSER, Evidence.NOT_HTML, Evidence.TOO_LARGE})


class Health(StrEnum):
    """What was found of an address, as the detail of its row says it."""

    DEAD = "client address: dead"
    ALIVE = "client address: answers"
    UNKNOWN = "client address: not known"  # refused, busy, broken, too slow, or robots.txt says no


@dataclass(frozen=True)
class Target:
    """`spellings`: the addresses as pages have them, which lead to this one. `pages`: how many pages have one of them."""

    domain: str
    url: str
    page: int
    spellings: tuple[str, ...]
    pages: int


def targets(linked: Iterable[tuple[str, int]], clients: Collection[str]) -> list[Target]:
    """The most linked one first. `linked`: address as written and how many pages have it, the most frequent first."""
    found: dict[int, Target] = {}
    for spelling, pages in linked:
        try:
            url = resolve(meant(spelling)).partition("#")[0]
            domain = owner(bare(urlsplit(url).hostname or ""), clients)
            page = fingerprint(url)
        except (UrlInvalid, ValueError):
            continue
        if domain is None:
            continue
        one = found.get(page, Target(domain, url, page, (), 0))
        found[page] = replace(one, spellings=(*one.spellings, spelling), pages=one.pages + pages)
    return sorted(found.values(), key=lambda one: (-one.pages, one.url))


def by_domain(chosen: Iterable[Target]) -> dict[str, list[Target]]:
    found: dict[str, list[Target]] = {}
    for one in chosen:
        found.setdefault(one.domain, []).append(one)
    return found


def conclude(
    ticket: Ticket, answer: Answer, same_page: Callable[[str, str], bool], *, name_exists: bool = True
) -> Conclusion:
    """An address is followed, and asked again, as a page is; but nothing of it is read, and nothing is paid for it."""
    if answer.target is not None:
        return _after_hop(ticket, answer, same_page)
    step = next_step(answer.evidence, ticket.state, Mode.FREE_ONLY, has_key=False, retry_after_ms=answer.retry_after_ms)
    if step.next is Next.RETRY and step.wait_ms <= WAIT_MOST_MS:
        return Conclusion(Verdict.AGAIN, state=step.state, wait_ms=step.wait_ms)
    return settled(health(answer, name_exists=name_exists))


def settled(found: Health) -> Conclusion:
    """Aside: it counts as no page."""
    return Conclusion(Verdict.ASIDE, PageOutcome.SKIPPED, detail=found)


def health(answer: Answer, *, name_exists: bool = True) -> Health:
    """Dead is what anybody who follows the link meets; what only we may have met is not known."""
    if answer.status in GONE or answer.evidence is Evidence.REDIRECT_LOOP or not name_exists:
        return Health.DEAD
    if answer.evidence not in THERE:
        return Health.UNKNOWN
    return Health.DEAD if answer.page is not None and Sign.SOFT_404 in answer.page.signs else Health.ALIVE


def belongs(url: str, domain: str) -> bool:
    try:
        return owner(bare(urlsplit(url).hostname or ""), {domain}) == domain
    except ValueError:
        return False


def _after_hop(ticket: Ticket, answer: Answer, same_page: Callable[[str, str], bool]) -> Conclusion:
    extra = ticket.state.extra
    hops, via = int(extra.get(HOPS, 0)), extra.get(VIA, ())
    kind = hop(
        answer.target or None,
        source=address_of(ticket),
        hops=hops,
        opening=False,
        asks_for_cookie=bool(answer.cookies) and answer.cookies != extra.get(COOKIE),
        same_page=same_page,
        belongs=lambda url: belongs(url, ticket.domain),
    )
    match kind:
        case Hop.OUTSIDE:  # that site is not ours to ask, and somebody has cared for this link
            return settled(Health.ALIVE)
        case Hop.LOOP:
            return settled(Health.DEAD)
        case Hop.BROKEN:
            return settled(Health.UNKNOWN)
    target = answer.target or ""
    if kind is Hop.INSIDE and str(fingerprint(target)) in via:
        return settled(Health.DEAD)
    cookie = {COOKIE: answer.cookies} if answer.cookies else {}
    way = {AT: target, HOPS: hops + 1, VIA: [*via, str(fingerprint(address_of(ticket)))]}
    return Conclusion(Verdict.AGAIN, state=replace(ticket.state, extra={**extra, **way, **cookie}))
