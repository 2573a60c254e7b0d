"""The near spellings of a keyword that were seen instead of it: never counted, only said."""

import re
from collections.abc import Mapping

from prospector.core.folding import fold

BETWEEN_WORDS = re.compile("[ -]+")
MOST_NAMED = 3


def joined(words: str) -> str:
    """What all joined, spaced and hyphenated spellings of one name have in common."""
    return BETWEEN_WORDS.sub("", fold(words).text)


def nearest(keyword: str, seen: Mapping[str, int]) -> list[tuple[str, int]]:
    """Of `seen` (spelling -> domains) those of this keyword, the most frequent first."""
    same = [(spelling, domains) for spelling, domains in seen.items() if joined(spelling) == joined(keyword)]
    return sorted(same, key=lambda one: (-one[1], one[0]))[:MOST_NAMED]


def not_found(keyword: str, domains: int, seen: Mapping[str, int]) -> str:
    words = f'No mention of "{keyword}" on {domains:,} domain{"" if domains == 1 else "s"}.'
    near = nearest(keyword, seen)
    if not near:
        return words
    named = ", ".join(f'"{spelling}" on {count:,} domain{"" if count == 1 else "s"}' for spelling, count in near)
    return f"{words} Nearest spellings seen: {named}."
