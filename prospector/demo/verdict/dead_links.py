"""What a crawl said of links to the client's former pages, against the truth: site by site, as prospects.csv has them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from prospector.demo.verdict.coverage import lines
from prospector.demo.web.plan import Plan
from prospector.demo.web.site import CLIENT, RETIRED, Ending
from prospector.demo.web.truth import Limits, endings, expected_links, links


@dataclass(frozen=True)
class DeadLinks:
    """`planned`: sites that must be said to link to dead addresses only."""

    planned: list[str]
    not_said: list[str]
    untrue: list[str]


def dead_links(plan: Plan, said: Iterable[str], limits: Limits) -> DeadLinks:
    """`said`: the domains whose link to the client is told to lead to a former page. Of a domain that has some pages beyond
    the limits, both may be said, unless all its links are of one kind."""
    there = _statuses((one.domain, one.status) for one in links(plan) if one.backlink.target == CLIENT)
    read = _statuses((one.domain, one.status) for one in expected_links(plan, limits))
    done = {name for name, ending in endings(plan, limits.mode).items() if ending is Ending.DONE}
    planned = sorted(name for name in read.keys() & done if there[name] == {"dead"})
    told = set(said)
    return DeadLinks(
        planned=planned,
        not_said=[name for name in planned if name not in told],
        untrue=sorted(
            name for name in told & done if "dead" not in there.get(name, ()) or read.get(name, set()) - {"dead"}
        ),
    )


def said_to_be_dead(prospects: Path) -> Iterator[str]:
    for _, line in lines(prospects, ("domain", "link_target")):
        if unquote(line["link_target"]).rpartition(CLIENT)[2] in RETIRED:
            yield line["domain"]


def _statuses(found: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    of: dict[str, set[str]] = {}
    for domain, status in found:
        of.setdefault(domain, set()).add(status)
    return of
