"""What a crawl reported against the truth: recall, precision, frequencies, duplicates, failures."""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from prospector.demo.web.plan import Plan
from prospector.demo.web.site import Ending, Page, Site
from prospector.demo.web.truth import TRUE, Limits, address, canonical, counts, endings, expected
from prospector.errors import InputInvalid

RESULT_COLUMNS = ("domain", "url", "keyword", "frequency")


@dataclass(frozen=True)
class Row:
    """One line of results.csv, as far as it is judged."""

    domain: str
    url: str
    keyword: str
    frequency: int


@dataclass
class Coverage:
    expected: int = 0
    rows: int = 0
    missed: list[str] = field(default_factory=list)
    untrue: list[str] = field(default_factory=list)
    wrong_frequency: list[str] = field(default_factory=list)
    duplicates: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        return 1 - len(self.missed) / self.expected if self.expected else 1.0

    @property
    def precision(self) -> float:
        return 1 - len(self.untrue) / self.rows if self.rows else 1.0


@dataclass
class Failures:
    accessible: int
    wrongly_failed: list[str]
    not_said: list[str]

    @property
    def failed_share(self) -> float:
        return len(self.wrongly_failed) / self.accessible if self.accessible else 0.0


def coverage(plan: Plan, rows: Iterable[Row], limits: Limits) -> Coverage:
    pages = {
        (page.domain, canonical(address(page, site), site.ignored_query)): page
        for site in plan.sites
        for page in site.pages.values()
    }
    found = Coverage()
    seen: set[tuple[str, str, str]] = set()
    reported: set[tuple[str, str, str]] = set()
    for row in rows:
        found.rows += 1
        exact = (row.domain, canonical(row.url), row.keyword)
        if exact in seen:
            found.duplicates.append(_name(row))
        seen.add(exact)
        key = (row.domain, canonical(row.url, _ignored(plan, row)))
        _judge(found, row, pages.get(key))
        reported.add((*key, row.keyword))
    for mention in expected(plan, limits):
        found.expected += 1
        if (mention.domain, canonical(mention.url), mention.keyword) not in reported:
            found.missed.append(f"{mention.keyword} x {mention.count} on {mention.url}")
    return found


def failures(plan: Plan, failed: Iterable[str], limits: Limits) -> Failures:
    """`failed`: the domains of errors.csv."""
    said = set(failed)
    truth = endings(plan, limits.mode)
    accessible = [name for name, ending in truth.items() if ending is Ending.DONE]
    return Failures(
        accessible=len(accessible),
        wrongly_failed=[name for name in accessible if name in said],
        not_said=[name for name, ending in truth.items() if ending is Ending.FAILED and name not in said],
    )


def results(path: Path) -> Iterator[Row]:
    for number, line in lines(path, RESULT_COLUMNS):
        try:
            yield Row(line["domain"], line["url"], line["keyword"], int(line["frequency"]))
        except (ValueError, TypeError):  # None: the row is shorter than the head
            raise InputInvalid(f"{path}, row {number}: frequency {line['frequency']!r} is not a number.") from None


def failed_domains(path: Path) -> Iterator[str]:
    return (line["domain"] for _, line in lines(path, ("domain",)))


def _judge(found: Coverage, row: Row, page: Page | None) -> None:
    placed = counts(page)[row.keyword] if page and page.reach in TRUE else 0
    if not placed:
        found.untrue.append(_name(row))
    elif placed != row.frequency:
        found.wrong_frequency.append(f"{_name(row)} (placed: {placed})")


def _ignored(plan: Plan, row: Row) -> str:
    site: Site | None = plan.site_of(row.domain)
    return site.ignored_query if site else ""


def lines(path: Path, columns: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    """Of a file of an export that must have these columns: row number and cells."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            missing = ", ".join(sorted(set(columns) - set(reader.fieldnames or ())))
            if missing:
                raise InputInvalid(f"{path} has no column {missing}.", "Give the file of `job export`.")
            yield from enumerate(reader, 2)
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputInvalid(f"{path} is not a CSV file: {error}.", "Give the file of `job export`.") from None


def _name(row: Row) -> str:
    return f"{row.keyword} x {row.frequency} on {row.url}"
