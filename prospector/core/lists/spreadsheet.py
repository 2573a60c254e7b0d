"""The bytes of a list, as tables: csv, tsv, txt or xlsx, whatever its encoding, delimiter or quotes."""

import codecs
import csv
import io
import re
import string
from collections.abc import Iterator, Sequence

from prospector.core.lists.file_kinds import ZIP, foreign_kind, is_binary
from prospector.core.lists.table import MOST_TITLE_ROWS, Row, Table
from prospector.core.lists.workbook import read_sheets
from prospector.errors import InputInvalid

LARGEST_FILE_BYTES = 100 * 1024 * 1024
SAMPLE_CHARACTERS = 64 * 1024
SAMPLE_LINES = 200
SAME_COUNT = 0.8  # share of the lines that must have one count of a delimiter: a note may hold a stray comma
DELIMITERS = "\t;|,"  # in this order: a decimal comma is common in a file whose delimiter is a semicolon
HOST = re.compile(r"[a-z0-9]\.[a-z]{2}", re.IGNORECASE)
ONE_COLUMN = "\x1f"  # the unit separator, which no list has

UTF_16_SHARE = 0.4  # of the bytes at even or odd places that are NUL in Western UTF-16
NUL_SHARE = 0.01  # above it, NULs are not an accident
BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
ANSI = "cp1252"  # what Excel calls CSV, in Western Europe and America
DOUBTED_CHARACTERS = 1_000_000
WORD = re.compile(r"\w+")
WORD_SHOWN = 30  # characters
WESTERN = frozenset(string.ascii_letters + string.digits + "äöüßÄÖÜàâáãåæçéèêëîïíñôóòõøœûúùÀÁÅÆÇÉÈÊÑØŒ")
OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
WEB_PAGE = re.compile(rb"\s*(?:<!doctype html|<html)", re.IGNORECASE)

OLD_EXCEL_REMEDY = "In Excel choose File > Save As > Excel Workbook (.xlsx), or CSV UTF-8."
EXPORT_REMEDY = "Export the list as CSV or as an Excel workbook (.xlsx)."


def read_table(data: bytes, name: str, *, delimiter: str | None = None) -> Table:
    """`name` is for messages only: what a file is, its content says. `delimiter` None: found by counting."""
    return next(read_tables(data, name, delimiter))


def read_tables(data: bytes, name: str, delimiter: str | None = None) -> Iterator[Table]:
    """Of a workbook each sheet with data, of text the one table it is."""
    if not data.strip(b"\x00 \t\r\n\xef\xbb\xbf\xfe\xff"):
        raise InputInvalid(f"{name} is empty.", "Give a file with one entry a row.")
    if len(data) > LARGEST_FILE_BYTES:
        limit = f"{LARGEST_FILE_BYTES // 1024**2} MB"
        raise InputInvalid(f"{name} has {len(data) / 1024**2:,.0f} MB, the limit is {limit}.", "Split the list.")
    refuse_foreign(data, name)
    if data.startswith(ZIP):
        yield from read_sheets(data, name)
    else:
        yield _read_text(data, name, delimiter)


def refuse_foreign(data: bytes, name: str) -> None:
    if data.startswith(OLD_EXCEL):
        if ENCRYPTED in data:
            raise InputInvalid(f"{name} is protected by a password.", "In Excel save a copy without it.")
        raise InputInvalid(f"{name}: .xls (old Excel) is not supported.", OLD_EXCEL_REMEDY)
    if kind := foreign_kind(data):
        raise InputInvalid(f"{name} is {kind}, not a list.", EXPORT_REMEDY)
    if WEB_PAGE.match(data.removeprefix(codecs.BOM_UTF8)):
        raise InputInvalid(f"{name} is a web page, perhaps of a login, not a list.", EXPORT_REMEDY)


def _read_text(data: bytes, name: str, delimiter: str | None) -> Table:
    encoding, text = decoded(data, name)
    if is_binary(text):
        raise InputInvalid(f"{name} is a binary file, not a list.", EXPORT_REMEDY)
    notes = _doubt(encoding, text, name)
    if name.lower().endswith((".xlsx", ".xls")):
        notes.append(f"{name} is text, not an Excel workbook; it was read as CSV.")
    named = re.match(rf"sep=([{DELIMITERS}])\r?\n", text)  # Excel's own first line, which it does not show as a row
    text = text[named.end() :] if named else text
    chosen = delimiter or (named[1] if named else delimiter_of(text))
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=chosen, strict=True)
        return Table([Row(number, cells) for number, cells in enumerate(reader, 1)], notes=notes)
    except csv.Error:
        return _line_by_line(text, chosen, notes)


