"""Rows of text with their numbers: what every kind of list is read into."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Row:
    """`number` is the row that a spreadsheet program shows."""

    number: int
    cells: list[str]


@dataclass(frozen=True)
class Table:
    rows: list[Row]
    too_long: list[Row] = field(default_factory=list)  # rows with a cell beyond any sense; cut
    notes: list[str] = field(default_factory=list)  # what the user should know about how it was read
