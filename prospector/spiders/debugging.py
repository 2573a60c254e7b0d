"""`scrapy crawl domain -a domain=example.com -a keywords="crm,erp"`: one domain, in this process, with no server.

The same spider, middlewares and rules as in a worker; only the frontier is in this process, and nothing is kept.
"""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from prospector.core.job.spec import JobSpec
from prospector.core.lists.keyword_list import read_keywords
from prospector.core.visits.methods import Mode
from prospector.core.words.keywords import Keyword
from prospector.errors import InputInvalid
from prospector.frontier.in_process import JOB, InProcessFrontier
from prospector.frontier.limits import limits_of
from prospector.items import PageItem
from prospector.spiders.arguments import WAY, Arguments
from prospector.spiders.brief import Brief, brief


def frontier_of(brief_: Brief, domain: str, delay_ms: int) -> InProcessFrontier:
    return InProcessFrontier(domain, limits_of(brief_.spec, 0), delay_ms)


def brief_of(domain: str, given: Arguments) -> Brief:
    if not (given.max_pages.isascii() and given.max_pages.isdigit()):
        raise InputInvalid(f"max_pages is {given.max_pages!r}, which is no number.", f"As in: {WAY} -a max_pages=20")
    if given.keywords_file:
        data, name = _content(given.keywords_file), given.keywords_file
    elif given.keywords:
        data, name = "\n".join(given.keywords.split(",")).encode(), "keywords"
    else:
        raise InputInvalid("There are no keywords to look for.", f"Give some: {WAY}")
    spec = JobSpec(mode=Mode.FREE_ONLY, max_pages=int(given.max_pages))
    return brief(JOB, spec, read_keywords(data, name).keywords, [domain])


def _content(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputInvalid(
            f"{path} cannot be read: {error.strerror}.", f"Give keywords, or another file: {WAY}"
        ) from None


class Summary:
    """What became of the pages, why some were skipped, and how often each keyword was found, also if never."""

    def __init__(self, keywords: Iterable[Keyword]) -> None:
        self._ends: Counter[tuple[str, str]] = Counter()
        self._mentions = Counter({one.text: 0 for one in keywords})

    def note(self, item: PageItem) -> None:
        end = item.conclusion
        self._ends[str(end.outcome), "" if end.onward else end.detail or ""] += 1
        for one in item.mentions:
            self._mentions[one.keyword.text] += one.frequency

    def note_left(self, count: int, why: str) -> None:
        if count:
            self._ends["not asked for", why] += count

    def lines(self) -> list[str]:
        ends = [
            f"{_count(count, 'page')} {outcome}{f': {why}' if why else ''}"
            for (outcome, why), count in self._ends.most_common()
        ]
        return [*ends, *(f"{_count(count, 'mention')} of {text}" for text, count in self._mentions.most_common())]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
