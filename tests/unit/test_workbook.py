"""Excel workbooks: rows, numbers, sheets, and files that would break the reader."""

import io
import zipfile
from collections.abc import Sequence
from datetime import date

import openpyxl
import pytest
import xlsxwriter

from prospector.core.lists import intake
from prospector.core.lists.exclusions import exclusions
from prospector.core.lists.intake import take
from prospector.core.lists.table import Table
from prospector.core.lists.workbook import read_sheets
from prospector.errors import InputInvalid


def read_workbook(data: bytes, name: str) -> Table:
    return next(read_sheets(data, name))


def workbook(*sheets: Sequence[tuple[str, object]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for number, entries in enumerate(sheets, 1):
        sheet = book.create_sheet(f"Sheet{number}")
        for place, value in entries:
            sheet[place] = value
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def changed(data: bytes, name: str, old: bytes, new: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(file, "w") as after:
        for entry in before.namelist():
            content = before.read(entry)
            after.writestr(entry, content.replace(old, new) if entry == name else content)
    return file.getvalue()


LIST = workbook([("A1", "domain"), ("A2", "a.com"), ("A3", "b.com")])


def test_rows_have_the_numbers_that_excel_shows_even_below_empty_ones() -> None:
    table = read_workbook(workbook([("B3", "domain"), ("B5", "a.com"), ("C5", 12)]), "leads.xlsx")

    assert [(row.number, row.cells) for row in table.rows] == [(3, ["", "domain"]), (5, ["", "a.com", "12"])]


def test_values_are_text_as_a_person_reads_them() -> None:
    sheet = [("A1", "x"), ("B1", 12), ("C1", 12.0), ("D1", 1.5), ("E1", True), ("F1", date(2026, 5, 1)), ("H1", "y")]

    (row,) = read_workbook(workbook(sheet), "leads.xlsx").rows

    assert row.cells == ["x", "12", "12", "1.5", "True", "2026-05-01", "", "y"]


def test_the_first_sheet_with_data_is_read_and_said() -> None:
    table = read_workbook(workbook([], [("A1", "a.com")], [("A1", "b.com")]), "leads.xlsx")

    assert [row.cells for row in table.rows] == [["a.com"]]
    assert table.notes == ['leads.xlsx has 3 sheets; "Sheet2" was read.']


def test_a_workbook_without_data_is_refused() -> None:
    with pytest.raises(InputInvalid, match="no sheet with data"):
        read_workbook(workbook([]), "leads.xlsx")


@pytest.mark.parametrize(
    "data",
    [LIST[:-200], LIST[:100], LIST[:200] + b"\xff" * 400 + LIST[600:], b"PK\x03\x04" + b"\x00" * 500],
    ids=["cut", "begun", "overwritten", "empty zip"],
)
def test_a_damaged_workbook_is_refused(data: bytes) -> None:
    with pytest.raises(InputInvalid, match=r"leads\.xlsx is damaged"):
        read_workbook(data, "leads.xlsx")


def test_a_zip_that_is_no_workbook_is_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("leads.csv", "a.com")

    with pytest.raises(InputInvalid, match="is a zip archive without an Excel workbook in it"):
        read_workbook(file.getvalue(), "leads.xlsx")


def test_a_workbook_with_broken_xml_is_refused() -> None:
    with pytest.raises(InputInvalid, match="is damaged"):
        read_workbook(changed(LIST, "xl/worksheets/sheet1.xml", b"<sheetData>", b"<sheetData"), "leads.xlsx")


def test_a_stray_cell_at_the_far_corner_is_refused_not_fatal() -> None:
    with pytest.raises(InputInvalid, match="1,048,576 rows and 16,384 columns"):
        read_workbook(workbook([("A1", "a.com"), ("XFD1048576", " ")]), "leads.xlsx")


def test_a_row_number_beyond_excel_is_refused_not_fatal() -> None:
    data = changed(LIST, "xl/worksheets/sheet1.xml", b'"A3"', b'"A99999999999"')

    with pytest.raises(InputInvalid):
        read_workbook(data, "leads.xlsx")


def test_a_count_that_cannot_be_true_is_refused_not_fatal() -> None:
    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        book.add_worksheet().write("A1", "a.com")
    data = changed(file.getvalue(), "xl/sharedStrings.xml", b'uniqueCount="1"', b'uniqueCount="999999999999"')

    with pytest.raises(InputInvalid, match="count"):
        read_workbook(data, "leads.xlsx")


def test_a_stray_cell_far_to_the_right_of_a_long_sheet_is_refused() -> None:
    with pytest.raises(InputInvalid, match="20,000 rows and 16,384 columns"):
        read_workbook(workbook([("A20000", "a.com"), ("XFD1", " ")]), "leads.xlsx")


@pytest.mark.parametrize("written", [b"r='XFD1048576'", b'r = "XFD1048576"', b'r="xfd1048576"'])
def test_a_far_cell_is_seen_however_it_is_written(written: bytes) -> None:
    data = changed(LIST, "xl/worksheets/sheet1.xml", b'r="A3"', written)

    with pytest.raises(InputInvalid):
        read_workbook(data, "leads.xlsx")


@pytest.mark.parametrize("place", ["C1048576", "XFD2"])
def test_a_stray_cell_in_the_last_row_or_column_costs_nothing(place: str) -> None:
    table = read_workbook(workbook([("A1", "a.com"), (place, " ")]), "leads.xlsx")

    assert table.rows[0].cells == ["a.com"]


def test_a_workbook_that_unpacks_without_measure_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prospector.core.lists.workbook.MOST_UNPACKED_BYTES", 1000)

    with pytest.raises(InputInvalid, match="unpacks to more than"):
        read_workbook(LIST, "leads.xlsx")


COVER = [("A1", "Outreach list Q1"), ("A2", "made by Anna"), ("B2", "info@acme.com")]


def test_the_sheet_with_the_domains_is_taken_and_not_the_cover_before_it() -> None:
    leads = [("A1", "Site"), ("A2", "a.com"), ("B1", "DR"), ("B2", 7)]

    found = take(workbook(COVER, leads), "leads.xlsx", exclusions())

    assert [one.domain for one in found.domains] == ["a.com"]
    assert 'leads.xlsx has 2 sheets; "Sheet2" was read.' in found.warnings


def test_a_named_column_is_looked_for_in_every_sheet() -> None:
    leads = [("A1", "Partner"), ("A2", "a.com"), ("B1", "Other"), ("B2", "b.com")]

    found = take(workbook([("A1", "domain"), ("A2", "c.com")], leads), "leads.xlsx", exclusions(), "Partner")

    assert [one.domain for one in found.domains] == ["a.com"]


def test_where_no_sheet_has_a_domain_the_first_one_is_told_of() -> None:
    found = take(workbook(COVER[:2], COVER[:1]), "leads.xlsx", exclusions())

    assert [one.value for one in found.rejected] == ["Outreach list Q1", "made by Anna"]


def test_a_list_that_is_too_long_is_not_passed_over_for_the_next_sheet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "MOST_DOMAINS", 2)
    many = [("A1", "domain"), *((f"A{row}", f"site-{row}.com") for row in range(2, 5))]

    with pytest.raises(InputInvalid, match="the limit is 2"):
        take(workbook(many, [("A1", "domain"), ("A2", "a.com")]), "leads.xlsx", exclusions())


def test_a_sheet_without_domains_is_named_where_there_are_others() -> None:
    summary = [("A1", "What"), ("B1", "Count"), ("A2", "rows"), ("B2", 2)]
    several = workbook(summary, summary)

    with pytest.raises(InputInvalid, match=r'domains in sheet "Sheet1" of leads\.xlsx\.'):
        take(several, "leads.xlsx", exclusions())
    with pytest.raises(InputInvalid, match=r"domains in leads\.xlsx\."):
        take(workbook(summary), "leads.xlsx", exclusions())
