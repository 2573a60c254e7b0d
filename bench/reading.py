"""A page to its mentions and links, against the obvious way, in one run on the same pages.

    python -m bench.reading [pages] [keywords ...]      1,200 pages with 50 and with 500 keywords

The obvious way: parsel's text, LxmlLinkExtractor, one regular expression with \\b a keyword. Needs `python -m bench.corpus`.
"""

import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

from bench import corpus
from prospector.core.keywords import Keyword
from prospector.core.match import Matcher
from prospector.core.page import read
from prospector.errors import InputInvalid

URL = "https://docs.example.com/manual/page.html"
WORDS_OF_A_KEYWORD = (1, 1, 2, 3)


def keywords_of(bodies: list[bytes], number: int) -> list[str]:
    """Frequent words of the corpus, alone and in twos and threes: what people look for and what they do not find."""
    words: Counter[str] = Counter()
    for body in bodies[::5]:
        words.update(re.findall(r"[^\W\d_]{4,}", read(body, URL).text))
    common = [word for word, _ in words.most_common(3_000)]
    chance = random.Random(4)
    found: dict[tuple[str, bool], str] = {}
    while len(found) < number:
        text = " ".join(chance.choices(common, k=chance.choice(WORDS_OF_A_KEYWORD)))
        try:
            found.setdefault(Keyword(text).key, text)
        except InputInvalid:
            continue
    return list(found.values())


def obvious(keywords: list[str]) -> Callable[[bytes], int]:
    patterns = [(text, re.compile(rf"\b{re.escape(text)}\b", re.IGNORECASE)) for text in keywords]
    extractor = LinkExtractor()

    def one(body: bytes) -> int:
        response = HtmlResponse(URL, body=body, encoding="utf-8")
        text = " ".join(response.xpath("//body//text()").getall())
        mentions = {}
        for keyword, pattern in patterns:
            found = list(pattern.finditer(text))
            if found:
                start, end = found[0].span()
                mentions[keyword] = (len(found), text[max(0, start - 150) : end + 150])
        return len(mentions) + len(extractor.extract_links(response))

    return one


def ours(keywords: list[str]) -> Callable[[bytes], int]:
    matcher = Matcher(map(Keyword, keywords))

    def one(body: bytes) -> int:
        page = read(body, URL)
        return len(matcher.match(page).mentions) + len(page.links)

    return one


def milliseconds(way: Callable[[bytes], int], body: bytes) -> float:
    """Of processor time: others work on this machine too."""
    start = time.process_time()
    way(body)
    return (time.process_time() - start) * 1_000


def matcher_costs(keywords: list[str]) -> str:
    listed = [Keyword(text) for text in keywords]
    start = time.perf_counter()
    Matcher(listed)
    taken = (time.perf_counter() - start) * 1_000
    before = resident_kilobytes()
    kept = [Matcher(listed) for _ in range(20)]
    grown = (resident_kilobytes() - before) / len(kept)
    return f"a matcher of {len(listed)} keywords: {taken:.1f} ms to build, {grown:,.0f} kB"


def resident_kilobytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4


def line(name: str, taken: list[float]) -> str:
    mean = sum(taken) / len(taken)
    return f"  {name:8} mean {mean:8.3f} ms   median {taken[len(taken) // 2]:8.3f}   p99 {taken[len(taken) * 99 // 100]:8.3f}"


def main() -> None:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 1_200
    bodies = corpus.pages()
    bodies = bodies[:: max(1, len(bodies) // wanted)]
    print(f"{len(bodies):,} pages, mean {sum(map(len, bodies)) / len(bodies):,.0f} bytes")
    for number in [int(one) for one in sys.argv[2:]] or [50, 500]:
        keywords = keywords_of(bodies, number)
        new, old = ours(keywords), obvious(keywords)
        for body in bodies[:50]:
            new(body)
        pairs = [(milliseconds(old, body), milliseconds(new, body)) for body in bodies]
        obvious_taken, ours_taken = (sorted(one) for one in zip(*pairs, strict=True))
        print(f"{number} keywords: {sum(obvious_taken) / sum(ours_taken):.1f} times faster")
        print(line("obvious", obvious_taken))
        print(line("ours", ours_taken))
        print(f"  {matcher_costs(keywords)}")


if __name__ == "__main__":
    main()
