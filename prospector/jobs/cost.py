"""What a job has cost, domain by domain."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy import Engine

from prospector.core.job.cost import dollars
from prospector.store import results
from prospector.store.results import SiteRow


@dataclass(frozen=True)
class DomainCost:
    """The columns of the cost report, in its order. `total_credits` are those that are settled."""

    domain: str
    urls_crawled: int
    direct_requests: int
    scrapingbee_requests: int
    js_rendering_requests: int
    total_credits: int
    estimated_cost_usd: Decimal


@dataclass(frozen=True)
class JsShare:
    domain: str
    js_pages: int
    pages: int

    def __str__(self) -> str:
        return f"{self.domain}: {self.js_pages:,}/{self.pages:,} pages required JS rendering"


@contextmanager
def cost_report(engine: Engine, job_id: str, credit_price_usd: Decimal) -> Iterator[Iterator[DomainCost]]:
    """In the order of the user's list, as of this moment; read inside the block only."""
    with results.snapshot(engine, job_id) as found:
        yield (_cost(site, credit_price_usd) for site in found.sites())


@contextmanager
def js_shares(engine: Engine, job_id: str) -> Iterator[Iterator[JsShare]]:
    """Of the domains where a page needed a browser; read inside the block only."""
    with results.snapshot(engine, job_id) as found:
        yield (JsShare(site.domain, site.js_pages, site.pages) for site in found.sites() if site.js_pages)


def _cost(site: SiteRow, credit_price_usd: Decimal) -> DomainCost:
    return DomainCost(
        domain=site.domain,
        urls_crawled=site.pages,
        direct_requests=site.direct_requests,
        scrapingbee_requests=site.standard_requests,
        js_rendering_requests=site.js_requests,
        total_credits=site.used_credits,
        estimated_cost_usd=dollars(site.used_credits, credit_price_usd),
    )
