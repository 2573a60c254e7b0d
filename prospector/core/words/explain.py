"""Every place where a keyword could be seen on a page, and the rule by which it counts or does not."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from selectolax.lexbor import LexborHTMLParser, LexborNode

from prospector.core.reading.folding import Folded, collapse, fold, unify
from prospector.core.reading.guard import is_hostile
from prospector.core.reading.hidden import is_hidden
from prospector.core.reading.lexbor_tree import OPTIONS
from prospector.core.reading.markup import UNSEEN
from prospector.core.reading.page import Page
from prospector.core.reading.visible import BREAK
from prospector.core.reading.zones import Zone
from prospector.core.words.automaton import has_soft_break
from prospector.core.words.edges import KINDS, MARKS, Kind, after, before
from prospector.core.words.keywords import Keyword
from prospector.core.words.match import Matcher
from prospector.core.words.near import variants
from prospector.core.words.other_spellings import missed_spellings
from prospector.core.words.snippets import Snippet, cut

CANDIDATES_AT_MOST = 200  # that do not count; all that count are listed


class Rule(Enum):
    """Why a candidate counts, or does not."""

    WHOLE_WORD = "visible, in whole words"
    OVERLAP = "overlaps the mention before it"
    LEFT_WORD = "part of a longer word: no edge before it"
    RIGHT_WORD = "part of a longer word: no edge after it"
    SYMBOL = "a keyword that begins with a symbol needs a space or a symbol before it"
    COMBINING_MARK = "the character after it belongs to its last letter"
    HARD_BREAK = "its words stand in two blocks"
    OTHER_SPELLING = "another spelling is another keyword"
    OTHER_CASE = "another case, and the keyword is case-sensitive"
    ACCENTS = "accents make another word"
    HIDDEN = "hidden on the page"
    NOT_SHOWN = "in an element that is not shown as text"
    ATTRIBUTE = "in an attribute, which is not visible text"


@dataclass(frozen=True, slots=True)
class Candidate:
    """`zone` is None outside the visible text; `where` says which element or attribute it was."""

    zone: Zone | None
    where: str
    rule: Rule
    snippet: Snippet

    @property
    def counts(self) -> bool:
        return self.rule is Rule.WHOLE_WORD


@dataclass(frozen=True, slots=True)
class Explanation:
    """`count` is what the matcher says; the candidates that count are as many."""

    keyword: Keyword
    count: int
    zones: Mapping[Zone, int]
    candidates: tuple[Candidate, ...]
    truncated: bool


def explain(page: Page, keyword: Keyword) -> Explanation:
    mentions = Matcher([keyword]).mentions(page)
    found = list(_in_text(page, keyword))
    rest = [one for one in found if not one.counts]
    rest += _across_blocks(page, keyword)
    rest += _spelt_otherwise(page, keyword)
    rest += _outside(page, keyword)
    return Explanation(
        keyword=keyword,
        count=mentions[0].frequency if mentions else 0,
        zones=mentions[0].zones if mentions else {},
        candidates=(*(one for one in found if one.counts), *rest[:CANDIDATES_AT_MOST]),
        truncated=page.truncated or len(rest) > CANDIDATES_AT_MOST,
    )


def _in_text(page: Page, keyword: Keyword) -> Iterator[Candidate]:
    folded = _folded(page, keyword)
    free_from = 0
    for at in _places(folded.text, keyword.folded):
        end = at + len(keyword.folded)
        rule = Rule.OVERLAP if at < free_from else _rule(folded, page, at, end)
        if rule is Rule.WHOLE_WORD:
            free_from = end
        yield _candidate(page, folded, at, end, rule)


def _rule(folded: Folded, page: Page, start: int, end: int) -> Rule:
    text = folded.text
    first, last = text[start], text[end - 1]
    if KINDS[first] & MARKS or (end < len(text) and KINDS[text[end]] & MARKS):
        return Rule.COMBINING_MARK
    if start and not KINDS[text[start - 1]] & before(first) and not has_soft_break(folded, page.visible, start):
        return Rule.SYMBOL if KINDS[first] == Kind.OTHER else Rule.LEFT_WORD
    if end < len(text) and not KINDS[text[end]] & after(last) and not has_soft_break(folded, page.visible, end):
        return Rule.RIGHT_WORD
    return Rule.WHOLE_WORD


def _across_blocks(page: Page, keyword: Keyword) -> Iterator[Candidate]:
    folded = _folded(page, keyword)
    apart = re.compile(rf"[ {BREAK}]+".join(map(re.escape, keyword.folded.split(" "))))
    for hit in apart.finditer(folded.text):
        if BREAK in hit[0] and _rule(folded, page, *hit.span()) is Rule.WHOLE_WORD:
            yield _candidate(page, folded, *hit.span(), Rule.HARD_BREAK)


def _spelt_otherwise(page: Page, keyword: Keyword) -> Iterator[Candidate]:
    folded = _folded(page, keyword)
    for spelling in _other_spellings(keyword):
        yield from _whole_words(page, folded, spelling, Rule.OTHER_SPELLING)
    if keyword.case_sensitive:
        other = _whole_words(page, page.folded, fold(keyword.text).text, Rule.OTHER_CASE)
        yield from (one for one in other if unify(one.snippet.found).text != keyword.folded)
    plain = Folded(_without_accents(folded.text), folded.steps)
    for one in _whole_words(page, plain, _without_accents(keyword.folded), Rule.ACCENTS):
        if _same(one.snippet.found, keyword) != keyword.folded:
            yield one


def _other_spellings(keyword: Keyword) -> Iterable[str]:
    ways = [_same(way, keyword) for way in missed_spellings([keyword]).get(keyword.text, ())]
    plain = _without_accents(keyword.folded)
    return dict.fromkeys([*variants(keyword), *(way for way in ways if _without_accents(way) != plain)])


def _whole_words(page: Page, folded: Folded, text: str, rule: Rule) -> Iterator[Candidate]:
    for at in _places(folded.text, text):
        if _rule(folded, page, at, at + len(text)) is Rule.WHOLE_WORD:
            yield _candidate(page, folded, at, at + len(text), rule)


def _outside(page: Page, keyword: Keyword) -> Iterator[Candidate]:
    """What is in the source and not in the visible text. A hostile page is not walked."""
    if is_hostile(page.source):
        return
    tree = LexborHTMLParser(page.source, options=OPTIONS, scripting=True)
    waiting = [tree.root] if tree.root else []
    while waiting:
        node = waiting.pop()
        tag = node.tag or ""
        yield from _in_attributes(node, tag, keyword)
        if is_hidden(tag, node.attributes):
            yield from _unseen(node.text(), f"<{tag}>, hidden", Rule.HIDDEN, keyword)
        elif tag in UNSEEN:
            if tag != "title" or node.parent is None or node.parent.tag != "head":
                yield from _unseen(node.text(), f"<{tag}>", Rule.NOT_SHOWN, keyword)
        else:
            waiting += reversed(list(node.iter()))


def _in_attributes(node: LexborNode, tag: str, keyword: Keyword) -> Iterator[Candidate]:
    for name, value in node.attributes.items():
        if value:
            yield from _unseen(value, f"{name} of <{tag}>", Rule.ATTRIBUTE, keyword)


def _unseen(text: str, where: str, rule: Rule, keyword: Keyword) -> Iterator[Candidate]:
    """The first whole word only: one script may hold hundreds."""
    text = collapse(text)
    folded = unify(text) if keyword.case_sensitive else fold(text)
    for at in _places(folded.text, keyword.folded):
        start, end = folded.start(at), folded.end(at + len(keyword.folded))
        if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
            yield Candidate(None, where, rule, cut(text, start, end))
            return


def _places(text: str, wanted: str) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


def _folded(page: Page, keyword: Keyword) -> Folded:
    return page.unified if keyword.case_sensitive else page.folded


def _same(text: str, keyword: Keyword) -> str:
    return (unify(text) if keyword.case_sensitive else fold(text)).text


def _without_accents(text: str) -> str:
    """As long as before: each character is the first of its decomposition."""
    return text if text.isascii() else "".join(unicodedata.normalize("NFD", one)[0] for one in text)


def _candidate(page: Page, folded: Folded, at: int, end: int, rule: Rule) -> Candidate:
    start = folded.start(at)
    zone = page.visible.zone_at(start)
    return Candidate(zone, zone.value, rule, cut(page.text, start, folded.end(end)))
