"""The mentions of one site, row by row, gathered into the findings that its score is made of."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from prospector.core.reading.traits import LinkStatus, PageFlag, PageKind
from prospector.core.reading.zones import Zone
from prospector.core.results.score import (
    BAD_FLAGS,
    COUNTED_A_PAGE,
    FIT_POINTS,
    MENUS,
    ZONE_POINTS,
    Best,
    Findings,
    Metric,
)
from prospector.core.visits.methods import Method

BOILERPLATE_PAGES = 5  # the same words on at least so many pages ...
BOILERPLATE_SHARE = 0.5  # ... and on at least this part of what was read


class Mention(NamedTuple):
    """One keyword on one page, as the export reads it. `identity` is the canonical twin where the page has one.

    There are millions of them, and a named tuple is made four times as fast as a frozen dataclass.
    """

    domain: int
    identity: int
    url: str
    keyword: int
    frequency: int
    zone: Zone
    zones: Mapping[str, int] | None
    snippet: str
    anchor: str | None
    method: Method | None
    settled_at: datetime
    status: int | None
    link: LinkStatus | None
    kind: PageKind | None
    flags: int
    language: str | None
    title: str | None


def best_zone(zone: Zone, zones: Mapping[str, int] | None) -> Zone:
    """`zone` is the snippet's; `zones` has all of them where there are several."""
    if not zones:
        return zone
    return max((Zone(one) for one in zones), key=lambda one: ZONE_POINTS[one])


def outside_menus(mention: Mention) -> int:
    if not mention.zones:
        return 0 if mention.zone in MENUS else mention.frequency
    return sum(count for zone, count in mention.zones.items() if Zone(zone) not in MENUS)


@dataclass
class Gathered:
    """Fed with the mentions of one site in the order of their keywords; twins of a page count once."""

    best: Mention | None = None
    frequency: int = 0
    amount: int = 0
    most_on_a_page: int = 0
    rows: int = 0
    keywords: set[int] = field(default_factory=set)
    pages: set[int] = field(default_factory=set)
    _best_rank: float = -1
    _snippets: Counter[int] = field(default_factory=Counter)
    _keyword: int = -1
    _seen: set[int] = field(default_factory=set)

    def add(self, mention: Mention) -> None:
        self.rows += 1
        if mention.keyword != self._keyword:
            self._keyword = mention.keyword
            self._seen = set()
        if mention.identity in self._seen:
            return
        self._seen.add(mention.identity)
        self.frequency += mention.frequency
        self.pages.add(mention.identity)
        self._snippets[hash(mention.snippet)] += 1
        self.most_on_a_page = max(self.most_on_a_page, mention.frequency)
        if (counted := outside_menus(mention)) > 0:
            self.keywords.add(mention.keyword)
            self.amount += min(counted, COUNTED_A_PAGE)
        if (rank := _rank(mention)) > self._best_rank:
            self._best_rank, self.best = rank, mention

    def is_boilerplate(self, pages_read: int) -> bool:
        most = self._snippets.most_common(1)
        return bool(most) and most[0][1] >= max(BOILERPLATE_PAGES, BOILERPLATE_SHARE * pages_read)


def _rank(mention: Mention) -> float:
    """A sound page before a bad one, then the zone, then the kind of page; of equals the first."""
    fit = FIT_POINTS[mention.kind] / 100 if mention.kind else 0
    zone = best_zone(mention.zone, mention.zones)
    return (0 if mention.flags & BAD_FLAGS else 100) + ZONE_POINTS[zone] + fit


@dataclass(frozen=True)
class Asked:
    """What of the job matters for a score."""

    keywords: tuple[str, ...]
    has_client: bool
    languages: frozenset[str]


@dataclass(frozen=True)
class SiteLinks:
    """What all pages of a site, with or without mentions, say about the client."""

    link: LinkStatus | None = None
    contact_found: bool = False
    pages_read: int = 0


def findings(found: Gathered, site: SiteLinks, asked: Asked, metric: Metric | None) -> Findings:
    """Of a site with at least one mention."""
    best = found.best
    assert best
    link = site.link or best.link if asked.has_client else None
    return Findings(
        best=Best(
            keyword=asked.keywords[best.keyword],
            zone=best_zone(best.zone, best.zones),
            kind=best.kind,
            link=best.link,
            flags=PageFlag(best.flags),
            language=best.language,
        ),
        amount=found.amount,
        pages=len(found.pages),
        keywords=len(found.keywords),
        keywords_asked=len(asked.keywords),
        contact_found=site.contact_found,
        link=link,
        metric=metric,
        languages_wanted=asked.languages,
        is_boilerplate=found.is_boilerplate(site.pages_read),
        most_on_a_page=found.most_on_a_page,
    )
