"""The compiled matcher: all keywords of a job on one page in one pass, exactly by the rules of docs/matching.md."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from prospector.core.reading.folding import Folded
from prospector.core.reading.page import Page
from prospector.core.reading.zones import Zone
from prospector.core.words.automaton import Automaton
from prospector.core.words.keywords import Keyword
from prospector.core.words.near import variants
from prospector.core.words.snippets import CHARACTERS_EACH_SIDE, Snippet, cut

# where the snippet is taken from, first of all; then from wherever the keyword stands first
BEST_ZONES = (Zone.MAIN, Zone.H1, Zone.HEADING, Zone.TITLE)


@dataclass(frozen=True, slots=True)
class Mention:
    """One keyword on one page. The counts of `zones` add up to `frequency`; `anchor` is the first link's text it stands in."""

    keyword: Keyword
    frequency: int
    zones: Mapping[Zone, int]
    snippet: Snippet
    anchor: str = ""


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
        by_key: dict[tuple[str, bool], Keyword] = {}
        for keyword in keywords:
            by_key.setdefault(keyword.key, keyword)
        self.keywords = tuple(by_key.values())
        self.characters_each_side = characters_each_side
        self._folded = _Patterns([one for one in self.keywords if not one.case_sensitive])
        self._unified = _Patterns([one for one in self.keywords if one.case_sensitive])

    def __reduce__(self) -> tuple[type["Matcher"], tuple[tuple[Keyword, ...], int]]:
        return Matcher, (self.keywords, self.characters_each_side)

    def mentions(self, page: Page) -> tuple[Mention, ...]:
        return self.match(page).mentions

    def match(self, page: Page) -> Matches:
        mentions: list[Mention] = []
        near: list[NearSpelling] = []
        if self._folded.keywords:
            self._match(self._folded, page, page.folded, mentions, near)
        if self._unified.keywords:
            self._match(self._unified, page, page.unified, mentions, near)
        return Matches(tuple(mentions), tuple(near))

    def _match(
        self, patterns: "_Patterns", page: Page, folded: Folded, mentions: list[Mention], near: list[NearSpelling]
    ) -> None:
        for which, starts in sorted(patterns.automaton.starts(folded, page.visible).items()):
            keyword = patterns.keywords[which]
            length = len(patterns.texts[which])
            if which < patterns.mentions:
                mentions.append(self._mention(keyword, page, folded, starts, length))
            else:
                spelling = page.text[folded.start(starts[0]) : folded.end(starts[0] + length)]
                near.append(NearSpelling(keyword, spelling, len(starts)))

    def _mention(self, keyword: Keyword, page: Page, folded: Folded, starts: list[int], length: int) -> Mention:
        visible = page.visible
        counts: dict[Zone, int] = {}
        firsts: dict[Zone, tuple[int, int]] = {}
        anchor = ""
        for place in folded.places(starts, length):
            zone = visible.zone_at(place[0])
            counts[zone] = counts.get(zone, 0) + 1
            firsts.setdefault(zone, place)
            anchor = anchor or visible.link_at(*place)
        # a dict keeps its order: the first zone is where the keyword stands first
        best = next((firsts[zone] for zone in BEST_ZONES if zone in firsts), next(iter(firsts.values())))
        snippet = cut(visible.text, *best, self.characters_each_side)
        return Mention(keyword, len(starts), counts, snippet, anchor)


class _Patterns:
    """Keywords and, after the first `mentions` of them, their near spellings, in one automaton."""

    def __init__(self, keywords: list[Keyword]) -> None:
        self.mentions = len(keywords)
        self.keywords = list(keywords)
        self.texts = [one.folded for one in keywords]
        known = set(self.texts)
        for keyword in keywords:
            for variant in variants(keyword):
                if variant not in known:
                    known.add(variant)
                    self.keywords.append(keyword)
                    self.texts.append(variant)
        self.automaton = Automaton(self.texts)
