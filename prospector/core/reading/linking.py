"""What a page's links say: about the client and the competitors, where the contact page is, what kind of page this is."""

import re
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from prospector.core.reading.links import Link
from prospector.core.reading.traits import LinkStatus, PageKind

KEPT_LINKS = 20  # to the client and to competitors, of one page
ANCHOR_CHARACTERS = 200
CLIENT = "client"  # whose a kept link is
NOFOLLOW = frozenset([LinkStatus.NOFOLLOW.value])

_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_CONTACT = re.compile(
    r"contact|kontakt|contatti|contacto|contato|impressum|imprint|ueber-uns|uber-uns|write-for-us|advertise|"
    r"a-propos|chi-siamo|お問い合わせ|контакт|επικοινωνία|iletisim|(?:^|/)(?:about|sobre)(?:[ _-]?(?:us|me|nosotros|nos))?(?:$|[/.])",
    re.IGNORECASE,
)
_KINDS = (
    (PageKind.CONTACT, re.compile(r"/(?:contact|kontakt|contatti|contacto|contato|iletisim)\b", re.IGNORECASE)),
    (PageKind.LEGAL, re.compile(r"/(?:privacy|terms|legal|impressum|imprint|agb|datenschutz|cookies?)\b", re.IGNORECASE)),
    (PageKind.FORUM, re.compile(r"/(?:forum|forums|thread|topic|community|questions?)\b", re.IGNORECASE)),
    (PageKind.LISTING, re.compile(r"/(?:category|tag|tags|archive|author|page|topics?|kategorie)\b", re.IGNORECASE)),
    (PageKind.PRODUCT, re.compile(r"/(?:products?|shop|item|cart|produkt|produkte|artikel)\b", re.IGNORECASE)),
    (PageKind.RESOURCE, re.compile(r"/(?:resources?|links|tools|directory|partners?|guides?)\b", re.IGNORECASE)),
    (PageKind.ARTICLE, re.compile(r"/(?:blog|news|post|posts|article|articles|magazine|\d{4}/\d{2})\b", re.IGNORECASE)),
)  # fmt: skip


@dataclass(frozen=True)
class Linking:
    """`kept`: the links to the client and to competitors, small: url, anchor, rel, zone, whose."""

    status: LinkStatus
    to_competitor: bool
    contact_found: bool
    kept: Sequence[Mapping[str, object]]


def linking(
    links: Iterable[Link],
    clients: Collection[str],
    competitors: Collection[str],
    *,
    domain: str,
    robots: Collection[str] = (),
) -> Linking:
    """Without a client the status is UNLINKED and says nothing. `domain` is the page's own; `robots` are the page's words to
    robots, of which nofollow is about all its links."""
    status = LinkStatus.UNLINKED
    to_competitor = contact_found = False
    kept: list[dict[str, object]] = []
    of_all = NOFOLLOW.intersection(robots)
    for link in links:
        rel = link.rel | of_all
        contact_found = contact_found or _is_contact(link, domain)
        host = _host(meant(link.url))
        ours, theirs = _covers(clients, host), _covers(competitors, host)
        if ours:
            status = _stronger(status, _status(rel))
        to_competitor = to_competitor or theirs
        if (ours or theirs) and len(kept) < KEPT_LINKS:
            kept.append(_small(link, rel, CLIENT if ours else "competitor"))
    return Linking(status, to_competitor, contact_found, kept)


def _is_contact(link: Link, domain: str) -> bool:
    """Of this domain: many a page links to the help pages of networks and tools."""
    if not _covers((domain,), _host(link.url)):
        return False
    return _CONTACT.search(urlsplit(link.url).path) is not None or _CONTACT.search(link.anchor) is not None


def kind_of(url: str, *, homepage: bool) -> PageKind:
    if homepage:
        return PageKind.HOME
    path = urlsplit(url).path
    return next((kind for kind, pattern in _KINDS if pattern.search(path)), PageKind.OTHER)


def _small(link: Link, rel: Iterable[str], whose: str) -> dict[str, object]:
    return {
        "url": link.url,
        "anchor": link.anchor[:ANCHOR_CHARACTERS],
        "rel": sorted(rel),
        "zone": link.zone.value,
        "whose": whose,
    }


def without_dead(kept: Sequence[Mapping[str, Any]], dead: Container[str]) -> LinkStatus | None:
    """The status of a page that links to the client, from the links that are kept of it, now that some addresses are known
    to be dead. None where not all that it has may have been kept: one that is not here may live."""
    if len(kept) >= KEPT_LINKS:
        return None
    living = [_status(one["rel"]) for one in kept if one["whose"] == CLIENT and one["url"] not in dead]
    return reduce(_stronger, living) if living else LinkStatus.DEAD


def _status(rels: Container[str]) -> LinkStatus:
    for rel in (LinkStatus.SPONSORED, LinkStatus.UGC, LinkStatus.NOFOLLOW):
        if rel in rels:
            return rel
    return LinkStatus.FOLLOW


# of several links the one that counts most
_STRENGTH = (LinkStatus.UNLINKED, LinkStatus.SPONSORED, LinkStatus.UGC, LinkStatus.NOFOLLOW, LinkStatus.FOLLOW)


def _stronger(one: LinkStatus, other: LinkStatus) -> LinkStatus:
    return max(one, other, key=_STRENGTH.index)


def meant(url: str) -> str:
    """Where a redirector leads that carries the address in its query."""
    query = urlsplit(url).query
    if not query or not _ADDRESS.search(unquote(query)):
        return url
    return next((value for _, value in parse_qsl(query) if _ADDRESS.match(value)), url)


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def _covers(domains: Collection[str], host: str) -> bool:
    return any(host == domain or host.endswith(f".{domain}") for domain in domains)
