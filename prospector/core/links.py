"""The links of a page: resolved as a browser resolves them, with their text, their rel and where they stand."""

from dataclasses import dataclass

import ada_url

from prospector.core.marked import ANCHORS_AT_MOST, Anchor
from prospector.core.markup import Zone
from prospector.core.visible import BREAK, Visible

WEB = ("http://", "https://")
NOT_FOLLOWED = frozenset(["nofollow", "ugc", "sponsored"])


@dataclass(frozen=True, slots=True)
class Link:
    """`url` is absolute, as a browser would ask for it; `anchor` is the visible text, empty for an image."""

    url: str
    anchor: str
    rel: frozenset[str]
    zone: Zone

    @property
    def is_followed(self) -> bool:
        return not self.rel & NOT_FOLLOWED


NO_REL: frozenset[str] = frozenset()


def absolute(href: str, base: str) -> str | None:
    """The http(s) address that `href` means on a page at `base`; None for any other scheme and for what is no address."""
    try:
        url = ada_url.join_url(base, href)
    except ValueError:
        return None
    return url if url.startswith(WEB) else None


def resolve(anchors: list[Anchor], visible: Visible, base: str) -> tuple[Link, ...]:
    urls: dict[str, str | None] = {}
    links = []
    text = visible.text
    for anchor, (start, end) in zip(anchors[:ANCHORS_AT_MOST], visible.links, strict=False):
        href = anchor.href
        if href is None:
            continue
        if href not in urls:
            urls[href] = absolute(href, base)
        url = urls[href]
        if url is not None:
            words = text[start:end].replace(BREAK, " ").strip(" ")
            rel = frozenset(anchor.rel.lower().split()) if anchor.rel else NO_REL
            links.append(Link(url, words, rel, visible.zone_at(start)))
    return tuple(links)
