"""A page as it was read: one parse of its bytes, and everything that is later asked of it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from prospector.core.reading import lexbor_tree
from prospector.core.reading.encodings import decode
from prospector.core.reading.folding import Folded, collapse, fold, unify
from prospector.core.reading.guard import is_hostile
from prospector.core.reading.links import Link, absolute, resolve
from prospector.core.reading.marked import ANCHORS_AT_MOST, Marked, without_marks
from prospector.core.reading.scan import scan
from prospector.core.reading.signs import LONGEST_CHARACTERS, NONE, Looks, Sign, signs
from prospector.core.reading.visible import BREAK, Visible, linearise
from prospector.core.reading.zones import Zone

BODY_BYTES_AT_MOST = 3_000_000
ROBOTS = ("robots", "backlinkprospector")
WITH_VALUE = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")
REFRESH = re.compile(
    r"""\s*(\d*)(?:\.[\d.]*)?\s*(?:[;,\s]\s*(?:url\s*=\s*)?(?:"([^"]*).*|'([^']*).*|(.*)))?$""",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class Refresh:
    """A `<meta http-equiv=refresh>`: where to, and after how long."""

    seconds: int
    url: str


@dataclass(frozen=True)
class Page:
    """`text` is the title, a hard break, and the visible text of the body; a line feed in it is a hard break.

    `truncated` says that a limit of ours was hit, so that something may be missing.
    """

    url: str
    source: bytes = field(repr=False)  # in UTF-8
    charset: str
    title: str
    language: str
    canonical: str | None
    refresh: Refresh | None
    robots: frozenset[str]
    visible: Visible = field(repr=False)
    links: tuple[Link, ...] = field(repr=False)
    signs: frozenset[Sign]
    truncated: bool

    @property
    def text(self) -> str:
        return self.visible.text

    @cached_property
    def text_length(self) -> int:
        """Characters of visible text, without the title and without breaks."""
        return len(_body_text(self.visible))

    @cached_property
    def folded(self) -> Folded:
        return fold(self.text)

    @cached_property
    def unified(self) -> Folded:
        """The text as case-sensitive keywords meet it."""
        return unify(self.text)


def read(body: bytes, url: str, content_type: str = "", robots_tags: Iterable[str] = ()) -> Page:
    """`url` is the final address; `content_type` and `robots_tags` (X-Robots-Tag) are the values of HTTP headers. Never raises,
    whatever the bytes are."""
    decoded = decode(body[:BODY_BYTES_AT_MOST], content_type)
    source = without_marks(decoded.utf8)
    marked = scan(source) if is_hostile(source) else lexbor_tree.parse(source)
    head = marked.head
    visible = linearise(head.title, marked.text)
    base = (absolute(head.base, url) if head.base else None) or url
    return Page(
        url=url,
        source=source,
        charset=decoded.charset,
        title=visible.text.partition(BREAK)[0],
        language=head.language.strip().lower(),
        canonical=absolute(head.canonical.strip(), base) if head.canonical.strip() else None,
        refresh=_refresh(head.metas.get("refresh", [""])[0], base),
        robots=_robots([*(said for name in ROBOTS for said in head.metas.get(name, ())), *map(_to_us, robots_tags)]),
        visible=visible,
        links=resolve(marked.anchors, visible, base),
        signs=_signs(marked, visible, source),
        truncated=(
            marked.truncated
            or visible.truncated
            or len(body) > BODY_BYTES_AT_MOST
            or len(marked.anchors) > ANCHORS_AT_MOST
        ),
    )


def _robots(contents: list[str]) -> frozenset[str]:
    directives = {one.strip().lower() for content in contents for one in content.split(",")}
    if "none" in directives:
        directives |= {"noindex", "nofollow"}
    return frozenset(directives - {""})


def _to_us(robots_tag: str) -> str:
    """What of it is about us: it may begin with another robot's name and a colon."""
    name, colon, said = robots_tag.partition(":")
    name = name.strip().lower()
    if not colon or "," in name or name in WITH_VALUE:
        return robots_tag
    return said if name in ROBOTS else ""


def _refresh(content: str, base: str) -> Refresh | None:
    found = REFRESH.match(content)
    if not found or not (found[1] or content.lstrip().startswith(".")):
        return None
    target = next((one for one in found.groups()[1:] if one), "").strip()
    url = absolute(target, base)
    return Refresh(int(found[1][:9] or 0), url) if url else None


def _body_text(visible: Visible) -> str:
    return collapse(visible.text.partition(BREAK)[2])


def _signs(marked: Marked, visible: Visible, source: bytes) -> frozenset[Sign]:
    title, _, text = visible.text.partition(BREAK)
    # a page this long shows none of the signs: a break and the spaces around it become one character
    if not marked.head.has_empty_root and len(text) - 3 * text.count(BREAK) > LONGEST_CHARACTERS:
        return NONE
    return signs(
        Looks(
            source=source,
            title=title,
            text=_body_text(visible),
            heading=_first_heading(visible),
            has_script=marked.head.has_script,
            has_empty_root=marked.head.has_empty_root,
        )
    )


def _first_heading(visible: Visible) -> str:
    if Zone.H1 not in visible.zones:
        return ""
    place = visible.zones.index(Zone.H1)
    return visible.text[visible.zone_starts[place] : visible.zone_starts[place + 1]].strip()
