"""Whether a link looks as if the page behind it mentions a keyword: by the words of its address and of its anchor."""

import re
from collections.abc import Iterable

from prospector.core.reading.folding import fold
from prospector.core.words.keywords import Keyword

SEPARATORS = re.compile(r"[\W_]+")


class Hints:
    def __init__(self, keywords: Iterable[Keyword]) -> None:
        self._wanted = {_words(keyword.text) for keyword in keywords}

    def found(self, url: str, anchor: str) -> bool:
        words = _words(f"{anchor} {url}")
        return any(one in words for one in self._wanted)


def _words(text: str) -> str:
    """With one space for whatever stands between words, and at both ends, so that only whole words are found."""
    return f" {SEPARATORS.sub(' ', fold(text).text).strip(' ')} "
