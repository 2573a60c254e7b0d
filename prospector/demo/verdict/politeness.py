"""What the request log says of a crawler's manners: gaps, robots, waiting, canaries, traps, concurrency."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from prospector.demo.web.plan import Plan
from prospector.demo.web.request_log import Entry
from prospector.demo.web.site import Reach
from prospector.demo.web.truth import canonical

NS = 1_000_000_000
VERY_SHORT = 0.9  # of the delay: shorter than a late timer explains
USUAL_SECONDS = 1.0  # the delay of a site that asks for none
ROBOTS = "/robots.txt"
REDIRECTS = range(300, 400)
FOUND_OR_NOT = frozenset({200, *range(400, 500)} - {429})


@dataclass
class Manners:
    """Counts, and what they were found on."""

    requests: int = 0
    gaps: int = 0
    smallest_gap_seconds: float | None = None
    short_gaps: list[str] = field(default_factory=list)
    very_short_gaps: int = 0
    robots: list[str] = field(default_factory=list)
    robots_again: list[str] = field(default_factory=list)
    too_early: list[str] = field(default_factory=list)
    canaries: list[str] = field(default_factory=list)
    trapped: list[str] = field(default_factory=list)
    fetched_again: int = 0
    peak: int = 0
    peak_of_a_site: int = 0
    peak_paid: int = 0


def manners(plan: Plan, entries: Iterable[Entry], *, delay_seconds: float, page_cap: int) -> Manners:
    """`entries` in the order of their arrival."""
    log = list(entries)
    found = Manners(requests=len(log), canaries=[_name(entry) for entry in log if entry.canary])
    asked = [entry for entry in log if entry.site and not entry.canary]
    by_site: dict[str, list[Entry]] = defaultdict(list)
    for entry in asked:
        by_site[entry.site].append(entry)
    for requests in by_site.values():
        site = next((site for entry in requests if (site := plan.site_of(entry.host))), None)
        _gaps(found, requests, delay_seconds, site.delay_seconds if site else delay_seconds)
        _waits(found, requests)
        _robots_again(found, requests)
        if site and site.trap:
            _trap(found, requests, page_cap)
        found.peak_of_a_site = max(found.peak_of_a_site, peak(requests))
    _robots(found, plan, asked)
    pages = Counter((entry.scheme, entry.host, entry.path) for entry in asked if entry.whole and entry.status == 200)
    found.fetched_again = sum(count - 1 for count in pages.values())
    found.peak = peak(asked)
    found.peak_paid = peak([entry for entry in asked if entry.via])
    return found


def peak(entries: Sequence[Entry]) -> int:
    """The most requests that were in flight at once."""
    moments = sorted([(entry.at_ns, 1) for entry in entries] + [(entry.end_ns, -1) for entry in entries])
    most = now = 0
    for _, step in moments:
        now += step
        most = max(most, now)
    return most


def _gaps(found: Manners, requests: Sequence[Entry], delay_seconds: float, asked_seconds: float) -> None:
    """`asked_seconds`: the delay that robots.txt asks for, which is known once it is read."""
    for earlier, later in pairwise(requests):
        if earlier.via and later.via and earlier.status in REDIRECTS:
            continue  # the provider follows redirects by itself: one call of ours
        known = ROBOTS not in (earlier.path, later.path) and asked_seconds > USUAL_SECONDS
        least = max(delay_seconds, asked_seconds) if known else delay_seconds
        gap_ns = later.at_ns - earlier.at_ns
        found.gaps += 1
        seconds = gap_ns / NS
        found.smallest_gap_seconds = min(seconds, found.smallest_gap_seconds or seconds)
        if gap_ns < least * NS:
            found.short_gaps.append(f"{seconds:.3f} s before {_name(later)}")
            found.very_short_gaps += gap_ns < least * NS * VERY_SHORT


def _waits(found: Manners, requests: Sequence[Entry]) -> None:
    until_ns = 0
    for entry in requests:
        if entry.at_ns < until_ns:
            found.too_early.append(f"{(until_ns - entry.at_ns) / NS:.1f} s too early: {_name(entry)}")
        if entry.retry_ms:
            until_ns = max(until_ns, entry.end_ns + entry.retry_ms * 1_000_000)


def _trap(found: Manners, requests: Sequence[Entry], page_cap: int) -> None:
    pages = [entry for entry in requests if entry.path != ROBOTS and "sitemap" not in entry.path]
    found.trapped += [_name(entry) for entry in pages[page_cap:]]


def _robots(found: Manners, plan: Plan, asked: Sequence[Entry]) -> None:
    forbidden = {canonical(f"//{page.key}") for page in plan.pages if page.reach is Reach.FORBIDDEN}
    known = set()
    for entry in asked:
        site = plan.site_of(entry.host)
        if entry.path == ROBOTS:
            known.add(entry.host)
        elif entry.host not in known:
            found.robots.append(f"before robots.txt: {_name(entry)}")
        elif site and (site.closed or canonical(f"//{entry.host}{entry.path}", site.ignored_query) in forbidden):
            found.robots.append(f"forbidden: {_name(entry)}")


def _robots_again(found: Manners, requests: Sequence[Entry]) -> None:
    """One reading for each authority; the landing of a redirect belongs to the authority that was asked first."""
    read: set[tuple[str, str]] = set()
    for earlier, entry in pairwise([None, *requests]):
        landing = earlier and earlier.path == ROBOTS and earlier.status in REDIRECTS
        if entry is None or entry.path != ROBOTS or landing or not entry.whole or entry.status not in FOUND_OR_NOT:
            continue
        if (entry.scheme, entry.host) in read:
            found.robots_again.append(_name(entry))
        read.add((entry.scheme, entry.host))


def _name(entry: Entry) -> str:
    return f"{entry.scheme}://{entry.host}{entry.path}"
