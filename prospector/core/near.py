"""Near spellings: the same words joined, apart, or with hyphens. They are told to the user, never counted."""

import re

from prospector.core.folding import fold, unify
from prospector.core.keywords import Keyword

SEPARATOR = re.compile("[ -]+")
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
