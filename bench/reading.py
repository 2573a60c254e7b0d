"""A page to its mentions and links, against the obvious way, in one run on the same pages.

    python -m bench.reading [pages] [keywords ...] [--least BYTES]      1,200 pages with 50 and with 500 keywords

The obvious way: parsel's text, LxmlLinkExtractor, one regular expression with \\b a keyword. Needs `python -m bench.corpus`,
of which the pages of at least 20,000 bytes are taken: pages of manuals are shorter than those of the web (--least 0: all).
"""

import argparse
import gc
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

from bench import corpus
from prospector.core.reading.page import read
from prospector.core.words.keywords import Keyword
from prospector.core.words.match import Matcher
from prospector.errors import InputInvalid

URL = "https://docs.example.com/manual/page.html"
WORDS_OF_A_KEYWORD = (1, 1, 2, 3)
MATCHERS = 20  # made to measure one


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


def matcher_costs(keywords: list[str]) -> None:
    """In a process of its own, whose memory holds nothing that could be used again."""
    listed = [Keyword(text) for text in keywords]
    kept = [Matcher(listed)]
    before, start = resident_kilobytes(), time.process_time()
    kept += [Matcher(listed) for _ in range(MATCHERS)]
    taken = (time.process_time() - start) * 1_000 / MATCHERS
    grown = (resident_kilobytes() - before) / MATCHERS
    print(f"  a matcher of {len(listed)} keywords: {taken:.1f} ms to build, {grown:,.0f} kB", flush=True)


def resident_kilobytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4


def summary(taken: list[float]) -> list[float]:
    """Mean, median, p99."""
    taken = sorted(taken)
    return [sum(taken) / len(taken), taken[len(taken) // 2], taken[len(taken) * 99 // 100]]


def compare(bodies: list[bytes], keywords: list[str]) -> None:
    new, old = ours(keywords), obvious(keywords)
    for body in bodies[:50]:
        new(body)
    gc.collect()
    gc.freeze()  # what the benchmark itself holds is no work of either way
    pairs = [(milliseconds(old, body), milliseconds(new, body)) for body in bodies]
    slow, fast = (summary(list(one)) for one in zip(*pairs, strict=True))
    print(f"{len(keywords)} keywords       mean   median      p99")
    for name, row in (
        ("obvious, ms", slow),
        ("ours, ms", fast),
        ("times faster", [a / b for a, b in zip(slow, fast, strict=True)]),
    ):
        print(f"  {name:14}" + "".join(f"{one:9.2f}" for one in row), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("pages", nargs="?", type=int, default=1_200)
    parser.add_argument("keywords", nargs="*", type=int, default=[50, 500])
    parser.add_argument("--least", type=int, default=20_000)
    asked = parser.parse_args()
    bodies = corpus.pages(asked.least)
    bodies = bodies[:: max(1, len(bodies) // asked.pages)]
    sizes = sorted(map(len, bodies))
    print(f"{len(bodies):,} pages, mean {sum(sizes) / len(sizes):,.0f} bytes, median {sizes[len(sizes) // 2]:,}")
    for number in asked.keywords:
        keywords = keywords_of(bodies, number)
        compare(bodies, keywords)
        program = "import sys; from bench.reading import matcher_costs; matcher_costs(sys.argv[1:])"
        subprocess.run([sys.executable, "-c", program, *keywords], check=True)


if __name__ == "__main__":
    main()
