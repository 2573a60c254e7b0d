"""`scrapy crawl domain -a domain=example.com -a keywords="crm,erp"`: one domain, in this process, with no server.

The same spider, middlewares and rules as in a worker; only the frontier is in this process, and nothing is kept.
"""

from collections import Counter
from pathlib import Path

from scrapy.settings import BaseSettings

from prospector.core import hosts
from prospector.core.hosts import Host
from prospector.core.keyword_list import read_keywords
from prospector.core.methods import Mode
from prospector.core.spec import JobSpec
from prospector.errors import InputInvalid
from prospector.frontier.in_process import JOB, InProcessFrontier
from prospector.frontier.limits import limits_of
from prospector.items import PageItem
from prospector.spiders.brief import Brief, brief

WAY = 'scrapy crawl domain -a domain=example.com -a keywords="crm,erp"'

# in a worker these speak to Redis and Postgres
SETTINGS = {
    "SCHEDULER": "scrapy.core.scheduler.Scheduler",
    "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
    "EXTENSIONS": {"prospector.extensions.second_chance.SecondChance": 100},
    "ITEM_PIPELINES": {
        "prospector.pipelines.match.MatchPipeline": 300,
        "prospector.pipelines.show.ShowPipeline": 900,
    },
}


def configure(settings: BaseSettings) -> None:
    for name, value in SETTINGS.items():
        settings.set(name, value, priority="spider")


def frontier_of(brief_: Brief, domain: str, delay_ms: int) -> InProcessFrontier:
    return InProcessFrontier(domain, limits_of(brief_.spec, 0), delay_ms)


def brief_of(domain: str, keywords: str | None, keywords_file: str | None, max_pages: str) -> Brief:
    if not (max_pages.isascii() and max_pages.isdigit()):
        raise InputInvalid(f"max_pages is {max_pages!r}, which is no number.", f"As in: {WAY} -a max_pages=20")
    if keywords_file:
        data, name = _content(keywords_file), keywords_file
    elif keywords:
        data, name = "\n".join(keywords.split(",")).encode(), "keywords"
    else:
        raise InputInvalid("There are no keywords to look for.", f"Give some: {WAY}")
    spec = JobSpec(mode=Mode.FREE_ONLY, max_pages=int(max_pages))
    return brief(JOB, spec, read_keywords(data, name).keywords, [domain])


def _content(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputInvalid(
            f"{path} cannot be read: {error.strerror}.", f"Give keywords, or another file: {WAY}"
        ) from None


def domain_of(given: str) -> str:
    read = hosts.read(given)
    if len(read) != 1 or not isinstance(read[0], Host):
        why = ", ".join(one.reason for one in read if not isinstance(one, Host))
        raise InputInvalid(f"{given!r} is not a domain{f' ({why})' if why else ''}.", f"Give one: {WAY}")
    return read[0].domain


class Summary:
    """What became of the pages, and why some were skipped."""

    def __init__(self) -> None:
        self._ends: Counter[tuple[str, str]] = Counter()
        self._mentions: Counter[str] = Counter()

    def note(self, item: PageItem) -> None:
        end = item.conclusion
        self._ends[str(end.outcome), end.detail or ""] += 1
        for one in item.mentions:
            self._mentions[one.keyword.text] += one.frequency

    def lines(self) -> list[str]:
        ends = [
            f"{count:>6}  {outcome}{f': {why}' if why else ''}" for (outcome, why), count in self._ends.most_common()
        ]
        found = [f"{count:>6}  {keyword}" for keyword, count in self._mentions.most_common()]
        return ["pages", *ends, "mentions", *(found or ["     0  none of the keywords"])]
