"""The first parser: lexbor, which builds the tree a browser builds, read by serialising it and cutting at its tags."""

import re
from collections.abc import Iterable

from ahocorasick_rs import BytesAhoCorasick, MatchKind
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from prospector.core.reading.hidden import holds_comments, is_hidden
from prospector.core.reading.marked import ANCHORS_AT_MOST, Anchor, Head, Marked, up_to_tag
from prospector.core.reading.markup import (
    HARD,
    LINK_START,
    MARK,
    MARKS,
    RAW,
    SHOWN_RAW,
    SOFT,
    UNSEEN_END,
    UNSEEN_START,
    ZONE_END,
    ZONE_STARTS,
    gone,
)
from prospector.core.reading.zones import Zone

OPTIONS = LexborDocumentOptions.WO_EVENTS.value  # with events, 16,000 options of a select take a second
TAGS_AT_MOST = 150_000
HIDING = "[hidden], [style], [popover], dialog"
HIDING_WORDS = frozenset([b"hidden", b"popover", b"<dialog"])
DISPLAY_NONE = frozenset([b"display", b"none"])
COMMENTS = "[id*=comment i], [class*=comment i]"
ROOTS = ("root", "app", "__next", "__nuxt")
EMPTY_ROOTS = ", ".join(f"#{one}" for one in ROOTS)
BASE = b"<base"
COMMENT_STARTS = frozenset([b"<!--", b"<![", b"<?"])  # any other ends at its first `>`, and is cut as a tag
COMMENT_WORD = b"omment"
RAW_WORDS = {f"<{tag}".encode(): tag for tag in RAW}
# every walk over a tree costs more than one pass over the bytes for all these words at once: no walk is made in vain
WORDS = (*HIDING_WORDS, *DISPLAY_NONE, BASE, *COMMENT_STARTS, COMMENT_WORD, *RAW_WORDS)
FINDER = BytesAhoCorasick(WORDS, matchkind=MatchKind.LeftmostFirst)

# in what lexbor serialises, attribute values have no `<` or `>`, and tags no spare white space
COMMENT = re.compile(r"<!--.*?-->|<\?[^>]*+>", re.DOTALL)  # and what PHP that nobody ran leaves
# two of a name side by side; the names left out are blocks, which are broken anyway
TWINS = re.compile(r"</(?!li>|p>|t[dhr]>|d[dtl]>|div>|ul>|h\d>)([^>]++)>(?=<\1[ >])")
TAG = re.compile(r"<(a(?:rea)? [^>]*+|[^ >]++)[^>]*+>")  # its name; a link's with its attributes
NOT_LINKS = {tag: mark for tag, mark in MARKS.items() if LINK_START not in mark}
ROOT = re.compile(f' id="(?:{"|".join(ROOTS)})"')
HREF = re.compile(r' href="([^"]*)"')
REL = re.compile(r' rel="([^"]*)"')


def parse(utf8: bytes) -> Marked:
    begun = up_to_tag(utf8, TAGS_AT_MOST)
    tree = LexborHTMLParser(begun, scripting=True, options=OPTIONS)
    head = _head(tree)
    words = _words(begun)
    if BASE in words:
        _add_base(head, tree)
    body = tree.body
    if body is None:
        return Marked("", [], head, truncated=len(begun) < len(utf8))
    _take_out([RAW_WORDS[word] for word in RAW_WORDS.keys() & words], tree, head)
    unseen = (not words.isdisjoint(HIDING_WORDS) or words >= DISPLAY_NONE) and _mark_hidden(body)
    if COMMENT_WORD in words:
        _mark_comments(body)
    html = body.html or ""
    if not words.isdisjoint(COMMENT_STARTS):
        html = COMMENT.sub("", html)
    head.has_empty_root = ROOT.search(html) is not None and any(map(_is_empty, body.css(EMPTY_ROOTS)))
    text, anchors = _cut(html)
    if unseen or is_hidden("html", tree.root.attributes if tree.root else {}):
        text = f"{UNSEEN_START}{text}{UNSEEN_END}"
    return Marked(text, anchors, head, len(begun) < len(utf8))


def _words(html: bytes) -> set[bytes]:
    """Which of WORDS are anywhere in it, in whatever case."""
    return {WORDS[which] for which, _, _ in FINDER.find_matches_as_indexes(html.lower())}


def _head(tree: LexborHTMLParser) -> Head:
    head = Head()
    if tree.root:
        head.language = tree.root.attributes.get("lang") or ""
    for node in tree.head.iter() if tree.head else ():
        match node.tag:
            case "title" if not head.title:
                head.title = node.text()
            case "meta":
                head.add_meta(node.attributes)
            case "link":
                head.add_link(node.attributes)
            case "script":
                head.has_script = True
    return head


def _add_base(head: Head, tree: LexborHTMLParser) -> None:
    base = tree.css_first("base[href]")
    if base is not None:
        head.base = base.attributes.get("href") or ""


def _take_out(tags: Iterable[str], tree: LexborHTMLParser, head: Head) -> None:
    """What cannot be cut at its tags."""
    for tag in tags:
        for node in tree.tags(tag):
            head.has_script |= tag == "script"
            shown = tag in SHOWN_RAW and not is_hidden(tag, node.attributes)
            node.insert_before(node.text() if shown else gone(tag))
            node.decompose()


def _mark_hidden(body: LexborNode) -> bool:
    """True where the body itself is hidden."""
    for node in body.css(HIDING):
        if is_hidden(node.tag or "", node.attributes):
            if node.tag == "body":
                return True
            node.insert_before(UNSEEN_START)
            node.insert_after(UNSEEN_END + gone(node.tag or ""))
    return False


def _mark_comments(body: LexborNode) -> None:
    for node in body.css(COMMENTS):
        if holds_comments(node.tag or "", node.attributes):
            node.insert_before(HARD + ZONE_STARTS[Zone.COMMENT])
            node.insert_after(ZONE_END + HARD)


def _is_empty(root: LexborNode) -> bool:
    return not MARK.sub("", root.text()).strip()


def _cut(html: str) -> tuple[str, list[Anchor]]:
    tags = _Tags()
    pieces = TAG.split(TWINS.sub(lambda end: end[0] + SOFT, html))
    pieces[1::2] = map(tags.__getitem__, pieces[1::2])
    return _unescaped("".join(pieces)), tags.anchors


class _Tags(dict[str, str]):
    """The marks of one document's tags, by name. Those of links are not kept, so that each link is met here, in order."""

    def __init__(self) -> None:
        super().__init__(NOT_LINKS)
        self.anchors: list[Anchor] = []
        self.known: dict[str, Anchor] = {}  # menus repeat their links

    def __missing__(self, tag: str) -> str:
        mark = MARKS[tag.partition(" ")[0]]
        if LINK_START not in mark:
            self[tag] = mark
        elif len(self.anchors) <= ANCHORS_AT_MOST:
            if tag not in self.known:
                self.known[tag] = _anchor(tag)
            self.anchors.append(self.known[tag])
        return mark


def _unescaped(text: str) -> str:
    """What a serialiser escapes, which is little: lexbor has read every other reference."""
    if "&" not in text:
        return text
    return text.replace("&nbsp;", "\xa0").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _anchor(tag: str) -> Anchor:
    href = HREF.search(tag)
    rel = REL.search(tag) if "rel=" in tag else None
    return Anchor(_value(href[1]) if href else None, _value(rel[1]) if rel else "")


def _value(written: str) -> str:
    return _unescaped(written.replace("&quot;", '"'))
