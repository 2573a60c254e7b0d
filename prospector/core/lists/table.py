"""Rows of text with their numbers: what every kind of list is read into."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from prospector.errors import InputInvalid

MOST_TITLE_ROWS = 12


class NoList(InputInvalid):
    """A table in which there are no domains where they should be: perhaps another sheet of the workbook has them."""


@dataclass(frozen=True, slots=True)
class Row:
    """`number` is the row that a spreadsheet program shows."""

    number: int
    cells: list[str]

    @property
    def filled(self) -> int:
        return sum(1 for cell in self.cells if cell.strip())


@dataclass(frozen=True)
class Table:
    rows: list[Row]
    too_long: list[Row] = field(default_factory=list)  # rows with a cell beyond any sense; cut
    notes: list[str] = field(default_factory=list)  # what the user should know about how it was read
    sheet: str = ""  # of a workbook that has others


def title_rows(rows: Sequence[Row], is_header: Callable[[Row], bool]) -> int:
    """How many stand above the header: a title, a date, whom an export is about. None of them is more than half as full as it."""
    fullest = 0
    for at, row in enumerate(rows[: MOST_TITLE_ROWS + 1]):
        if row.filled >= 2 * fullest and is_header(row):
            return at
        fullest = max(fullest, row.filled)
    return 0


def titles_note(rows: Sequence[Row], titles: int, file: str) -> list[str]:
    if not titles:
        return []
    if titles == 1:
        return [f"Row {rows[0].number} of {file} stands above the header, and was left out."]
    return [f"Rows {rows[0].number} to {rows[titles - 1].number} of {file} stand above the header, and were left out."]
