"""Where patterns stand in a folded text, all of them in one pass: Aho-Corasick, then the edges, then no overlap."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from ahocorasick_rs import AhoCorasick

from prospector.core.reading.folding import Folded
from prospector.core.reading.visible import Visible
from prospector.core.words.edges import KINDS, MARKS, Kind, after, before

OTHER = int(Kind.OTHER)
STRIDE_CHARACTERS = 100_000  # of text looked at in one go: what is found in it is held in memory


class Automaton:
    """`patterns` are folded, different from each other, and not empty."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self.patterns = patterns
        self.before = [int(before(one[0])) for one in patterns]
        self.after = [int(after(one[-1])) for one in patterns]
        self.overlap = max(map(len, patterns), default=0)
        self.engine = AhoCorasick(patterns)

    def starts(self, folded: Folded, visible: Visible) -> dict[int, list[int]]:
        """By the pattern's number, from left to right and without overlap; positions in the folded text."""
        text = folded.text
        length = len(text)
        kinds, befores, afters = KINDS, self.before, self.after
        found: dict[int, list[int]] = {}
        free_from = [0] * len(self.patterns)
        for which, start, end in self._hits(text):
            if start < free_from[which]:
                continue
            if start and not kinds[text[start - 1]] & befores[which] and not has_soft_break(folded, visible, start):
                continue
            follower = kinds[text[end]] if end < length else OTHER
            if follower & MARKS or kinds[text[start]] & MARKS:
                continue
            if not follower & afters[which] and not has_soft_break(folded, visible, end):
                continue
            free_from[which] = end
            found.setdefault(which, []).append(start)
        return found

    def _hits(self, text: str) -> Iterator[tuple[int, int, int]]:
        if len(text) <= STRIDE_CHARACTERS:
            yield from self.engine.find_matches_as_indexes(text, overlapping=True)
            return
        for base in range(0, len(text), STRIDE_CHARACTERS):
            stride = text[base : base + STRIDE_CHARACTERS + self.overlap]
            for which, start, end in self.engine.find_matches_as_indexes(stride, overlapping=True):
                if start < STRIDE_CHARACTERS:
                    yield which, base + start, base + end


def has_soft_break(folded: Folded, visible: Visible, at: int) -> bool:
    """Whether a soft break is here. A place in folded text may be several in the original: deleted characters."""
    breaks = visible.soft_breaks
    if not breaks:
        return False
    if not folded.steps:
        place = bisect_left(breaks, at)
        return place < len(breaks) and breaks[place] == at
    place = bisect_left(breaks, folded.end(at))
    return place < len(breaks) and breaks[place] <= folded.start(at)
