"""The truth as tables, for people and scripts: a row is a dict of a fixed order."""

from collections.abc import Callable, Iterator

from prospector.demo.web.plan import Plan
from prospector.demo.web.truth import Limits, Mode, expected, links

Row = dict[str, object]


def mentions(plan: Plan, limits: Limits) -> Iterator[Row]:
    for one in expected(plan, limits):
        zones = " ".join(f"{zone}:{count}" for zone, count in one.zones)
        yield {
            "domain": one.domain,
            "url": one.url,
            "keyword": one.keyword,
            "frequency": one.count,
            "zones": zones,
            "reach": one.reach.value,
        }


def domains(plan: Plan, limits: Limits) -> Iterator[Row]:
    for site in plan.sites:
        for domain in site.domains:
            outcome = domain.hybrid if limits.mode is Mode.HYBRID else domain.free
            yield {
                "domain": domain.name,
                "kind": site.kind,
                "site": site.name,
                "pages": sum(page.domain == domain.name for page in site.pages.values()),
                "outcome": outcome.ending.value,
                "cause": outcome.cause,
            }


def backlinks(plan: Plan, _limits: Limits) -> Iterator[Row]:
    for one in links(plan):
        yield {"domain": one.domain, "url": one.url, **vars(one.backlink), "status": one.status}


def keywords(plan: Plan, _limits: Limits) -> Iterator[Row]:
    return ({"keyword": keyword} for keyword in plan.keywords)


TABLES: dict[str, Callable[[Plan, Limits], Iterator[Row]]] = {
    "mentions": mentions,
    "domains": domains,
    "links": backlinks,
    "keywords": keywords,
}
