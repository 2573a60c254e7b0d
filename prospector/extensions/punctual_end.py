"""Scrapy extension: when all is closed the process ends, also if a thread of it still waits for a server that does not answer.

Python would wait for its threads: for a Postgres that hangs without end, for a name server for minutes. What these could bring
is of no use any more: what is not committed by now is another worker's.
"""

import logging
import os
import threading

from scrapy.crawler import Crawler

from prospector import logs

LOG = logs.named(__name__)
ENDING_SECONDS = 0.3  # an end without such a thread takes less, or is not in a hurry


class PunctualEnd:
    def __init__(self) -> None:
        from twisted.internet import reactor

        reactor.addSystemEventTrigger("after", "shutdown", self.reactor_stopped)  # type: ignore[arg-type]  # zope's

    @classmethod
    def from_crawler(cls, _crawler: Crawler) -> "PunctualEnd":
        return cls()

    def reactor_stopped(self) -> None:
        timer = threading.Timer(ENDING_SECONDS, _leave)
        timer.daemon = True
        timer.start()


def _leave() -> None:
    LOG.warning("threads_left", threads=threading.active_count() - 2)  # without the main one and this
    logging.shutdown()
    os._exit(0)
