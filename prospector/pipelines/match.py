"""Item pipeline: what of the job's keywords is on a page, where, and what its links say."""

from typing import Any

from scrapy.crawler import Crawler

from prospector.core.reading.linking import kind_of, linking
from prospector.items import PageItem


class MatchPipeline:
    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "MatchPipeline":
        return cls(crawler)

    def process_item(self, item: PageItem) -> PageItem:
        if item.page is None:
            return item
        spider: Any = self._crawler.spider
        brief = spider.briefs[item.ticket.job]
        matches = brief.matcher.match(item.page)
        item.mentions = matches.mentions
        item.spellings = [near.spelling for near in matches.near]
        item.linking = linking(
            item.page.links,
            brief.spec.client_domains,
            brief.spec.competitor_domains,
            domain=item.ticket.domain,
            robots=item.page.robots,
        )
        item.kind = kind_of(item.url, homepage=item.homepage)
        return item
