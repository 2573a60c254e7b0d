"""Item pipeline of the debug mode: pages as flat records for the terminal or `-o file`, and settled at once."""

from typing import Any

from scrapy.crawler import Crawler

from prospector.frontier import calls
from prospector.items import PageItem


class ShowPipeline:
    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "ShowPipeline":
        return cls(crawler)

    async def process_item(self, item: PageItem) -> dict[str, Any]:
        spider: Any = self._crawler.spider
        if item.found or item.site_pages:
            await spider.pump.ask(calls.add(item.ticket.lease, item.found, item.site_pages))
        spider.summary.note(item)
        spider.uncommitted -= 1
        spider.settle(item.ticket, item.conclusion)
        return shown(item)


def shown(item: PageItem) -> dict[str, Any]:
    end = item.conclusion
    return {
        "url": item.url,
        "status": item.status,
        "outcome": str(end.outcome),
        "detail": end.detail,
        "title": item.page.title if item.page else None,
        "mentions": [
            {
                "keyword": one.keyword.text,
                "frequency": one.frequency,
                "zones": {zone.value: count for zone, count in one.zones.items()},
                "snippet": str(one.snippet),
            }
            for one in item.mentions
        ],
    }
