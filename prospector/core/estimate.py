"""What a job would take, before it starts: time and credits as ranges, from named guesses until there is a history."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from prospector.core.methods import PRICE_CREDITS, Method, Mode
from prospector.core.sites import site_of

DELAY_MS = 1_000  # between two requests to a site
MOST_MINUTES_PER_DOMAIN = 60
CREDITS_PER_DOLLAR = 100  # 10,000 credits are $100
DEFAULT_CAP_CREDITS = 10_000  # of a job that names none
BASIS = "no history yet"


@dataclass(frozen=True, slots=True)
class Range:
    low: float
    high: float


# guesses, each from what is usual for such lists on two cores; to be replaced by measured ones when jobs have run
PAGES_PER_DOMAIN = Range(15, 40)
PAGES_PER_SECOND = Range(100, 500)  # of the whole machine; sites that answer slowly are why the low end is so low
BLOCKING_DOMAINS = Range(0.03, 0.10)  # share of domains that refuse direct requests
CREDITS_PER_PAID_PAGE = Range(1, 2)  # most blocked pages need no browser (1 credit), some do (5)
PAGES_PER_PAID_DOMAIN = Range(15, 30)


@dataclass(frozen=True, slots=True)
class Estimate:
    domains: int
    sites: int
    mode: Mode
    seconds_low: int
    seconds_high: int
    credits_low: int
    credits_high: int
    basis: str = BASIS

    @property
    def dollars_low(self) -> float:
        return self.credits_low / CREDITS_PER_DOLLAR

    @property
    def dollars_high(self) -> float:
        return self.credits_high / CREDITS_PER_DOLLAR


def estimate(domains: Sequence[str], mode: Mode, delay_ms: int = DELAY_MS) -> Estimate:
    per_site = Counter(map(site_of, domains))
    seconds = _seconds(len(domains), max(per_site.values(), default=0), delay_ms)
    credits_each = _credits_per_domain(mode)
    return Estimate(
        domains=len(domains),
        sites=len(per_site),
        mode=mode,
        seconds_low=round(seconds.low),
        seconds_high=round(seconds.high),
        credits_low=round(len(domains) * credits_each.low),
        credits_high=round(len(domains) * credits_each.high),
    )


def _seconds(domains: int, busiest_site_domains: int, delay_ms: int) -> Range:
    """Never less than politeness allows: the domains of one site wait for each other."""

    def polite(pages: float) -> float:
        return busiest_site_domains * min(pages * delay_ms / 1000, MOST_MINUTES_PER_DOMAIN * 60)

    return Range(
        max(domains * PAGES_PER_DOMAIN.low / PAGES_PER_SECOND.high, polite(PAGES_PER_DOMAIN.low)),
        max(domains * PAGES_PER_DOMAIN.high / PAGES_PER_SECOND.low, polite(PAGES_PER_DOMAIN.high)),
    )


def _credits_per_domain(mode: Mode) -> Range:
    if mode is Mode.FREE_ONLY:
        return Range(0, 0)
    if mode is Mode.PREMIUM_ONLY:
        price = PRICE_CREDITS[Method.JS]
        return Range(PAGES_PER_DOMAIN.low * price, PAGES_PER_DOMAIN.high * price)
    return Range(
        BLOCKING_DOMAINS.low * PAGES_PER_PAID_DOMAIN.low * CREDITS_PER_PAID_PAGE.low,
        BLOCKING_DOMAINS.high * PAGES_PER_PAID_DOMAIN.high * CREDITS_PER_PAID_PAGE.high,
    )
