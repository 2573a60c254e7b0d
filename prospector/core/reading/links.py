"""The links of a page: resolved as a browser resolves them, with their text, their rel and where they stand."""

import re
from typing import NamedTuple

import ada_url

from prospector.core.reading.marked import ANCHORS_AT_MOST, Anchor
from prospector.core.reading.visible import Visible
from prospector.core.reading.zones import Zone

WEB = ("http://", "https://")


class Link(NamedTuple):
    """`url` is absolute, as a browser would ask for it; `anchor` is the visible text, empty for an image.

    Not a dataclass: a page has hundreds, and a frozen one takes four times as long to make.
    """

    url: str
    anchor: str
    rel: frozenset[str]
    zone: Zone


NO_REL: frozenset[str] = frozenset()
# addresses that no rule of the URL standard changes but for where they are: most of all links, at a sixth of the time
REST = r"[A-Za-z0-9_~=&./-]*(?:\?[A-Za-z0-9_~=&./-]*)?(?:#[A-Za-z0-9_~=&./:-]*)?"
COMPLETE = re.compile(rf"https?://(?:(?!xn--)[a-z0-9-]+\.)+[a-z]{{2,}}/{REST}")
FROM_FOLDER = re.compile(f"[A-Za-z0-9_]{REST}")
FROM_ROOT = re.compile(f"/(?!/){REST}")
FRAGMENT = re.compile(r"#[A-Za-z0-9_~=&./:-]*")
PARENT = "../"
DOTS = "/."  # the beginning of a segment that may mean another folder


def absolute(href: str, base: str) -> str | None:
    """The http(s) address that `href` means on a page at `base`; None for any other scheme and for what is no address."""
    try:
        url = ada_url.join_url(base, href)
    except ValueError:
        return None
    return url if url.startswith(WEB) else None


class Resolver:
    """`absolute` for all links of a page."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.root = (absolute("/", base) or "").removesuffix("/")
        self.folder = absolute(".", base) or ""
        self.parent = absolute("..", base) or ""
        self.page = (absolute("#", base) or "").removesuffix("#")
        self.known: dict[str, str | None] = {}

    def absolute(self, href: str) -> str | None:
        if href not in self.known:
            self.known[href] = self._short_way(href) or absolute(href, self.base)
        return self.known[href]

    def _short_way(self, href: str) -> str | None:
        if not self.root or DOTS in href:
            return None
        if href.startswith("/"):
            return self.root + href if FROM_ROOT.fullmatch(href) else None
        if href.startswith("#"):
            return self.page + href if FRAGMENT.fullmatch(href) else None
        if href.startswith(WEB):
            return href if COMPLETE.fullmatch(href) else None
        if href.startswith(PARENT):
            return self.parent + href[len(PARENT) :] if FROM_FOLDER.fullmatch(href, len(PARENT)) else None
        return self.folder + href if FROM_FOLDER.fullmatch(href) else None


def resolve(anchors: list[Anchor], visible: Visible, base: str) -> tuple[Link, ...]:
    resolver = Resolver(base)
    links = []
    # where a limit has cut the text off, there are fewer of them in it
    for number, anchor in zip(range(len(visible.link_starts)), anchors[:ANCHORS_AT_MOST], strict=False):
        if anchor.href is not None and (url := resolver.absolute(anchor.href)):
            rel = frozenset(anchor.rel.lower().split()) if anchor.rel else NO_REL
            links.append(Link(url, visible.link_text(number), rel, visible.zone_at(visible.link_starts[number])))
    return tuple(links)
