"""What a parser hands on: a document as text with marks in it, and what its head says."""

import re
from dataclasses import dataclass, field

from ahocorasick_rs import BytesAhoCorasick, MatchKind

from prospector.core.reading.markup import CHARACTERS

# what our marks are made of as numbers, which a parser would turn into characters
REFERENCE = re.compile(rb"&#(?:[xX]0*[1-4](?![0-9a-fA-F])|0*[1-4](?![0-9]))")
# such references are in few documents, and this says so four times as fast
REFERENCE_STARTS = BytesAhoCorasick(
    [f"&#{radix}{digit}".encode() for radix in ("", "x", "X") for digit in range(5)],
    matchkind=MatchKind.LeftmostFirst,
)
ANCHORS_AT_MOST = 10_000  # links of a page; a parser hands on one more, to say that there are more


@dataclass(slots=True)
class Anchor:
    """A link as it is written; without an address it is none."""

    href: str | None
    rel: str = ""


@dataclass(slots=True)
class Head:
    """What stands beside the text: `metas` by name or http-equiv, in lower case."""

    title: str = ""
    base: str = ""
    canonical: str = ""
    language: str = ""
    metas: dict[str, list[str]] = field(default_factory=dict)
    has_script: bool = False
    has_empty_root: bool = False

    def add_meta(self, attributes: dict[str, str | None]) -> None:
        name = attributes.get("name") or attributes.get("http-equiv")
        if name:
            self.metas.setdefault(name.strip().lower(), []).append(attributes.get("content") or "")

    def add_link(self, attributes: dict[str, str | None]) -> None:
        if not self.canonical and "canonical" in (attributes.get("rel") or "").lower().split():
            self.canonical = attributes.get("href") or ""


@dataclass(frozen=True, slots=True)
class Marked:
    """`text` holds a LINK_START for each of `anchors`, in order, and for those that are too many."""

    text: str
    anchors: list[Anchor]
    head: Head
    truncated: bool = False


def up_to_tag(utf8: bytes, tags_at_most: int) -> bytes:
    """The beginning of a document that has too many tags."""
    if len(utf8) <= tags_at_most or utf8.count(b"<") <= tags_at_most:
        return utf8
    return utf8[: -len(utf8.split(b"<", tags_at_most)[-1]) - 1]


def without_marks(utf8: bytes) -> bytes:
    """The same document without the characters that our marks are made of."""
    if REFERENCE_STARTS.find_matches_as_indexes(utf8):
        utf8 = REFERENCE.sub(b"&#xFFFD;", utf8)
    for one in CHARACTERS:
        utf8 = utf8.replace(one.encode(), b"\xef\xbf\xbd")
    return utf8
