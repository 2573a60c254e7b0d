"""Scrapy add-on: a worker's log, Scrapy's own lines included, in the form of prospector.logs."""

import logging

from scrapy.settings import BaseSettings

from prospector import logs

# these warn of every odd page; what became of it is in its row
TOO_TALKATIVE = (
    "scrapy.core.downloader",
    "scrapy.downloadermiddlewares.httpcompression",
    "scrapy.utils._download_handlers",
    "scrapy.utils.log",
)


class LogLines:
    def update_settings(self, settings: BaseSettings) -> None:
        file = settings.get("LOG_FILE")  # given by Scrapyd, one a spider
        logs.install(settings.get("LOG_STYLE"), settings.get("LOG_LEVEL"), file=file)
        for name in TOO_TALKATIVE:
            logging.getLogger(name).setLevel(logging.ERROR)
