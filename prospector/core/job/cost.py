"""What a job may cost in credits, before it starts, and how money is told."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from statistics import quantiles

from prospector.core.visits.methods import Mode

CENT = Decimal("0.01")

# guesses, until jobs of this mode have run: credits a domain, low and high
PRIOR_CREDITS_A_DOMAIN = {
    Mode.FREE_ONLY: (0.0, 0.0),
    Mode.HYBRID: (0.45, 6.0),  # 3-10 % of domains refuse direct requests, on 15-30 pages at 1-2 credits each
    Mode.PREMIUM_ONLY: (75.0, 200.0),  # 15-40 pages at 5 credits each
}
JOBS_ENOUGH = 3  # for a range of their own; one or two are widened, for the next list may be another kind
WIDENED = (0.5, 2.0)
DOMAINS_LEAST = 20  # a smaller job says little about a large one


@dataclass(frozen=True)
class PastJob:
    """A job of the same mode that has ended."""

    domains: int
    credits: int


@dataclass(frozen=True)
class CreditRange:
    """`jobs` is how many past jobs it was learned from."""

    low: int
    high: int
    jobs: int

    @property
    def basis(self) -> str:
        if not self.jobs:
            return "no history yet"
        return f"from {self.jobs} earlier job{'s' * (self.jobs > 1)}"


def credit_range(mode: Mode, domains: int, history: Sequence[PastJob]) -> CreditRange:
    per_domain = [job.credits / job.domains for job in history if job.domains >= DOMAINS_LEAST]
    if mode is Mode.FREE_ONLY or not per_domain:
        low, high = PRIOR_CREDITS_A_DOMAIN[mode]
        return CreditRange(round(domains * low), round(domains * high), 0)
    if len(per_domain) < JOBS_ENOUGH:
        low, high = min(per_domain) * WIDENED[0], max(per_domain) * WIDENED[1]
    else:
        deciles = quantiles(per_domain, n=10, method="inclusive")
        low, high = deciles[0], deciles[-1]
    return CreditRange(round(domains * low), round(domains * high), len(per_domain))


def dollars(credit_count: int, credit_price_usd: Decimal) -> Decimal:
    return (credit_count * credit_price_usd).quantize(CENT, ROUND_HALF_UP)


def in_words(expected: CreditRange, mode: Mode, credit_price_usd: Decimal) -> str:
    """Estimated cost: $50-$80 (5,000-8,000 ScrapingBee credits) based on hybrid mode and historical data (4 earlier jobs)"""
    if mode is Mode.FREE_ONLY:
        return f"Estimated cost: $0 (mode {mode}: nothing is paid for)"
    low, high = (_short(dollars(one, credit_price_usd)) for one in (expected.low, expected.high))
    past = (
        f"historical data ({expected.basis.removeprefix('from ')})"
        if expected.jobs
        else "typical lists (no history yet)"
    )
    return f"Estimated cost: ${low}-${high} ({expected.low:,}-{expected.high:,} ScrapingBee credits) based on {mode} mode and {past}"


def _short(amount: Decimal) -> str:
    """Whole dollars without cents, from ten dollars on."""
    if amount >= 10 or amount == amount.to_integral_value():
        return f"{amount.quantize(Decimal(1), ROUND_HALF_UP):,}"
    return f"{amount:,}"
