"""What a site is worth to who asked: a score from 0 to 100 whose every point can be explained, and one verdict.

Seven criteria have a weight, a hundred together. What is not known of a site leaves the sum, which is then scaled to a
hundred; what speaks against it is taken off in the end.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from prospector.core.reading.languages import code
from prospector.core.reading.link_words import LINKING, link_words
from prospector.core.reading.traits import LinkStatus, PageFlag, PageKind
from prospector.core.reading.zones import Zone

QUALIFIED_FROM = 60
REVIEW_FROM = 35

ZONE_POINTS = {
    Zone.TITLE: 30,
    Zone.H1: 30,
    Zone.HEADING: 24,
    Zone.MAIN: 20,
    Zone.LIST: 14,
    Zone.TABLE: 14,
    Zone.COMMENT: 8,
    Zone.OTHER: 8,
    Zone.NAV: 0,
    Zone.HEADER: 0,
    Zone.FOOTER: 0,
    Zone.ASIDE: 0,
}
MENUS = frozenset(zone for zone, points in ZONE_POINTS.items() if points == 0)
MAIN_ZONES = frozenset([Zone.TITLE, Zone.H1, Zone.HEADING, Zone.MAIN, Zone.LIST, Zone.TABLE])
ZONE_WORDS = {
    Zone.TITLE: "in the title",
    Zone.H1: "in the main heading",
    Zone.HEADING: "in a heading",
    Zone.MAIN: "in the main text",
    Zone.LIST: "in a list",
    Zone.TABLE: "in a table",
    Zone.COMMENT: "in comments only",
    Zone.OTHER: "beside the main text only",
}

AMOUNT_POINTS = 10
AMOUNT_ENOUGH = 12  # mentions, outside of menus
COUNTED_A_PAGE = 3  # of one keyword: the fourth mention on a page says nothing new
STUFFED_FROM = 50  # mentions of one keyword on one page are said, because they mean a list or a trick

KEYWORD_POINTS = 15
KEYWORDS_ENOUGH = 4

LINK_POINTS = {LinkStatus.UNLINKED: 20, LinkStatus.DEAD: 20}
LINK_MOST = 20

FIT_MOST = 10
FIT_POINTS = {
    PageKind.ARTICLE: 10,
    PageKind.RESOURCE: 10,
    PageKind.LISTING: 8,
    PageKind.HOME: 5,
    PageKind.OTHER: 5,
    PageKind.PRODUCT: 4,
    PageKind.FORUM: 4,
    PageKind.CONTACT: 1,
    PageKind.LEGAL: 0,
}
KIND_WORDS = {
    PageKind.ARTICLE: "an article",
    PageKind.RESOURCE: "a resource page",
    PageKind.LISTING: "a listing",
    PageKind.HOME: "the homepage",
    PageKind.PRODUCT: "a product page",
    PageKind.FORUM: "a forum page",
    PageKind.CONTACT: "a contact page",
    PageKind.LEGAL: "a legal page",
}

CONTACT_POINTS = 5
METRIC_POINTS = 10

NO_FLAGS = PageFlag(0)
BAD_FLAGS = PageFlag.PARKED | PageFlag.SOFT_404 | PageFlag.LINK_FARM


class Verdict(StrEnum):
    """In the order in which a user wants to see them."""

    QUALIFIED = "qualified"
    REVIEW = "review"
    REJECTED = "rejected"
    MENUS_ONLY = "menus only"
    LINKING = "already linking"
    NO_MENTION = "without mention"
    FAILED = "failed"
    WAITING = "waiting"


@dataclass(frozen=True)
class Best:
    """The mention that speaks best for a site, and the page it is on."""

    keyword: str
    zone: Zone
    kind: PageKind | None = None
    link: LinkStatus | None = None
    flags: PageFlag = NO_FLAGS
    language: str | None = None


@dataclass(frozen=True)
class Metric:
    """The user's own column: `share` of the list's other sites that have less."""

    name: str
    value: str
    share: float


@dataclass(frozen=True)
class Findings:
    """All that the score of one site is made of.

    `amount` counts mentions outside of menus, at most COUNTED_A_PAGE a keyword and page. `link` is the site's: that of any of
    its pages which links, else that of the best mention's page; None where no client domain was given.
    """

    best: Best
    amount: int
    pages: int
    keywords: int
    keywords_asked: int
    contact_found: bool
    link: LinkStatus | None = None
    metric: Metric | None = None
    languages_wanted: frozenset[str] = frozenset()
    is_boilerplate: bool = False
    most_on_a_page: int = 0


@dataclass(frozen=True)
class Part:
    """One criterion: `earned` of `weight`, and the words for it."""

    earned: float
    weight: int
    words: str


@dataclass(frozen=True)
class Minus:
    points: int
    words: str


@dataclass(frozen=True)
class Scored:
    """`reason` is why a site is not qualified; empty where it is."""

    score: int
    verdict: Verdict
    reason: str
    why: str


def score(site: Findings) -> Scored:
    parts = list(_parts(site))
    minuses = sorted(_minuses(site), key=lambda one: -one.points)
    earned, possible = sum(part.earned for part in parts), sum(part.weight for part in parts)
    points = int(100 * earned / possible + 0.5) - sum(one.points for one in minuses)
    points = min(max(points, 0), 100)
    verdict, reason = _verdict(site, points, minuses)
    return Scored(points, verdict, reason, _why(site, parts, minuses))


def _parts(site: Findings) -> Iterator[Part]:
    """Those criteria that are known."""
    yield Part(ZONE_POINTS[site.best.zone], 30, _place(site))
    share = min(site.amount, AMOUNT_ENOUGH) / AMOUNT_ENOUGH
    yield Part(AMOUNT_POINTS * share, AMOUNT_POINTS, f"{_count(site.pages, 'page')} with mentions")
    if site.keywords_asked > 1:
        share = site.keywords / min(site.keywords_asked, KEYWORDS_ENOUGH)
        words = f"{site.keywords} different keywords" if site.keywords > 1 else ""
        yield Part(KEYWORD_POINTS * min(share, 1), KEYWORD_POINTS, words)
    if site.link is not None and site.link is not LinkStatus.UNKNOWN:
        yield Part(LINK_POINTS.get(site.link, 0), LINK_MOST, link_words(site.link))
    if site.best.kind is not None:
        yield Part(FIT_POINTS[site.best.kind], FIT_MOST, "")
    yield Part(CONTACT_POINTS * site.contact_found, CONTACT_POINTS, "contact page found" if site.contact_found else "")
    if site.metric is not None:
        yield Part(METRIC_POINTS * site.metric.share, METRIC_POINTS, _standing(site.metric))


def _standing(metric: Metric) -> str:
    """The rounded share, but all and none only where that is so."""
    named = f"{metric.name} {metric.value}"
    if metric.share == 1:
        return f"{named}, the highest of your list"
    if metric.share == 0:
        return f"{named}, the lowest of your list"
    return f"{named}, higher than {min(max(round(100 * metric.share), 1), 99)}% of your list"


def _place(site: Findings) -> str:
    where = ZONE_WORDS.get(site.best.zone, "in menus and footers only")
    kind = f" of {KIND_WORDS[site.best.kind]}" if site.best.kind in KIND_WORDS and site.best.zone in MAIN_ZONES else ""
    return f'"{site.best.keyword}" {where}{kind}'


def _minuses(site: Findings) -> Iterator[Minus]:
    flags, language = site.best.flags, site.best.language
    if PageFlag.PARKED in flags:
        yield Minus(70, "the page is parked or for sale")
    if PageFlag.SOFT_404 in flags:
        yield Minus(70, "the page is an error page in disguise")
    if PageFlag.LINK_FARM in flags:
        yield Minus(70, "the page looks like a link farm")
    spoken = code(language or "")
    if site.languages_wanted and spoken and spoken not in site.languages_wanted:
        yield Minus(45, f"the page is in another language ({language})")
    if site.is_boilerplate:
        yield Minus(30, "the same words stand on most pages of the site (boilerplate)")
    if PageFlag.NOINDEX in flags:
        yield Minus(15, "the page asks search engines not to list it (noindex)")


def _verdict(site: Findings, points: int, minuses: list[Minus]) -> tuple[Verdict, str]:
    if site.link in LINKING:
        assert site.link
        return Verdict.LINKING, link_words(site.link)
    if site.best.zone in MENUS:
        return Verdict.MENUS_ONLY, "in menus and footers only"
    if points < REVIEW_FROM:
        reason = minuses[0].words if minuses else f"score {points} is under {REVIEW_FROM}: {_weakness(site)}"
        return Verdict.REJECTED, reason
    doubt = _doubt(site, points, minuses)
    return (Verdict.REVIEW, doubt) if doubt else (Verdict.QUALIFIED, "")


def _doubt(site: Findings, points: int, minuses: list[Minus]) -> str:
    """Why somebody has to look before this is called qualified."""
    if site.best.zone not in MAIN_ZONES:
        return ZONE_WORDS[site.best.zone]
    if site.link is LinkStatus.UNKNOWN:
        return link_words(LinkStatus.UNKNOWN)
    if points < QUALIFIED_FROM:
        return minuses[0].words if minuses else f"score {points} is under {QUALIFIED_FROM}: {_weakness(site)}"
    return ""


def _weakness(site: Findings) -> str:
    """The criterion that lost the most points, in words."""
    lost = {
        ZONE_WORDS.get(site.best.zone, "in menus only"): 30 - ZONE_POINTS[site.best.zone],
        "few mentions": AMOUNT_POINTS * (1 - min(site.amount, AMOUNT_ENOUGH) / AMOUNT_ENOUGH),
    }
    if site.keywords_asked > 1:
        enough = min(site.keywords_asked, KEYWORDS_ENOUGH)
        lost[f"{_count(site.keywords, 'keyword')} of {site.keywords_asked}"] = KEYWORD_POINTS * (
            1 - site.keywords / enough
        )
    if site.best.kind is not None:
        lost[f"on {KIND_WORDS.get(site.best.kind, 'a page of another kind')}"] = FIT_MOST - FIT_POINTS[site.best.kind]
    if site.metric is not None:
        lost[f"low {site.metric.name}"] = METRIC_POINTS * (1 - site.metric.share)
    return max(lost, key=lambda words: lost[words])


def _why(site: Findings, parts: list[Part], minuses: list[Minus]) -> str:
    said = [part.words for part in parts if part.words]
    if site.link is LinkStatus.UNKNOWN:
        said.append(link_words(site.link))
    if site.most_on_a_page >= STUFFED_FROM:
        said.append(f"one keyword {site.most_on_a_page:,} times on one page (counted as {COUNTED_A_PAGE})")
    said += [f"minus {one.points}: {one.words}" for one in minuses]
    words = "; ".join(said)
    return f"{words}."


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
