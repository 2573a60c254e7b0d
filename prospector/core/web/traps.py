"""Signs that an address is made by a machine without end (a calendar, a loop of links, a filter times a filter), or that to ask
for it does something: such links stand on every page, and show that page again."""

import re
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from urllib.parse import unquote

from prospector.core.web.sites import site_of

LONGEST_ADDRESS = 1_000  # characters; of 28,044 links of real pages hardly any is longer
DEEPEST_PATH = 12  # segments
DEEPEST_HOST = 3  # labels below the site
SAME_SEGMENTS = 3
NUMBERS_IN_A_ROW = 4  # /2024/05/12 is a date, a fourth number is a counter
MOST_PARAMETERS = 5
FACETS = 2
NESTED = 2  # addresses within the query of an address


class Trap(StrEnum):
    LONG = "address too long"
    DEEP = "path too deep"
    REPEATED = "repeated path segments"
    GROWING = "address that grows from page to page"
    CALENDAR = "calendar"
    FACETS = "combination of filters"
    SUBDOMAINS = "endless subdomains"
    ACTION = "something to do, not to read"


CALENDAR_WORD = re.compile(
    r"(?<![a-z])(?:calendar|kalender|calendrier|calendario|agenda|events?|termine|veranstaltung(?:en)?|eventos|"
    r"schedule|booking|availability|timetable)(?![a-z])"
)
CALENDAR_NAME = re.compile(
    r"(?:^|[_\W])(?:date|day|week|month|year|yr|mon|datum|tag|monat|jahr|mois|annee|ical|outlook-ical|from|until)\d?(?:$|[_\W])"
)
CALENDAR_PAIR = frozenset({"month", "mon", "monat", "mois", "mes"}), frozenset({"year", "yr", "jahr", "annee", "ano"})
DATE = re.compile(
    r"(?<!\d)(?:19|20|21)\d\d(?:[-/_.]?(?:0?[1-9]|1[0-2])(?!\d))?|(?<!\d)(?:0?[1-9]|1[0-2])[-/](?:19|20|21)\d\d"
)
FACET_NAME = re.compile(
    r"^(?:sort|sort_?by|order|order_?by|dir|direction|filter|filters|facet|refine|colou?r|size|brand|material|price|"
    r"(?:min|max)_?price|price_?(?:min|max|from|to)|rating|view|mode|limit|per_?page|show|display|availability)"
    r"(?:_\w+)?(?:\[.*)?$|^(?:filter|facet|f|attr|refinement)[_\[.]"
)
# of shops, WordPress, wikis and forums
ACTION_NAME = re.compile(
    r"^(?:add[-_]to[-_](?:cart|basket|wishlist|compare)|(?:remove|undo)[-_]item|_wpnonce|veaction|oldid|diff)$"
)
ACTION = re.compile(
    r"(?:^|&)(?:(?:action|do|mode)=(?:edit|history|delete|logout|reply|quote|report|watch|unwatch|purge|raw|rollback|buy_now)"
    r"|share=(?:facebook|twitter|x|linkedin|pinterest|reddit|tumblr|pocket|telegram|(?:jetpack-)?whatsapp|email|print|skype"
    r"|mastodon|bluesky|threads))(?:&|$)"
)
ADDRESS_IN_QUERY = re.compile(r"[?&=](?:https?:)?/[^&]*?(?=[?&=](?:https?:)?/|$)")


def trap_of(url: str) -> Trap | None:
    """The first sign found in a canonical address; None for one that looks like a page somebody wrote."""
    if len(url) > LONGEST_ADDRESS:
        return Trap.LONG
    address, _, query = url.lower().partition("?")
    host, *segments = address.partition("//")[2].split("/")
    segments = [one for one in segments if one]
    if _is_below_too_far(host.partition(":")[0]):
        return Trap.SUBDOMAINS
    return _of_path(segments) or _of_query(segments, query) if segments or query else None


def _is_below_too_far(host: str) -> bool:
    labels = host.split(".")
    if len(labels) < DEEPEST_HOST + 2 or host[-1].isdigit():
        return False
    return len(labels) - site_of(host).count(".") - 1 > DEEPEST_HOST


def _of_path(segments: Sequence[str]) -> Trap | None:
    if len(segments) > DEEPEST_PATH:
        return Trap.DEEP
    if len(segments) < SAME_SEGMENTS:
        return None
    words = Counter(one for one in segments if not one.isdecimal())
    if max(words.values(), default=0) >= SAME_SEGMENTS or _has_cycle(segments):
        return Trap.REPEATED
    return Trap.GROWING if _has_counters(segments) else None


def _has_cycle(segments: Sequence[str]) -> bool:
    """Two or more segments that follow themselves at once: /shop/item/shop/item."""
    for length in range(2, len(segments) // 2 + 1):
        for at in range(len(segments) - 2 * length + 1):
            if segments[at : at + length] == segments[at + length : at + 2 * length]:
                return True
    return False


def _has_counters(segments: Sequence[str]) -> bool:
    run = 0
    for segment in segments:
        run = run + 1 if segment.isdecimal() else 0
        if run >= NUMBERS_IN_A_ROW:
            return True
    return False


def _of_query(segments: Sequence[str], query: str) -> Trap | None:
    path = "/".join(segments)
    names = [pair.partition("=")[0] for pair in query.split("&")] if query else []
    if _is_calendar(path, query, names):
        return Trap.CALENDAR
    if query and len(ADDRESS_IN_QUERY.findall(_unquoted(f"?{query}"))) >= NESTED:
        return Trap.GROWING
    if query and (ACTION.search(query) or any(map(ACTION_NAME.search, names))):
        return Trap.ACTION
    if len(names) > MOST_PARAMETERS or sum(1 for name in set(names) if FACET_NAME.search(name)) >= FACETS:
        return Trap.FACETS
    return None


def _is_calendar(path: str, query: str, names: Sequence[str]) -> bool:
    months, years = CALENDAR_PAIR
    if not months.isdisjoint(names) and not years.isdisjoint(names):
        return True
    if not CALENDAR_WORD.search(path) and not any(
        CALENDAR_WORD.search(name) or name.startswith("tribe") for name in names
    ):
        return False
    if any(CALENDAR_NAME.search(name) for name in names) and re.search(r"\d", query):
        return True
    # /calendar/2031/05 is made; /events/2024/05/summer-party was written
    return path.rpartition("/")[2].replace("-", "").isdecimal() and DATE.search(path) is not None


def _unquoted(query: str) -> str:
    for _ in range(NESTED + 1):
        query = unquote(query)
    return query
