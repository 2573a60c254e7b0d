"""How a page is fetched, and what each way costs."""

from enum import StrEnum


class Method(StrEnum):
    DIRECT = "direct"
    STANDARD = "scrapingbee-standard"
    JS = "scrapingbee-js"


PRICE_CREDITS = {Method.DIRECT: 0, Method.STANDARD: 1, Method.JS: 5}
