"""Scrapy add-on: a worker's log, Scrapy's own lines included, in the form of prospector.logs."""

import logging
from pathlib import Path

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
        log_file = settings.get("LOG_FILE")  # given by Scrapyd, one a spider
        stream = Path(log_file).open("a", encoding="utf-8") if log_file else None  # noqa: SIM115  # until the process ends
        logs.install(settings.get("LOG_STYLE"), settings.get("LOG_LEVEL"), stream)
        for name in TOO_TALKATIVE:
            logging.getLogger(name).setLevel(logging.ERROR)
