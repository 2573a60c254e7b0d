"""The product's settings with an extension that ends its worker, for workers of a test (SCRAPY_SETTINGS_MODULE)."""

import os

from scrapy import signals

from prospector.demo.truth import canonical
from prospector.settings import *  # noqa: F403


class Poison:
    """Ends the process, without a word, as soon as the page named POISON is on its way."""

    @classmethod
    def from_crawler(cls, crawler):
        made = cls()
        crawler.signals.connect(made.request_reached_downloader, signals.request_reached_downloader)
        return made

    def request_reached_downloader(self, request):
        ticket = request.meta.get("ticket")
        if ticket and canonical(request.url) == os.environ["POISON"]:
            os._exit(137)


EXTENSIONS = {"poisoned_settings.Poison": 1}
