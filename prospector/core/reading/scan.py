"""The second parser, for hostile pages: no tree, one pass over the tags as they are written.

It gives the text of lexbor on ordinary pages and is linear on every page. (libxml2, measured for this place, leaves out
what is nested deeper than 2,048 elements and takes 8 s for 100,000 attributes.)
"""

import re
from html import unescape

from prospector.core.reading.hidden import is_hidden
from prospector.core.reading.marked import ANCHORS_AT_MOST, Anchor, Head, Marked, up_to_tag
from prospector.core.reading.markup import BLOCKS, LINK_START, MARKS, SOFT, UNSEEN_END, UNSEEN_START, gone, names

TAGS_AT_MOST = 410_000

# every part ends at the end of the document at the latest, so that nothing is looked at twice
COMMENT = re.compile(r"<!--(?:-?>|.*?(?:--!?>|\Z))|<(?:[!?]|/(?![a-z]))[^>]*+(?:>|\Z)", re.DOTALL | re.IGNORECASE)
RAW = re.compile(
    r"<(script|style|noscript|iframe|noembed|noframes|textarea|template)(?=[\s/>])[^>]*+>.*?(?:</\1(?=[\s/>])[^>]*+>?|\Z)",
    re.DOTALL | re.IGNORECASE,
)
BODY = re.compile(r"<(?:body|svg)(?=[\s/>])", re.IGNORECASE)  # an icon has a title too
TITLE = re.compile(r"<title(?=[\s/>])[^>]*+>(.*?)(?:</title(?=[\s/>])[^>]*+>?|\Z)", re.DOTALL | re.IGNORECASE)
TWINS = re.compile(r"</([a-z][^\s/>]*)><(?=\1[\s/>])", re.IGNORECASE)
TAG = re.compile(
    r"""<(/?[a-zA-Z][^\s/>]*)((?:[^=>]++|=\s*+(?:"[^"]*+"|'[^']*+')?+)*+)(?:>|\Z)""",
)
ATTRIBUTE = re.compile(r"""([^\s=/>"']+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s>"']*))?""")
INTERESTING = re.compile(r"hidden|style|popover|name|href|http-equiv|lang", re.IGNORECASE)
ATTRIBUTES_BYTES_AT_MOST = 10_000
VOID = names("area base br col embed hr img input link meta param source track wbr")


def scan(utf8: bytes) -> Marked:
    begun = up_to_tag(utf8, TAGS_AT_MOST)
    html = begun.decode("utf-8", "replace").replace("\0", "")
    reader = _Scan()
    title = TITLE.search(BODY.split(html, maxsplit=1)[0])
    reader.head.has_script = "<script" in html or "<SCRIPT" in html
    reader.head.title = unescape(title[1]) if title else ""
    html = TITLE.sub(SOFT, RAW.sub(SOFT, COMMENT.sub("", html)))
    pieces = TAG.split(TWINS.sub(rf"</\1>{SOFT}<", html))
    tags = map(str.lower, pieces[1::3])
    marks = [reader.mark(tag, attributes) for tag, attributes in zip(tags, pieces[2::3], strict=True)]
    text = "".join(piece for pair in zip(pieces[::3], [*marks, reader.rest()], strict=True) for piece in pair)
    return Marked(unescape(text), reader.anchors, reader.head, truncated=len(begun) < len(utf8))


class _Scan:
    """The tags of a document, one after the other."""

    def __init__(self) -> None:
        self.head = Head()
        self.anchors: list[Anchor] = []
        self.hidden_tag = ""
        self.hidden_depth = 0

    def mark(self, tag: str, attributes: str) -> str:
        mark = MARKS[tag]
        if mark.startswith(LINK_START):
            self._link(attributes)
        if self.hidden_tag == "p" and tag in BLOCKS:
            mark = self.rest() + mark
        if tag == "dialog" or (len(attributes) < ATTRIBUTES_BYTES_AT_MOST and INTERESTING.search(attributes)):
            mark = self._with_attributes(tag, mark, _attributes(attributes))
        elif tag == self.hidden_tag:
            self.hidden_depth += 1
        if self.hidden_tag and tag[1:] == self.hidden_tag and tag[0] == "/":
            self.hidden_depth -= 1
            if not self.hidden_depth:
                mark += self.rest()
        return mark

    def _link(self, written: str) -> None:
        if len(self.anchors) <= ANCHORS_AT_MOST:
            attributes = _attributes(written) if len(written) < ATTRIBUTES_BYTES_AT_MOST else {}
            self.anchors.append(Anchor(attributes.get("href"), attributes.get("rel") or ""))

    def rest(self) -> str:
        """What ends the hidden element, if one is open."""
        tag, self.hidden_tag = self.hidden_tag, ""
        return UNSEEN_END + gone(tag) if tag else ""

    def _with_attributes(self, tag: str, mark: str, attributes: dict[str, str | None]) -> str:
        if tag == "meta":
            self.head.add_meta(attributes)
        elif tag == "link":
            self.head.add_link(attributes)
        elif tag == "base" and not self.head.base:
            self.head.base = attributes.get("href") or ""
        elif tag == "html":
            self.head.language = attributes.get("lang") or ""
        if self.hidden_tag:
            self.hidden_depth += tag == self.hidden_tag
        elif tag not in VOID and is_hidden(tag, attributes):
            self.hidden_tag, self.hidden_depth = tag, 1
            mark = UNSEEN_START + mark
        return mark


def _attributes(written: str) -> dict[str, str | None]:
    """By name, the first of a name, references read."""
    found: dict[str, str | None] = {}
    for name, value in ATTRIBUTE.findall(written):
        found.setdefault(name.lower(), unescape(value.strip("\"'")) if value else "")
    return found
