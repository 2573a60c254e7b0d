"""The user's own column, such as a domain rating: each site's standing within the list."""

import re
from bisect import bisect_left
from collections.abc import Iterable
from math import isfinite

from prospector.core.score import Metric

NOT_OF_A_NUMBER = re.compile(r"[\s%,'\u00a0\u202f]")


def number(cell: str) -> float | None:
    """None where the cell holds no number: that site has no such criterion."""
    try:
        value = float(NOT_OF_A_NUMBER.sub("", cell))
    except ValueError:
        return None
    return value if isfinite(value) else None


class Standing:
    """All values of the column, sorted: a share within the list needs no scale, so any metric will do.

    A column in which all are equal says nothing, and is no criterion.
    """

    def __init__(self, name: str, cells: Iterable[str]) -> None:
        self.name = name
        self._values = sorted(value for value in map(number, cells) if value is not None)

    def metric(self, cell: str) -> Metric | None:
        value = number(cell)
        if value is None or not self._values or self._values[0] == self._values[-1]:
            return None
        return Metric(self.name, cell.strip(), bisect_left(self._values, value) / (len(self._values) - 1))
