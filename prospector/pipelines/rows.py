"""A page's item as the row that is kept of it."""

from collections.abc import Mapping

from prospector.core.reading.signs import Sign
from prospector.core.reading.traits import LinkStatus, PageFlag
from prospector.core.reading.zones import Zone
from prospector.core.results.link_farm import is_link_farm
from prospector.core.visits.outcomes import PageOutcome
from prospector.core.visits.ticket import COUNTED, Found
from prospector.core.visits.visit import HOPS
from prospector.core.web.urls import UrlInvalid, fingerprint
from prospector.core.words.keywords import Keyword
from prospector.core.words.match import Mention
from prospector.frontier import codec
from prospector.items import PageItem
from prospector.store.pages import MentionRow, PageRow

TITLE_CHARACTERS = 300
# the best zone is the one that ranks highest, wherever most of the mentions are
BEST_FIRST = (
    Zone.TITLE, Zone.H1, Zone.HEADING, Zone.MAIN, Zone.LIST, Zone.TABLE, Zone.COMMENT, Zone.OTHER, Zone.ASIDE, Zone.HEADER,
    Zone.NAV, Zone.FOOTER,
)  # fmt: skip


def page_row(item: PageItem, new: list[Found], numbers: Mapping[Keyword, int]) -> PageRow:
    """`new`: the pages that this one was the first to name."""
    ticket, page, end = item.ticket, item.page, item.conclusion
    assert end.outcome
    linking = item.linking
    return PageRow(
        page=fingerprint(ticket.url),
        domain=ticket.number,
        url=item.url,
        outcome=end.outcome,
        settled_at=item.at,
        generation=ticket.generation,
        method=ticket.state.method,
        status=item.status,
        attempts=ticket.state.attempt + 1,
        depth=int(ticket.state.extra.get(HOPS, 0)),
        flags=_flags(item),
        detail=end.detail,
        kind=item.kind,
        link=_link(item),
        canonical=_fingerprint(page.canonical) if page and page.canonical else None,
        title=page.title[:TITLE_CHARACTERS] if page else None,
        language=page.language or None if page else None,
        links=linking.kept or None if linking else None,
        spellings=item.spellings or None,
        found=[codec.address(one) for one in new] or None,
        mentions=[_mention(one, numbers) for one in item.mentions],
    )


def _mention(mention: Mention, numbers: Mapping[Keyword, int]) -> MentionRow:
    zones = dict(mention.zones)
    return MentionRow(
        keyword=numbers[mention.keyword],
        frequency=mention.frequency,
        zone=min(zones, key=BEST_FIRST.index),
        snippet=str(mention.snippet),
        zones=zones if len(zones) > 1 else None,
        anchor=mention.anchor or None,
    )


def _flags(item: PageItem) -> PageFlag:
    aside = item.conclusion.outcome in {PageOutcome.REDIRECTED, PageOutcome.SKIPPED}
    flags = PageFlag.COUNTED if aside and item.conclusion.verdict in COUNTED else PageFlag(0)
    page, linking = item.page, item.linking
    if page is None:
        return flags
    for sign, flag in (
        (Sign.PARKED, PageFlag.PARKED),
        (Sign.SOFT_404, PageFlag.SOFT_404),
        (Sign.NEEDS_BROWSER, PageFlag.NEEDS_BROWSER),
    ):
        if sign in page.signs:
            flags |= flag
    if "noindex" in page.robots:
        flags |= PageFlag.NOINDEX
    if item.mentions and is_link_farm(page):  # of other pages nobody asks
        flags |= PageFlag.LINK_FARM
    if item.bad_certificate:
        flags |= PageFlag.BAD_CERTIFICATE
    if page.truncated:
        flags |= PageFlag.TRUNCATED
    if linking and linking.contact_found:
        flags |= PageFlag.CONTACT_FOUND
    if linking and linking.to_competitor:
        flags |= PageFlag.LINKS_TO_COMPETITOR
    return flags


def _link(item: PageItem) -> LinkStatus | None:
    if item.page is None or item.linking is None:
        return None
    unlinked = item.linking.status is LinkStatus.UNLINKED
    return LinkStatus.UNKNOWN if unlinked and Sign.NEEDS_BROWSER in item.page.signs else item.linking.status


def _fingerprint(url: str) -> int | None:
    try:
        return fingerprint(url)
    except UrlInvalid:
        return None
