"""The matcher against the oracle of the tests, on real pages: counts by zone for words and pieces of words of each page.

python bench/agreement.py [every nth page]
"""

import random
import sys
from collections import Counter

from bench import corpus
from prospector.core.reading.encodings import decode
from prospector.core.reading.lexbor_tree import parse
from prospector.core.reading.marked import without_marks
from prospector.core.reading.page import read
from prospector.core.reading.scan import scan
from prospector.core.reading.visible import linearise
from prospector.core.words.keywords import Keyword
from prospector.core.words.match import Matcher
from prospector.errors import InputInvalid
from tests.reading.oracle import Document

PHRASES_A_PAGE = 40


def phrases(document: Document, chance: random.Random) -> list[Keyword]:
    """Words, neighbours, and beginnings and ends of words, as they stand on the page."""
    words = " ".join(part.text for part in document.parts).split()
    found: dict[tuple[str, bool], Keyword] = {}
    for _ in range(PHRASES_A_PAGE if words else 0):
        at = chance.randrange(len(words))
        text = " ".join(words[at : at + chance.choice((1, 1, 2, 3))])
        cut = chance.choice((0, 0, 0, 1, 2, 3))
        text = chance.choice((text, text[: len(text) - cut], text[cut:]))[:60]
        try:
            keyword = Keyword(text, case_sensitive=chance.random() < 0.2)
        except InputInvalid:
            continue
        found.setdefault(keyword.key, keyword)
    return list(found.values())


def main() -> None:
    step = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    chance = random.Random(4)
    total: Counter[str] = Counter()
    for path in list(corpus.files())[::step]:
        body = path.read_bytes()
        source = without_marks(decode(body).utf8)
        page = read(body, "https://a.example/")
        if page.truncated:  # at a limit of ours, which the oracle does not have
            total["pages longer than we read"] += 1
            continue
        document = Document(source)
        keywords = phrases(document, chance)
        counts = {one.keyword: {z.value: n for z, n in one.zones.items()} for one in Matcher(keywords).mentions(page)}
        for keyword in keywords:
            expected = document.count(keyword.text, case_sensitive=keyword.case_sensitive)
            total["pairs"] += 1
            total["mentions"] += sum(expected.values())
            if counts.get(keyword, {}) != expected:
                total["disagreements"] += 1
                print(path, repr(keyword.text), keyword.case_sensitive, counts.get(keyword), dict(expected))
        total["pages"] += 1
        total["pages the second parser reads the same"] += same(source)
    print({"disagreements": 0, **total})


def same(source: bytes) -> bool:
    texts = [linearise(one.head.title, one.text).text.split() for one in (parse(source), scan(source))]
    return texts[0] == texts[1]


if __name__ == "__main__":
    main()
