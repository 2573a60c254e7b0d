"""Text on its way into a cell of a spreadsheet: nothing in it runs, nothing in it breaks the file."""

import re
from collections.abc import Iterable

# what Excel, LibreOffice and Google Sheets take for the beginning of a formula
FORMULA_STARTS = frozenset("=+-@\t\r")
GUARD = "'"
# as a spreadsheet can hold it without loss: 15 digits, and a leading zero means that it is no quantity
PLAIN_NUMBER = re.compile(r"-?(?=[0-9.]{1,16}$)(?:0|[1-9][0-9]{0,14})(?:\.[0-9]+)?")

# digits and what people put between them: there is nothing in it that could run, and a cell of text keeps the plus. In a csv
# file it is guarded all the same, for there Excel makes a number of it
PHONE_NUMBER = re.compile(r"\+[0-9][0-9 ()./-]{2,30}")

EXCEL_CELL_CHARACTERS = 32_767
SURELY_SHORT = EXCEL_CELL_CHARACTERS // 2
CUT = " … (cut)"

# XML 1.0 knows no way to write these; xlsxwriter would write _x0007_, which is what a reader then sees
NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def guarded(text: str) -> str:
    """The text with an apostrophe before it where a spreadsheet would take it for a formula."""
    return GUARD + text if text and text[0] in FORMULA_STARTS else text


def guarded_value(text: str) -> str:
    """As `guarded`, for a cell of the user's own columns, where -5 is a number and no formula."""
    return text if is_number(text) else guarded(text)


def is_number(text: str) -> bool:
    return PLAIN_NUMBER.fullmatch(text) is not None


def csv_line(cells: Iterable[object], end: str) -> str:
    """One record as RFC 4180 wants it. The csv module takes five times as long on long text, and there are millions."""
    return ",".join([_quoted("" if cell is None else str(cell)) for cell in cells]) + end


def _quoted(text: str) -> str:
    if '"' in text:
        return '"' + text.replace('"', '""') + '"'
    return f'"{text}"' if "," in text or "\n" in text or "\r" in text else text


def excel_text(text: str) -> str:
    """Guarded, unless it is a phone number, and no longer than a cell may be."""
    if len(text) < SURELY_SHORT and text.isprintable() and text[:1] not in FORMULA_STARTS:
        return text  # nearly all of them: none of what follows could change it
    text = NOT_IN_XML.sub("\ufffd", text)
    text = text if PHONE_NUMBER.fullmatch(text) else guarded(text)
    if excel_length(text) <= EXCEL_CELL_CHARACTERS:
        return text
    return _shortened(text, EXCEL_CELL_CHARACTERS - len(CUT)) + CUT


def excel_length(text: str) -> int:
    """Excel counts UTF-16 units: an emoji is two."""
    return len(text) + sum(character > "\uffff" for character in text) if not text.isascii() else len(text)


def _shortened(text: str, units: int) -> str:
    encoded = text[:units].encode("utf-16-le")[: 2 * units]
    return encoded.decode("utf-16-le", "ignore")
