"""The product's settings with an extension one of whose tasks fails, for workers of a test (SCRAPY_SETTINGS_MODULE)."""

import asyncio

from scrapy import signals

from prospector.settings import *  # noqa: F403


class Defective:
    @classmethod
    def from_crawler(cls, crawler):
        made = cls()
        crawler.signals.connect(made.request_reached_downloader, signals.request_reached_downloader)
        return made

    def request_reached_downloader(self, spider):
        if not hasattr(self, "_task"):
            self._task = asyncio.ensure_future(self._fail())
            spider.watch(self._task)

    async def _fail(self):
        raise KeyError("a defect of this test")


EXTENSIONS = {"defective_settings.Defective": 1}
