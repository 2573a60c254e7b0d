"""Near spellings: the same words joined, apart, or with hyphens. They are told to the user, never counted."""

import re
from collections.abc import Mapping

from prospector.core.reading.folding import fold, unify
from prospector.core.words.keywords import Keyword

SEPARATOR = re.compile("[ -]+")
MOST_NAMED = 3
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")  # HubSpot, AcmeCRM


def variants(keyword: Keyword) -> tuple[str, ...]:
    """In the keyword's own folding, without the keyword itself."""
    words = [word for word in SEPARATOR.split(keyword.folded) if word]
    if len(words) < 2:
        words = [_folded(word, keyword) for word in CAMEL.split(keyword.text)]
    if len(words) < 2:
        return ()
    return tuple(
        spelling for spelling in (joiner.join(words) for joiner in ("", " ", "-")) if spelling != keyword.folded
    )


def _folded(word: str, keyword: Keyword) -> str:
    return (unify(word) if keyword.case_sensitive else fold(word)).text


def joined(words: str) -> str:
    """What all joined, spaced and hyphenated spellings of one name have in common."""
    return SEPARATOR.sub("", fold(words).text)


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
