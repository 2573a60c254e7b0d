"""One sheet of a workbook, written row by row: typed cells, a frozen head, filters, and never past Excel's limits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from prospector.core.results.cells import EXCEL_CELL_CHARACTERS, SURELY_SHORT, excel_length, excel_text, is_number

MOST_ROWS = 1_048_576  # Excel's, the head included
MOST_COLUMNS = 16_384
ZERO = datetime(1899, 12, 30)  # noqa: DTZ001  # Excel's calendar knows no time zones; all of ours are UTC


class Kind(Enum):
    TEXT = "text"
    NUMBER = "number"
    MOMENT = "moment"
    OWN = "own"  # a column of the user's file: numbers are numbers again


TEXTS = frozenset({Kind.TEXT, Kind.OWN})


def plain_number(text: str) -> float | None:
    """None: only as text nothing of it is lost."""
    return float(text) if is_number(text) else None


@dataclass(frozen=True)
class Column:
    """`number` reads the cells of a column of the user's own: None is text."""

    title: str
    width: int = 16
    kind: Kind = Kind.TEXT
    number: Callable[[str], float | None] = plain_number


@dataclass(frozen=True)
class Formats:
    """The looks of cells, made once for a workbook. `beside`: of text that would touch the number left of it."""

    title: Any
    head: Any
    head_right: Any
    head_beside: Any
    beside: Any
    whole: Any
    money: Any
    moment: Any
    quiet: Any

    @classmethod
    def of(cls, book: Any) -> "Formats":
        head = {"bold": True, "bg_color": "#12324A", "font_color": "#FFFFFF", "valign": "vcenter"}
        return cls(
            title=book.add_format({"bold": True, "font_size": 16, "font_color": "#12324A"}),
            head=book.add_format(head),
            head_right=book.add_format({**head, "align": "right"}),
            head_beside=book.add_format({**head, "indent": 1}),
            beside=book.add_format({"indent": 1}),
            whole=book.add_format({"num_format": "#,##0"}),
            money=book.add_format({"num_format": "$#,##0.00"}),
            moment=book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"}),
            quiet=book.add_format({"font_color": "#6B7780"}),
        )


class Sheet:
    """Goes on as `Mentions 2` where Excel has no more rows. `cut` counts cells that were too long for Excel."""

    def __init__(
        self,
        add: Callable[[str], Any],
        formats: Formats,
        name: str,
        columns: Sequence[Column],
        most_rows: int = MOST_ROWS,
    ) -> None:
        self._add, self._formats, self._name = add, formats, name
        self._columns = columns[:MOST_COLUMNS]
        self._most_rows = most_rows
        self.names: list[str] = []
        self.rows = 0
        self.cut = 0
        self._begin()

    def write(self, values: Sequence[object]) -> None:
        if self._next == self._most_rows:
            self._finish()
            self._begin()
        for column, (value, kind, look) in enumerate(zip(values, self._kinds, self._looks, strict=False)):
            if value is not None and value != "":
                self._cell(column, value, kind, look)
        self._next += 1
        self.rows += 1

    def say(self, line: str) -> None:
        """Words where rows would be."""
        self._page.write_string(self._next, 0, excel_text(line))
        self._next += 1

    def finish(self) -> None:
        self._finish()

    def _cell(self, column: int, value: object, kind: Kind, text_look: Any) -> None:
        if kind is Kind.OWN and (own := self._columns[column].number(str(value))) is not None:
            self._page.write_number(self._next, column, own)
        elif kind in TEXTS:
            text = str(value)
            self._page.write_string(self._next, column, excel_text(text), text_look)
            self.cut += len(text) >= SURELY_SHORT and excel_length(text) > EXCEL_CELL_CHARACTERS
        elif kind is Kind.MOMENT:
            assert isinstance(value, datetime)
            days = (value.replace(tzinfo=None) - ZERO).total_seconds() / 86_400
            self._page.write_number(self._next, column, days, self._formats.moment)
        else:
            self._page.write_number(self._next, column, value, self._formats.whole)

    def _begin(self) -> None:
        self.names.append(f"{self._name} {len(self.names) + 1}" if self.names else self._name)
        self._page = self._add(self.names[-1])
        self._kinds = [column.kind for column in self._columns]
        follows = [False, *(kind in {Kind.NUMBER, Kind.OWN} for kind in self._kinds)]
        self._looks = [self._formats.beside if one else None for one in follows]
        self._page.set_row(0, 22)
        for number, column in enumerate(self._columns):
            self._page.set_column(number, number, column.width)
            head = self._formats.head_beside if follows[number] else self._formats.head
            look = self._formats.head_right if column.kind is Kind.NUMBER else head
            self._page.write_string(0, number, excel_text(column.title), look)
        self._next = 1
        self._page.freeze_panes(1, 1)
        self._page.set_landscape()
        self._page.fit_to_pages(1, 0)
        self._page.repeat_rows(0)

    def _finish(self) -> None:
        if self._columns:
            self._page.autofilter(0, 0, max(self._next - 1, 1), len(self._columns) - 1)
