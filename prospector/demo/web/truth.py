"""What a crawl of the plan must find, by construction: summed up from what was placed, never by looking for it."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum, auto
from urllib.parse import quote, unquote, urlsplit

from prospector.demo.web.plan import Plan
from prospector.demo.web.site import CLIENT, Backlink, Ending, Page, Reach, Schemes, Site, Zone

SITE_THRESHOLD = 500
TOP_PAGES = 50  # with the homepage one more
MAX_PAGES = 10_000
UNQUOTED = "/~!$&'()*+,;=:@"  # what need not be escaped in a path (RFC 3986)


class Mode(StrEnum):
    HYBRID = auto()
    FREE_ONLY = "free-only"


EXPECTED = {
    Mode.HYBRID: frozenset({Reach.DIRECT, Reach.RENDERED, Reach.PAID}),
    Mode.FREE_ONLY: frozenset({Reach.DIRECT}),
}
TRUE = frozenset({Reach.DIRECT, Reach.RENDERED, Reach.PAID, Reach.BEYOND})


@dataclass(frozen=True)
class Mention:
    domain: str
    url: str
    keyword: str
    count: int
    zones: tuple[tuple[Zone, int], ...]
    reach: Reach


@dataclass(frozen=True)
class Limits:
    """A crawl's own limits: they decide which pages are expected."""

    site_threshold: int = SITE_THRESHOLD
    top_pages: int = TOP_PAGES
    max_pages: int = MAX_PAGES
    mode: Mode = Mode.HYBRID


@dataclass(frozen=True)
class LinkStatus:
    domain: str
    url: str
    backlink: Backlink

    @property
    def status(self) -> str:
        """What a crawl says of a page that has this link to the client and no other."""
        if self.backlink.dead:
            return "dead"
        rels = self.backlink.rel.split()
        return next((one for one in ("sponsored", "ugc", "nofollow") if one in rels), "follow")


def mentions(plan: Plan) -> Iterator[Mention]:
    """Every mention that stands on a planned page, whether or not a crawl may or can read it."""
    for site in plan.sites:
        for page in site.pages.values():
            yield from _on(page, site)


def expected(plan: Plan, limits: Limits) -> Iterator[Mention]:
    """What a complete crawl reports."""
    for site in plan.sites:
        for page in _expected_pages(site, limits):
            yield from _on(page, site)


def _expected_pages(site: Site, limits: Limits) -> list[Page]:
    """Of a domain with more pages than the limits allow it is open which are read: only its homepage is expected."""
    wanted = EXPECTED[limits.mode]
    above = len(site.pages) > limits.site_threshold
    if site.large and not above:
        wanted |= {Reach.BEYOND}
    most = min(limits.max_pages, limits.top_pages + 1) if above else limits.max_pages
    pages = [page for page in site.pages.values() if page.reach in wanted]
    in_domain = Counter(page.domain for page in pages)
    return [page for page in pages if in_domain[page.domain] <= most or page.key == f"{page.domain}/"]


def links(plan: Plan) -> Iterator[LinkStatus]:
    for site in plan.sites:
        for page in site.pages.values():
            for backlink in page.backlinks:
                yield LinkStatus(page.domain, address(page, site), backlink)


def expected_links(plan: Plan, limits: Limits) -> Iterator[LinkStatus]:
    """Those to the client on the pages that a complete crawl reads."""
    for site in plan.sites:
        for page in _expected_pages(site, limits):
            for backlink in page.backlinks:
                if backlink.target == CLIENT:
                    yield LinkStatus(page.domain, address(page, site), backlink)


def address(page: Page, site: Site) -> str:
    scheme = "http" if site.schemes is Schemes.HTTP else "https"
    return f"{scheme}://{page.host}{page.target}"


def canonical(url: str, ignored_query: str = "") -> str:
    """One spelling for scheme and www twins; without the parameter that a site adds for its sessions."""
    parts = urlsplit(url)
    host = (parts.hostname or "").removeprefix("www.")
    path = quote(unquote(parts.path or "/"), safe=UNQUOTED)
    query = "&".join(one for one in parts.query.split("&") if one and one.partition("=")[0] != ignored_query)
    return f"{host}{path}{'?' if query else ''}{query}"


def endings(plan: Plan, mode: Mode) -> dict[str, Ending]:
    return {domain.name: (domain.hybrid if mode is Mode.HYBRID else domain.free).ending for domain in plan.domains}


def counts(page: Page) -> Counter[str]:
    total: Counter[str] = Counter()
    for placement in page.placements:
        total.update(placement.phrase.counts)
    return total


def _on(page: Page, site: Site) -> Iterable[Mention]:
    for keyword, count in counts(page).items():
        zones: Counter[Zone] = Counter()
        for placement in page.placements:
            if keyword in placement.phrase.counts:
                zones[placement.zone] += placement.phrase.counts[keyword]
        yield Mention(page.domain, address(page, site), keyword, count, tuple(sorted(zones.items())), page.reach)