def _doubt(encoding: str, text: str, name: str) -> list[str]:
    """What is no Unicode was guessed at: a Polish or Russian list would be read, and nothing of it be found."""
    words = WORD.findall(text[:DOUBTED_CHARACTERS]) if encoding == ANSI else []
    oddest = max(words, key=lambda word: (len(set(word) - WESTERN), not word.isascii()), default="")
    if oddest.isascii():
        return []
    return [
        f'{name} was read as {ANSI}, and so has "{oddest[:WORD_SHOWN]}". If that looks wrong, save it as CSV UTF-8.'
    ]


def _line_by_line(text: str, delimiter: str, notes: list[str]) -> Table:
    """For a file with a quote that never closes, or one endless line: the damage stays in its line."""
    table = Table([], notes=notes)
    damaged = None
    for number, line in enumerate(io.StringIO(text, newline=""), 1):
        if damaged is None and line.count('"') % 2:
            damaged = number
        if len(line) > csv.field_size_limit():
            table.too_long.append(Row(number, [line[:200]]))
        else:
            table.rows.append(Row(number, next(csv.reader([line], delimiter=delimiter), [])))
    if damaged is not None:
        table.notes.append(f"Row {damaged}: a quote is opened and not closed. Each line was read on its own.")
    return table


def decoded(data: bytes, name: str) -> tuple[str, str]:
    """(the encoding as people call it, the text)"""
    for bom, encoding in BOMS:
        if data.startswith(bom):
            return encoding.removesuffix("-le").removesuffix("-be"), data[len(bom) :].decode(encoding, "replace")
    if utf_16 := _utf_16_without_bom(data):
        return "utf-16", data.decode(utf_16, "replace")
    if data.count(b"\x00") > NUL_SHARE * len(data):
        raise InputInvalid(f"{name} is a binary file, not a list.", EXPORT_REMEDY)
    try:
        return "utf-8", data.decode()
    except UnicodeDecodeError:
        return _damaged_utf_8(data) or (ANSI, data.decode(ANSI, "replace"))


def _utf_16_without_bom(data: bytes) -> str | None:
    sample = data[:4096]
    half = max(len(sample) // 2, 1)
    even, odd = sample[::2].count(0) / half, sample[1::2].count(0) / half
    if odd > UTF_16_SHARE and even < NUL_SHARE:
        return "utf-16-le"
    if even > UTF_16_SHARE and odd < NUL_SHARE:
        return "utf-16-be"
    return None


def _damaged_utf_8(data: bytes) -> tuple[str, str] | None:
    """UTF-8 that was cut or has a bad byte has more good sequences than bad; cp1252 has hardly any good one."""
    text = data.decode("utf-8", "replace")
    bad = text.count("\N{REPLACEMENT CHARACTER}")
    good = len(text) - len(text.encode("ascii", "ignore")) - bad
    return ("utf-8", text) if good > bad else None


def delimiter_of(text: str) -> str:
    """The one whose count outside quotes is the same on nearly every line; else the file has one column."""
    lines = _sample(text)
    for delimiter in DELIMITERS:
        counts = [line.count(delimiter) for line in lines]
        usual = max(set(counts), key=counts.count, default=0)
        if usual and (_are_alike(counts, usual) or _are_alike(_below_titles(lines, counts, usual), usual)):
            return delimiter
    return ONE_COLUMN


def _are_alike(counts: Sequence[int], usual: int) -> bool:
    return counts.count(usual) >= SAME_COUNT * len(counts) > 0


def _below_titles(lines: Sequence[str], counts: Sequence[int], usual: int) -> Sequence[int]:
    """From the header on, which has no domain in it: where one column has some commas, the first may be anywhere."""
    header = counts.index(usual)
    return [] if header > MOST_TITLE_ROWS or HOST.search(lines[header]) else counts[header:]


def _sample(text: str) -> list[str]:
    """The first lines, an x for what is in quotes; where quotes do not pair, each line for itself."""
    head = text[:SAMPLE_CHARACTERS]
    if len(head) < len(text):
        head = head[: head.rfind("\n") + 1] or head
    quoted = r'"[^"]*"' if head.count('"') % 2 == 0 else r'"[^"\n]*"'
    lines = re.sub(quoted, "x", head).splitlines()
    return [line for line in lines if line.strip()][:SAMPLE_LINES]
