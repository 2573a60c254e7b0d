"""The product's settings with extensions that harm their worker, for workers of a test (SCRAPY_SETTINGS_MODULE)."""

import os
import signal

from scrapy import signals

from prospector.core.visits.ticket import Kind
from prospector.demo.web.truth import canonical
from prospector.settings import *  # noqa: F403


class Poison:
    """Ends the process, without a word, as soon as the page named POISON is on its way."""

    @classmethod
    def from_crawler(cls, crawler):
        made = cls()
        if "POISON" in os.environ:
            crawler.signals.connect(made.request_reached_downloader, signals.request_reached_downloader)
        return made

    def request_reached_downloader(self, request):
        ticket = request.meta.get("ticket")
        if ticket and canonical(request.url) == os.environ["POISON"]:
            os._exit(137)


class Frost:
    """Stops the process once, at its page FROST_PAGE: right before it is `asked` for or once it is `answered`, as FROST says."""

    @classmethod
    def from_crawler(cls, crawler):
        made = cls()
        made.pages = 0
        moments = {"asked": signals.request_reached_downloader, "answered": signals.response_received}
        if "FROST" in os.environ:
            crawler.signals.connect(made.count, moments[os.environ["FROST"]])
        return made

    def count(self, request):
        ticket = request.meta.get("ticket")
        if ticket and ticket.state.kind is Kind.PAGE:
            self.pages += 1
            if self.pages == int(os.environ["FROST_PAGE"]):
                os.kill(os.getpid(), signal.SIGSTOP)


EXTENSIONS = {"unsound_settings.Poison": 1, "unsound_settings.Frost": 2}
