"""scrapy-redis' dupefilter seam: one page is one 64-bit fingerprint, and the frontier decides whether it is new.

The stock class asks Redis for each link, and remembers 88 bytes a page in one set of all domains. Here `add.lua` decides for
all links of a page in one call, in a set per domain of integers; this class only says what a page's fingerprint is.
"""

from typing import Any

from scrapy import Request
from scrapy_redis.dupefilter import RFPDupeFilter

from prospector.core.web import urls


class FrontierDupeFilter(RFPDupeFilter):  # type: ignore[misc]  # scrapy-redis has no types
    @classmethod
    def from_spider(cls, _spider: Any) -> "FrontierDupeFilter":
        return cls(server=None, key="")

    def request_fingerprint(self, request: Request) -> int:
        return urls.fingerprint(request.url)

    def request_seen(self, request: Request) -> bool:
        return False

    def clear(self) -> None:
        """What was seen belongs to all workers: it goes when its domain is done."""
