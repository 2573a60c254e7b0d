"""What is on its way, so that all of it can be cut off when the worker stops."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from scrapy.crawler import Crawler

from prospector.core.system.signals import STOP_FETCHING
from prospector.fetch.failures import FetchFailed

T = TypeVar("T")


class Flights:
    """`are_over`: from then on nothing new should begin."""

    def __init__(self, crawler: Crawler) -> None:
        self.are_over = False
        self._flying: set[asyncio.Task[Any]] = set()
        crawler.signals.connect(self.cut_off, STOP_FETCHING)

    async def until_stopped(self, work: Coroutine[Any, Any, T], stopped: FetchFailed) -> T:
        """What the work gives; raises `stopped` if it is cut off before its end, or would begin after that."""
        if self.are_over:
            work.close()
            raise stopped
        task = asyncio.ensure_future(work)
        self._flying.add(task)
        task.add_done_callback(self._flying.discard)
        try:
            return await task
        except asyncio.CancelledError:
            raise stopped from None

    def cut_off(self) -> None:
        self.are_over = True
        for task in self._flying:
            task.cancel()
