"""The compiled matcher: all keywords of a job on one page in one pass, exactly by the rules of docs/matching.md."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ahocorasick_rs import AhoCorasick

from prospector.core.edges import KINDS, MARKS, after, before
from prospector.core.folding import Folded
from prospector.core.keywords import Keyword
from prospector.core.markup import Zone
from prospector.core.near import variants
from prospector.core.page import Page
from prospector.core.snippets import CHARACTERS_EACH_SIDE, Snippet, cut
from prospector.core.visible import Visible

# where the snippet is taken from, first of all; then from wherever the keyword stands first
BEST_ZONES = (Zone.MAIN, Zone.H1, Zone.HEADING, Zone.TITLE)


@dataclass(frozen=True, slots=True)
class Span:
    """From and to, in the text of a page."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mention:
    """One keyword on one page. The counts of `zones` add up to `frequency`."""

    keyword: Keyword
    frequency: int
    zones: Mapping[Zone, int]
    snippet: Snippet


@dataclass(frozen=True, slots=True)
class NearSpelling:
    """Another spelling of a keyword, as it stands on the page; never a mention."""

    keyword: Keyword
    spelling: str
    frequency: int


@dataclass(frozen=True, slots=True)
class Matches:
    """What one page has of the keywords, in the order of the keywords."""

    mentions: tuple[Mention, ...]
    near: tuple[NearSpelling, ...]


class Matcher:
    """Compiled once for a job. Keywords that fold to the same are one: the first. Pickles as its keywords."""

    def __init__(self, keywords: Iterable[Keyword], characters_each_side: int = CHARACTERS_EACH_SIDE) -> None:
        self.keywords = tuple({one.key: one for one in reversed(tuple(keywords))}.values())[::-1]
        self.characters_each_side = characters_each_side
        self._folded = _Patterns(one for one in self.keywords if not one.case_sensitive)
        self._unified = _Patterns(one for one in self.keywords if one.case_sensitive)

    def __reduce__(self) -> tuple[type["Matcher"], tuple[tuple[Keyword, ...], int]]:
        return Matcher, (self.keywords, self.characters_each_side)

    def mentions(self, page: Page) -> tuple[Mention, ...]:
        return self.match(page).mentions

    def match(self, page: Page) -> Matches:
        spans: dict[Keyword, list[Span]] = {}
        near: list[NearSpelling] = []
        if self._folded.texts:
            self._folded.find(page, page.folded, spans, near)
        if self._unified.texts:
            self._unified.find(page, page.unified, spans, near)
        mentions = (self._mention(page, one, spans[one]) for one in self.keywords if one in spans)
        return Matches(tuple(mentions), tuple(near))

    def _mention(self, page: Page, keyword: Keyword, spans: list[Span]) -> Mention:
        zones: dict[Zone, Span] = {}
        counts: dict[Zone, int] = {}
        for span in spans:
            zone = page.visible.zone_at(span.start)
            zones.setdefault(zone, span)
            counts[zone] = counts.get(zone, 0) + 1
        best = next((zones[zone] for zone in BEST_ZONES if zone in zones), spans[0])
        snippet = cut(page.text, best.start, best.end, self.characters_each_side)
        return Mention(keyword, len(spans), counts, snippet)


class _Patterns:
    """Keywords and their near spellings in one automaton, with what may stand on either side of each."""

    def __init__(self, keywords: Iterable[Keyword]) -> None:
        self.keywords = tuple(keywords)
        self.owners = list(self.keywords)
        self.texts = [one.folded for one in self.keywords]
        known = set(self.texts)
        for keyword in self.keywords:
            for variant in variants(keyword):
                if variant not in known:
                    known.add(variant)
                    self.owners.append(keyword)
                    self.texts.append(variant)
        self.before = [before(text[0]) for text in self.texts]
        self.after = [after(text[-1]) for text in self.texts]
        self.automaton = AhoCorasick(self.texts) if self.texts else None

    def find(self, page: Page, folded: Folded, spans: dict[Keyword, list[Span]], near: list[NearSpelling]) -> None:
        for which, found in sorted(self._found(folded, page.visible).items()):
            owner = self.owners[which]
            if which < len(self.keywords):
                spans[owner] = found
            else:
                near.append(NearSpelling(owner, page.text[found[0].start : found[0].end], len(found)))

    def _found(self, folded: Folded, visible: Visible) -> dict[int, list[Span]]:
        """By pattern, from left to right and without overlap."""
        assert self.automaton
        text = folded.text
        length = len(text)
        befores, afters = self.before, self.after
        free_from: dict[int, int] = {}
        found: dict[int, list[Span]] = {}
        for which, start, end in self.automaton.find_matches_as_indexes(text, overlapping=True):
            if start < free_from.get(which, 0):
                continue
            if start and KINDS[text[start - 1]] not in befores[which]:
                if not befores[which] or not has_soft_break(folded, visible, start):
                    continue
            if end < length and (next_kind := KINDS[text[end]]) not in afters[which]:
                if next_kind in MARKS or not has_soft_break(folded, visible, end):
                    continue
            free_from[which] = end
            found.setdefault(which, []).append(Span(folded.start(start), folded.end(end)))
        return found


def has_soft_break(folded: Folded, visible: Visible, at: int) -> bool:
    """`at` is a place in the folded text, which may stand for several in the original: deleted characters."""
    breaks = visible.soft_breaks
    place = bisect_left(breaks, folded.end(at))
    return place < len(breaks) and breaks[place] <= folded.start(at)
