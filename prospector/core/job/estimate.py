"""What a job would take, before it starts: time and credits as ranges, from named guesses until there is a history."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from prospector.core.job.cost import PastJob, credit_range, dollars
from prospector.core.visits.methods import Mode
from prospector.core.web.sites import site_of

MOST_MINUTES_PER_DOMAIN = 60
DEFAULT_CAP_CREDITS = 10_000  # of a job that names none


@dataclass(frozen=True, slots=True)
class Range:
    low: float
    high: float


# guesses, each from what is usual for such lists on two cores; to be replaced by measured ones when jobs have run
PAGES_PER_DOMAIN = Range(15, 40)
PAGES_PER_SECOND = Range(100, 500)  # of the whole machine; sites that answer slowly are why the low end is so low


@dataclass(frozen=True, slots=True)
class Estimate:
    domains: int
    sites: int
    mode: Mode
    seconds_low: int
    seconds_high: int
    credits_low: int
    credits_high: int
    dollars_low: float
    dollars_high: float
    basis: str
    past_jobs: int


def estimate(
    domains: Sequence[str],
    mode: Mode,
    credit_price_usd: Decimal,
    delay_ms: int,
    history: Sequence[PastJob] = (),
) -> Estimate:
    """`delay_ms`: between two requests to a site; `history`: ended jobs of the same mode."""
    per_site = Counter(map(site_of, domains))
    seconds = _seconds(len(domains), max(per_site.values(), default=0), delay_ms)
    paid = credit_range(mode, len(domains), history)
    return Estimate(
        domains=len(domains),
        sites=len(per_site),
        mode=mode,
        seconds_low=round(seconds.low),
        seconds_high=round(seconds.high),
        credits_low=paid.low,
        credits_high=paid.high,
        dollars_low=float(dollars(paid.low, credit_price_usd)),
        dollars_high=float(dollars(paid.high, credit_price_usd)),
        basis=paid.basis,
        past_jobs=paid.jobs,
    )


def _seconds(domains: int, busiest_site_domains: int, delay_ms: int) -> Range:
    """Never less than politeness allows: the domains of one site wait for each other."""

    def polite(pages: float) -> float:
        return busiest_site_domains * min(pages * delay_ms / 1000, MOST_MINUTES_PER_DOMAIN * 60)

    return Range(
        max(domains * PAGES_PER_DOMAIN.low / PAGES_PER_SECOND.high, polite(PAGES_PER_DOMAIN.low)),
        max(domains * PAGES_PER_DOMAIN.high / PAGES_PER_SECOND.low, polite(PAGES_PER_DOMAIN.high)),
    )
