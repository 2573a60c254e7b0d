"""The first parser: lexbor, which builds the tree a browser builds, read by serialising it and cutting at its tags."""

import re
from itertools import islice

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from prospector.core.hidden import holds_comments, is_hidden
from prospector.core.marked import ANCHORS_AT_MOST, Anchor, Head, Marked, up_to_tag
from prospector.core.markup import (
    FOREIGN,
    HARD,
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
from prospector.core.zones import Zone

OPTIONS = LexborDocumentOptions.WO_EVENTS.value  # with events, 16,000 options of a select take a second
TAGS_AT_MOST = 150_000
HIDING = "[hidden], [style], [popover], dialog"
# a first selector costs a tree as much as 200 elements: none is asked for in vain
HIDING_WORDS = (b"hidden", b"none", b"popover", b"<dialog")
COMMENTS = "[id*=comment i], [class*=comment i]"
ROOTS = "#root, #app, #__next, #__nuxt"
BASE_NAMES = (b"<base", b"<BASE", b"<Base")
ROOT_NAMES = ('id="root"', 'id="app"', 'id="__next"', 'id="__nuxt"')

# in what lexbor serialises, attribute values have no `<` or `>`, and tags no spare white space
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
# two of a name side by side; the names left out are blocks, which are broken anyway
TWINS = re.compile(r"</(?!li>|p>|t[dhr]>|d[dtl]>|div>|ul>|h\d>)([^\s>]+)>(?=<\1[\s>])")
TAG = re.compile(r"<([^ >]++)[^>]*+>")
LINK = re.compile(r"<a(?:rea)?(?=[ >])([^>]*+)")
HREF = re.compile(r' href="([^"]*)"')
REL = re.compile(r' rel="([^"]*)"')


def parse(utf8: bytes) -> Marked:
    begun = up_to_tag(utf8, TAGS_AT_MOST)
    tree = LexborHTMLParser(begun, scripting=True, options=OPTIONS)
    head = _head(tree)
    if any(name in utf8 for name in BASE_NAMES):
        _add_base(head, tree)
    body = tree.body
    if body is None:
        return Marked("", [], head, truncated=len(begun) < len(utf8))
    _take_out(tree, head)
    lower = begun.lower()
    unseen = any(word in lower for word in HIDING_WORDS) and _mark_hidden(body)
    if b"omment" in utf8:
        _mark_comments(body)
    html = body.html or ""
    if "<!--" in html:
        html = COMMENT.sub("", html)
    head.has_empty_root = any(name in html for name in ROOT_NAMES) and any(map(_is_empty, body.css(ROOTS)))
    text = _cut(html)
    if unseen or is_hidden("html", tree.root.attributes if tree.root else {}):
        text = f"{UNSEEN_START}{text}{UNSEEN_END}"
    anchors = [_anchor(attributes) for attributes in islice(LINK.findall(html), ANCHORS_AT_MOST + 1)]
    return Marked(text, anchors, head, len(begun) < len(utf8))


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


def _take_out(tree: LexborHTMLParser, head: Head) -> None:
    """What cannot be cut at its tags."""
    for tag in RAW:
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
    return not FOREIGN.sub("", root.text()).strip()


def _cut(html: str) -> str:
    pieces = TAG.split(TWINS.sub(lambda end: end[0] + SOFT, html))
    pieces[1::2] = map(MARKS.__getitem__, pieces[1::2])
    return _unescaped("".join(pieces))


def _unescaped(text: str) -> str:
    """What a serialiser escapes, which is little: lexbor has read every other reference."""
    if "&" not in text:
        return text
    text = text.replace("&nbsp;", "\xa0").replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')
    return text.replace("&amp;", "&")


def _anchor(attributes: str) -> Anchor:
    href = HREF.search(attributes)
    rel = REL.search(attributes) if "rel=" in attributes else None
    return Anchor(_unescaped(href[1]) if href else None, _unescaped(rel[1]) if rel else "")
