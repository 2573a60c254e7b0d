"""How a page is fetched, what each way costs, and which ways a job may use."""

from enum import StrEnum


class Method(StrEnum):
    DIRECT = "direct"
    STANDARD = "scrapingbee-standard"
    JS = "scrapingbee-js"


PRICE_CREDITS = {Method.DIRECT: 0, Method.STANDARD: 1, Method.JS: 5}


class Mode(StrEnum):
    HYBRID = "hybrid"
    FREE_ONLY = "free-only"
    PREMIUM_ONLY = "premium-only"

    @classmethod
    def _missing_(cls, value: object) -> "Mode | None":
        return cls.HYBRID if value == "smart-hybrid" else None  # the name in the requirements
