"""The user's own column, such as a domain rating: each site's standing within the list."""

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite

from prospector.core.lists import columns
from prospector.core.lists.intake import Intake
from prospector.core.results.score import Metric
from prospector.errors import InputInvalid

SPACES = re.compile(r"[\s%'\u00a0\u202f]")
THOUSANDS = re.compile(r",(?=\d{3}(?!\d))")
TIMES = {"k": 1e3, "m": 1e6, "b": 1e9}
GROUPED = re.compile(r"-?[1-9]\d{0,2}(?:\.\d{3})+")  # 1.234: a thousand where the comma is decimal


class Decimal(StrEnum):
    POINT = "."
    COMMA = ","


def decimal_of(cells: Iterable[str]) -> Decimal:
    """How a column writes its numbers: as half of Europe does where a cell can be nothing else (1.234,5 and 1.234.567), or
    where every point stands before three figures, beside cells without one."""
    plain = [SPACES.sub("", cell) for cell in cells]
    pointed = [cell for cell in plain if "." in cell]
    if any(0 < cell.find(".") < cell.find(",") or cell.count(".") > 1 for cell in pointed):
        return Decimal.COMMA
    is_grouped = all(map(GROUPED.fullmatch, pointed)) and any(cell.isdecimal() for cell in plain)
    return Decimal.COMMA if pointed and is_grouped else Decimal.POINT


def number(cell: str, decimal: Decimal = Decimal.POINT) -> float | None:
    """None where the cell holds no number: that site has no such criterion. As SEO tools write them: 1,234 and 12.5K and 7%."""
    plain = SPACES.sub("", cell).lower()
    plain = THOUSANDS.sub("", plain) if decimal is Decimal.POINT else plain.replace(".", "")
    times = TIMES.get(plain[-1:], 1)
    try:
        value = float(plain.rstrip("kmb").replace(",", ".")) * times
    except ValueError:
        return None
    return value if isfinite(value) else None


class Standing:
    """All values of the column, sorted: a share within the list needs no scale, so any metric will do.

    A column in which all are equal says nothing, and is no criterion.
    """

    def __init__(self, name: str, cells: Iterable[str]) -> None:
        self.name = name
        listed = list(cells)
        self._decimal = decimal_of(listed)
        self._values = sorted(value for cell in listed if (value := number(cell, self._decimal)) is not None)

    def number(self, cell: str) -> float | None:
        """As this column writes its numbers."""
        return number(cell, self._decimal)

    def metric(self, cell: str) -> Metric | None:
        value = self.number(cell)
        if value is None or not self._values or self._values[0] == self._values[-1]:
            return None
        return Metric(self.name, cell.strip(), bisect_left(self._values, value) / (len(self._values) - 1))


@dataclass(frozen=True)
class MetricColumn:
    """One of the user's columns, taken as a metric: `filled` of the list's domains have a number in it."""

    name: str
    filled: int
    lowest: str
    highest: str


def metric_column(intake: Intake, wanted: str, file: str) -> MetricColumn:
    """By its name, its letter or its number; raises InputInvalid where it cannot tell sites apart."""
    at = columns.place(wanted, intake.names)
    if at is None:
        raise columns.missing("--metric-column", wanted, intake.names, file)
    name = intake.names[at]
    if name == intake.column:
        raise InputInvalid(
            f'Column "{name}" of {file} has the domains: it cannot be the metric as well.', _others(intake)
        )
    cells = [one.values[at] for one in intake.domains if at < len(one.values)]
    decimal = decimal_of(cells)
    numbers = sorted((value, cell.strip()) for cell in cells if (value := number(cell, decimal)) is not None)
    if not numbers:
        raise InputInvalid(f'Column "{name}" of {file} has no number in it: it cannot be the metric.', _others(intake))
    if numbers[0][0] == numbers[-1][0]:
        raise InputInvalid(
            f'All numbers in column "{name}" of {file} are {numbers[0][1]}: as the metric it says nothing.',
            _others(intake),
        )
    return MetricColumn(name, len(numbers), numbers[0][1], numbers[-1][1])


def _others(intake: Intake) -> str:
    others = [name for name in intake.names if name != intake.column]
    return (
        f"Its other columns: {columns.listed(others)}." if others else "It has no other column: leave the option out."
    )
