"""An Excel workbook (.xlsx) as rows of text."""

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, PasswordError, SheetVisibleEnum

from prospector.core.lists.table import Row, Table
from prospector.errors import InputInvalid

MOST_CELLS = 10_000_000  # of the rectangle around a sheet's data, which the reader lays out in memory
MOST_UNPACKED_BYTES = 1 << 30
# nearly every sheet ends before column AA and row 100,000, and is written like this: one fast search says so
FAR = re.compile(rb' r="(?:[A-Za-z]{2,}\d|[A-Za-z]?\d{6,})')
ODDLY_WRITTEN = (b"r='", b"r =", b"r= ", b"r\t", b"r\n")
COLUMN = re.compile(rb"""\sr\s*=\s*["']([A-Za-z]+)\d""")
ROW = re.compile(rb"""\sr\s*=\s*["'][A-Za-z]*(\d+)["']""")
VAST_COUNT = re.compile(rb"""ount\s*=\s*["']\d{8,}""")  # count and uniqueCount
HEAD_BYTES = 4096

NO_WORKBOOK_REMEDY = "Save it in Excel as Excel Workbook (.xlsx), or as CSV UTF-8."

Value = int | float | str | bool | time | date | datetime | timedelta


def read_sheets(data: bytes, name: str) -> Iterator[Table]:
    """The visible sheets that have data, at least one, each read when it is asked for."""
    refuse_impossible(data, name)
    is_empty = True
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
        sheets = [one.name for one in workbook.sheets_metadata if one.visible == SheetVisibleEnum.Visible]
        for sheet_name in sheets:
            sheet = workbook.get_sheet_by_name(sheet_name)
            if sheet.end is not None:
                is_empty = False
                if len(sheets) == 1:
                    yield Table(_rows(sheet))
                else:
                    notes = [f'{name} has {len(sheets)} sheets; "{sheet_name}" was read.']
                    yield Table(_rows(sheet), notes=notes, sheet=sheet_name)
    except PasswordError:
        raise InputInvalid(f"{name} is protected by a password.", "In Excel save a copy without it.") from None
    except CalamineError as error:
        raise _damaged(name) from error
    if is_empty:
        raise InputInvalid(f"{name} has no sheet with data.", "Give a workbook with one entry a row.")


def refuse_impossible(data: bytes, name: str) -> None:
    """What would make the reader ask for more memory than there is, and so end the process without a word.

    It lays out the whole rectangle of a sheet (one stray cell at XFD1048576 is enough), and believes written counts.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [entry for entry in archive.infolist() if entry.filename.lower().endswith(".xml")]
            if not any(entry.filename.lower() == "xl/workbook.xml" for entry in entries):
                raise InputInvalid(
                    f"{name} is a zip archive without an Excel workbook in it, not a list.", NO_WORKBOOK_REMEDY
                )
            if sum(entry.file_size for entry in entries) > MOST_UNPACKED_BYTES:
                raise InputInvalid(f"{name} unpacks to more than 1 GB.", "Copy the columns you need to a new workbook.")
            for entry in entries:
                if entry.filename.lower().startswith("xl/worksheets/"):
                    _refuse_vast(archive.read(entry), name)
                elif VAST_COUNT.search(archive.open(entry).read(HEAD_BYTES)):
                    raise InputInvalid(f"{name} is damaged: a count in it cannot be true.", NO_WORKBOOK_REMEDY)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        raise _damaged(name) from error


def _damaged(name: str) -> InputInvalid:
    return InputInvalid(f"{name} is damaged and cannot be opened as an Excel workbook.", NO_WORKBOOK_REMEDY)


def _refuse_vast(xml: bytes, name: str) -> None:
    if not FAR.search(xml) and not any(odd in xml for odd in ODDLY_WRITTEN):
        return
    columns = max(map(_column_number, set(COLUMN.findall(xml))), default=1)
    rows = max(map(int, set(ROW.findall(xml))), default=1)
    if columns * rows > MOST_CELLS:
        raise InputInvalid(
            f"{name} has a sheet of {rows:,} rows and {columns:,} columns, nearly all empty.",
            "Copy the columns with data to a new workbook.",
        )


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - ord("A") + 1
    return number


def _rows(sheet: CalamineSheet) -> list[Row]:
    values = sheet.to_python(skip_empty_area=False)
    rows = []
    for number, values_of_row in enumerate(values, 1):
        if values_of_row.count("") == len(values_of_row):
            continue  # a sheet whose last row is a stray cell has a million of these
        cells = [cell if type(cell) is str else _text(cell) for cell in values_of_row]
        while cells and not cells[-1]:  # one stray cell far to the right makes every row as wide
            cells.pop()
        rows.append(Row(number, cells))
    return rows


def _text(value: Value) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
