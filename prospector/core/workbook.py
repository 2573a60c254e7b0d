"""An Excel workbook (.xlsx) as rows of text."""

import io
import re
import zipfile
import zlib
from datetime import date, datetime, time, timedelta

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, PasswordError, SheetVisibleEnum

from prospector.core.table import Row, Table
from prospector.errors import InputInvalid

MOST_CELLS = 10_000_000  # of the rectangle around a sheet's data, which the reader lays out in memory
MOST_UNPACKED_BYTES = 1 << 30
CELL_COLUMN = re.compile(rb"""\sr\s*=\s*["']([A-Z]{1,3})\d""")
FAR_ROW = re.compile(rb"""["'][A-Z]{0,3}(\d{6,7})["']""")
ANY_ROW = re.compile(rb"""\sr\s*=\s*["'][A-Z]{0,3}(\d{1,7})["']""")
NEAR_ROWS = 99_999  # what a row number of five digits can be; few sheets have more, and those are counted

NO_WORKBOOK_REMEDY = "Save it in Excel as Excel Workbook (.xlsx), or as CSV UTF-8."

Value = int | float | str | bool | time | date | datetime | timedelta


def read_workbook(data: bytes, name: str) -> Table:
    """The first visible sheet that has data."""
    refuse_impossible(data, name)
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
        sheets = [one.name for one in workbook.sheets_metadata if one.visible == SheetVisibleEnum.Visible]
        for sheet_name in sheets:
            sheet = workbook.get_sheet_by_name(sheet_name)
            if sheet.end is not None:
                return Table(_rows(sheet), notes=_notes(name, sheet_name, sheets))
    except PasswordError:
        raise InputInvalid(f"{name} is protected by a password.", "In Excel save a copy without it.") from None
    except CalamineError as error:
        raise InputInvalid(f"{name} is damaged: {error}.", NO_WORKBOOK_REMEDY) from None
    raise InputInvalid(f"{name} has no sheet with data.", "Give a workbook with one entry a row.")


def refuse_impossible(data: bytes, name: str) -> None:
    """The reader lays out the whole rectangle of a sheet: one stray cell at XFD1048576 would end the process."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if not any(entry.filename.lower() == "xl/workbook.xml" for entry in entries):
                raise InputInvalid(f"{name} is not an Excel workbook (.xlsx).", NO_WORKBOOK_REMEDY)
            if sum(entry.file_size for entry in entries) > MOST_UNPACKED_BYTES:
                raise InputInvalid(
                    f"{name} unpacks to more than 1 GB.", "Copy the column with the domains to a new workbook."
                )
            for entry in entries:
                if entry.filename.lower().startswith("xl/worksheets/") and entry.filename.lower().endswith(".xml"):
                    _refuse_vast(archive.read(entry), name)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        raise InputInvalid(f"{name} is damaged: {error}.", NO_WORKBOOK_REMEDY) from None


def _refuse_vast(xml: bytes, name: str) -> None:
    columns = max(map(_column_number, set(CELL_COLUMN.findall(xml))), default=1)
    rows = max(map(int, set(FAR_ROW.findall(xml))), default=NEAR_ROWS)
    if columns * rows > MOST_CELLS:
        rows = max(map(int, set(ANY_ROW.findall(xml))), default=1)
    if columns * rows > MOST_CELLS:
        raise InputInvalid(
            f"{name} has a sheet of {rows:,} rows and {columns:,} columns, nearly all empty.",
            "Copy the columns with data to a new workbook.",
        )


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - ord("A") + 1
    return number


def _rows(sheet: CalamineSheet) -> list[Row]:
    values = sheet.to_python(skip_empty_area=False)
    return [
        Row(number, [cell if type(cell) is str else _text(cell) for cell in cells])
        for number, cells in enumerate(values, 1)
    ]


def _text(value: Value) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _notes(name: str, read: str, sheets: list[str]) -> list[str]:
    return [f'{name} has {len(sheets)} sheets; "{read}" was read.'] if len(sheets) > 1 else []
