"""Which domains of a list are left out, and why: the client's own, competitors, social networks, what the user names."""

import fnmatch
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from prospector.core.data import entries
from prospector.core.lists import columns
from prospector.core.lists.spreadsheet import ONE_COLUMN, read_table
from prospector.core.web import hosts, sites
from prospector.errors import InputInvalid

MOST_WILDCARDS = 1_000


class ExclusionReason(StrEnum):
    CLIENT = "the client's own domain"
    COMPETITOR = "a competitor's domain"
    SOCIAL = "social network or share host"
    ASKED = "excluded by your list"


@dataclass(frozen=True)
class Exclusions:
    """`clients` and `competitors` are sites; `asked` hosts cover their subdomains, `below` every host below them."""

    clients: frozenset[str] = frozenset()
    competitors: frozenset[str] = frozenset()
    social: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    below: frozenset[str] = frozenset()
    wildcards: re.Pattern[str] | None = None

    def why(self, domain: str) -> ExclusionReason | None:
        site = sites.site_of(domain)
        if site in self.clients:
            return ExclusionReason.CLIENT
        if site in self.competitors:
            return ExclusionReason.COMPETITOR
        if self._is_asked(domain):
            return ExclusionReason.ASKED
        return ExclusionReason.SOCIAL if sites.owner(domain, self.social) else None

    def _is_asked(self, domain: str) -> bool:
        if self.asked and sites.owner(domain, self.asked):
            return True
        if self.below and _is_at_or_below(domain, self.below):
            return True
        return self.wildcards is not None and self.wildcards.fullmatch(domain) is not None


def exclusions(
    clients: Iterable[str] = (),
    competitors: Iterable[str] = (),
    lists: Iterable[tuple[bytes, str]] = (),
    *,
    keep_social: bool = False,
) -> Exclusions:
    """`lists` are files (bytes, name): a domain or a wildcard such as *.ru or *casino* a line."""
    lines = [line for data, name in lists for line in _lines(data, name)]
    plain = [(line, name) for line, name in lines if not re.search(r"[*?]", line)]
    below = {parent for line, _ in lines if (parent := _parent(line))}
    wild = [line.lower() for line, _ in lines if re.search(r"[*?]", line) and not _parent(line)]
    if len(wild) > MOST_WILDCARDS:
        raise InputInvalid(
            f"The exclusions have {len(wild):,} wildcards, the limit is {MOST_WILDCARDS:,}.", "Merge some."
        )
    return Exclusions(
        clients=frozenset(sites.site_of(domain_of(value, "--client-domain")) for value in clients),
        competitors=frozenset(sites.site_of(domain_of(value, "--competitor-domain")) for value in competitors),
        social=frozenset() if keep_social else entries("social_hosts"),
        asked=frozenset(domain_of(line, name) for line, name in plain),
        below=frozenset(below),
        wildcards=re.compile("|".join(fnmatch.translate(one) for one in wild)) if wild else None,
    )


def domain_of(value: str, origin: str) -> str:
    """The one domain that an option or a line names."""
    first, *more = hosts.read(value)
    if isinstance(first, hosts.Refused):
        raise InputInvalid(f'{origin}: "{first.value}" {first.reason.words}.', "Write a domain, such as acme.com.")
    if more:
        raise InputInvalid(f'{origin}: "{hosts.shown(value)}" is more than one domain.', "Write one each time.")
    return first.domain


def _lines(data: bytes, name: str) -> Iterable[tuple[str, str]]:
    """The cells of the column that is named as one of domains is; else each line, whatever is in it."""
    rows = [row for row in read_table(data, name).rows if row.filled]
    titles = columns.titles(rows) if rows else 0
    at = columns.named_column(rows[titles:]) if rows else None
    if at is not None:
        written = [(row.number, row.cells[at]) for row in rows[titles + 1 :] if at < len(row.cells)]
    else:
        written = [(row.number, " ".join(row.cells)) for row in read_table(data, name, delimiter=ONE_COLUMN).rows]
    for number, line in written:
        if line.strip() and not line.lstrip().startswith("#"):
            yield line.strip(), f"{name}, row {number}"


def _parent(line: str) -> str | None:
    """Of `*.example.com` or `*.ru`: everything below, and the name itself."""
    found = re.fullmatch(r"\*\.([^*?/\s]+)", line)
    return found[1].lower().strip(".") if found else None


def _is_at_or_below(domain: str, parents: frozenset[str]) -> bool:
    while domain and domain not in parents:
        domain = domain.partition(".")[2]
    return bool(domain)
