"""What a mention is, a second time: written from the text of docs/matching.md only, slowly and naively.

The tree is the parser's; text, breaks, normalisation, edges, counts and zones are worked out here, sharing no code with
the product. A document is a list of parts, each without a hard break in it.
"""

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tests.reading.spelling import normalised

NOT_SHOWN = set(
    str.split(
        "script style template noscript iframe object canvas audio video svg select datalist textarea rt rp"
        " title noembed noframes"
    )
)
BLOCK = set(
    str.split(
        "address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption figure"
        " footer form h1 h2 h3 h4 h5 h6 header hgroup hr html img input label legend li main menu nav ol optgroup option p pre"
        " search section summary table tbody td tfoot th thead title tr ul"
    )
)
SPACELESS = (
    "CJK UNIFIED",
    "CJK COMPATIBILITY IDEOGRAPH",
    "HIRAGANA",
    "THAI",
    "LAO",
    "KHMER",
    "MYANMAR",
    "HANGZHOU NUMERAL",
)
IDEOGRAPHIC = {0x3005, 0x3007, 0x303B}
SOFT = None


@dataclass
class Part:
    """Characters and soft breaks between two hard breaks."""

    zone: str
    items: list[str | None] = field(default_factory=list)
    known: dict[bool, str] = field(default_factory=dict)
    known_breaks: dict[bool, set[int]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "".join(one for one in self.items if one is not SOFT)

    def normalised(self, *, keep_case: bool) -> str:
        if keep_case not in self.known:
            self.known[keep_case] = normalised(self.text, keep_case=keep_case)
        return self.known[keep_case]

    def soft_breaks(self, *, keep_case: bool) -> set[int]:
        if keep_case in self.known_breaks:
            return self.known_breaks[keep_case]
        found = self.known_breaks[keep_case] = set()
        for place, one in enumerate(self.items):
            if one is SOFT:
                before = "".join(one for one in self.items[:place] if one is not SOFT)
                found.add(len(normalised(before, keep_case=keep_case)))
        return found


class Document:
    def __init__(self, html: bytes) -> None:
        tree = LexborHTMLParser(html, scripting=True, options=1)
        self.parts = [Part("title")]
        titles = [node for node in (tree.head.iter() if tree.head else ()) if node.tag == "title"]
        if titles:
            self._add(titles[0].text())
        body = tree.body
        if body is not None and not (tree.root and hidden(tree.root)):
            ground = "other" if self._has_shown_main(body) else "main"
            self.parts.append(Part(ground))
            self._walk(body, ground)

    def _has_shown_main(self, node: LexborNode) -> bool:
        if node.tag in NOT_SHOWN or hidden(node):
            return False
        return node.tag == "main" or any(self._has_shown_main(one) for one in node.iter())

    def _add(self, text: str) -> None:
        self.parts[-1].items += [SOFT if one == "\u200b" else one for one in text]

    def _walk(self, node: LexborNode, zone: str) -> None:
        tag = node.tag or ""
        if tag == "-text":
            self._add(node.text_content or "")
            return
        if not node.is_element_node:
            return
        if tag in NOT_SHOWN or hidden(node):
            self._break(tag, zone)
            return
        inner = inner_zone(node, zone)
        if tag == "br":
            self._add(" ")
        if tag in BLOCK:
            self.parts.append(Part(inner))
        elif tag in ("sup", "sub") or twin(node):
            self.parts[-1].items.append(SOFT)
        for child in node.iter(include_text=True):
            self._walk(child, inner)
        if tag in BLOCK:
            self.parts.append(Part(zone))
        elif tag in ("sup", "sub"):
            self.parts[-1].items.append(SOFT)

    def _break(self, tag: str, zone: str) -> None:
        if tag in BLOCK:
            self.parts.append(Part(zone))
        else:
            self.parts[-1].items.append(SOFT)

    def count(self, keyword: str, *, case_sensitive: bool = False) -> Counter[str]:
        """How often, by zone."""
        wanted = normalised(keyword, keep_case=case_sensitive).strip(" ")
        zones: Counter[str] = Counter()
        for part in self.parts:
            text = part.normalised(keep_case=case_sensitive)
            if wanted not in text:
                continue
            soft = part.soft_breaks(keep_case=case_sensitive)
            at = text.find(wanted)
            while at >= 0:
                end = at + len(wanted)
                counts = left_edge(text, at, soft) and right_edge(text, end, soft)
                zones[part.zone] += counts
                at = text.find(wanted, end if counts else at + 1)
        return +zones


def hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    if "hidden" in attributes and (attributes["hidden"] or "").lower() != "until-found":
        return True
    if "popover" in attributes or (node.tag == "dialog" and "open" not in attributes):
        return True
    style = (attributes.get("style") or "").lower()
    return bool(re.search(r"\bdisplay\s*:\s*none", style) or re.search(r"\bvisibility\s*:\s*hidden", style))


def twin(node: LexborNode) -> bool:
    before = node.prev
    while before is not None and not before.is_element_node and not before.is_text_node:
        before = before.prev
    return before is not None and before.is_element_node and before.tag == node.tag


def inner_zone(node: LexborNode, zone: str) -> str:
    tag = node.tag or ""
    furniture = ("nav", "header", "footer", "aside", "comment")
    names = f"{node.attributes.get('id') or ''} {node.attributes.get('class') or ''}".lower().split()
    if tag == "h1":
        return "h1"
    if tag in ("h2", "h3", "h4", "h5", "h6"):
        return "heading"
    if tag in ("main", "nav", "header", "footer", "aside"):
        return tag
    if tag in ("article", "div", "dl", "li", "ol", "section", "ul") and {"comment", "comments", "commentlist"} & set(
        names
    ):
        return "comment"
    if tag in ("ul", "ol", "dl", "menu", "dir") and zone not in furniture:
        return "list"
    return "table" if tag == "table" and zone not in furniture else zone


def is_mark(one: str) -> bool:
    return unicodedata.category(one).startswith("M")


def is_word(one: str) -> bool:
    category = unicodedata.category(one)
    return category[0] in "LM" or category in ("Nd", "Nl") or one == "_"


def script(one: str) -> str:
    if not is_word(one):
        return ""
    name = unicodedata.name(one, "")
    if name.startswith("KATAKANA"):
        return "katakana"
    if name.startswith("HANGUL"):
        return "hangul"
    return "spaceless" if name.startswith(SPACELESS) or ord(one) in IDEOGRAPHIC else ""


def left_edge(text: str, at: int, soft: set[int]) -> bool:
    if is_mark(text[at]):
        return False
    if at == 0 or at in soft:
        return True
    before, first = text[at - 1], text[at]
    if not is_word(before) or script(before) == "spaceless":
        return True
    if not is_word(first):
        return script(before) == "katakana"
    if script(first) == "spaceless":
        return True
    return (script(before) == "katakana") != (script(first) == "katakana")


def right_edge(text: str, at: int, soft: set[int]) -> bool:
    if at == len(text):
        return True
    last, after = text[at - 1], text[at]
    if is_mark(after):
        return False
    if at in soft or not is_word(after) or not is_word(last):
        return True
    scripts = (script(last), script(after))
    if "spaceless" in scripts or "hangul" in scripts:
        return True
    return (scripts[0] == "katakana") != (scripts[1] == "katakana")


def plain_count(keyword: str, text: str) -> int:
    """The rule of the requirements, for plain ASCII text."""
    return len(re.findall(rf"\b{re.escape(keyword)}\b", text, re.IGNORECASE))
