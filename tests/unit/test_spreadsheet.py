"""Files of text as tables: encodings, delimiters, quotes, and files that are something else."""

import codecs

import pytest

from prospector.core.lists.spreadsheet import LARGEST_FILE_BYTES, ONE_COLUMN, delimiter_of, read_table
from prospector.errors import InputInvalid

PEOPLE = "Name,Website\nMüller,müller.de\n"


def cells(data: bytes | str) -> list[list[str]]:
    return [row.cells for row in read_table(data if isinstance(data, bytes) else data.encode(), "leads.csv").rows]


@pytest.mark.parametrize(
    "data",
    [
        PEOPLE.encode(),
        PEOPLE.encode("utf-8-sig"),
        PEOPLE.encode("utf-16"),
        codecs.BOM_UTF16_LE + PEOPLE.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + PEOPLE.encode("utf-16-be"),
        PEOPLE.encode("utf-16-le"),
        PEOPLE.encode("utf-16-be"),
        PEOPLE.encode("utf-32"),
        PEOPLE.encode("cp1252"),
    ],
    ids=["utf-8", "utf-8 BOM", "utf-16", "LE BOM", "BE BOM", "LE without BOM", "BE without BOM", "utf-32", "cp1252"],
)
def test_every_encoding_is_read_as_what_it_is(data: bytes) -> None:
    assert cells(data) == [["Name", "Website"], ["Müller", "müller.de"]]


def test_an_encoding_that_was_guessed_at_is_said_with_a_word_that_shows_it() -> None:
    (polish,) = read_table("Domain,Miasto\na.de,Köln\na.pl,Łódź\n".encode("cp1250"), "leads.csv").notes

    assert polish == 'leads.csv was read as cp1252, and so has "ódŸ". If that looks wrong, save it as CSV UTF-8.'


def test_an_encoding_that_is_sure_or_does_not_matter_is_not_said() -> None:
    assert read_table(PEOPLE.encode("utf-16"), "leads.csv").notes == []
    assert read_table(PEOPLE.encode(), "leads.csv").notes == []
    assert read_table("Domain,Price\na.com,5 €\n".encode("cp1252"), "leads.csv").notes == []


def test_a_word_without_end_is_shown_cut() -> None:
    (note,) = read_table(("é" + "x" * 100_000).encode("cp1252"), "leads.csv").notes

    assert f'so has "é{"x" * 29}".' in note


def test_utf_8_with_one_bad_byte_stays_utf_8() -> None:
    data = "müller.de\nbücher.de\n".encode() + b"caf\xe9.fr\n"

    assert cells(data) == [["müller.de"], ["bücher.de"], ["caf\ufffd.fr"]]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_delimiter_is_found_by_its_constant_count(delimiter: str) -> None:
    lines = [f"Acme{delimiter}acme.com{delimiter}5", f"Beta{delimiter}beta.com{delimiter}6"]

    assert cells("\n".join(lines)) == [["Acme", "acme.com", "5"], ["Beta", "beta.com", "6"]]


@pytest.mark.parametrize("text", ["domain\nexample.com\nother.org", "example.com\nother.org", "example.com"])
def test_one_column_is_never_split_with_or_without_a_header(text: str) -> None:
    assert cells(text) == [[line] for line in text.split("\n")]


def test_a_decimal_comma_does_not_beat_the_semicolon() -> None:
    assert cells("a.com;1,5\nb.com;2,5\n") == [["a.com", "1,5"], ["b.com", "2,5"]]


def test_delimiters_inside_quotes_do_not_count() -> None:
    assert cells('"Acme, Inc",acme.com\n"Beta; B, C",beta.com\n') == [
        ["Acme, Inc", "acme.com"],
        ["Beta; B, C", "beta.com"],
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_file_that_quotes_every_cell_has_its_columns(delimiter: str) -> None:
    lines = [f'"Acme"{delimiter}"acme.com"', f'"Beta ""B"" Ltd"{delimiter}"beta.com"']

    assert cells("\n".join(lines)) == [["Acme", "acme.com"], ['Beta "B" Ltd', "beta.com"]]


def test_a_stray_comma_in_one_note_of_ten_does_not_hide_the_columns() -> None:
    assert delimiter_of("a.com,note\n" * 9 + "b.com,one, two\n") == ","


def test_counts_that_differ_line_by_line_mean_one_column() -> None:
    assert delimiter_of("a.com, b.com\nc.com\nd.com, e.com, f.com\n") == ONE_COLUMN


def test_titles_above_a_short_table_do_not_hide_its_columns() -> None:
    titles = "Leads of client.com\nExported 5 January\n"

    assert delimiter_of(titles + "Domain;DR\na.com;1,5\nb.com;2\n") == ";"
    # one column, in which three of five rows have two domains
    assert delimiter_of("a.com\nb.com\nc.com, d.com\ne.com, f.com\ng.com, h.com\n") == ONE_COLUMN


def test_excels_own_first_line_names_the_delimiter_and_is_no_row_there() -> None:
    (row,) = read_table(b"sep=;\r\na.com;1\r\n", "leads.csv").rows

    assert (row.number, row.cells) == (1, ["a.com", "1"])


def test_a_row_has_the_number_that_a_spreadsheet_shows() -> None:
    table = read_table(b'name,site\n\n"two\nlines",a.com\nx,b.com\n', "leads.csv")

    assert [(row.number, row.cells) for row in table.rows] == [
        (1, ["name", "site"]),
        (2, []),
        (3, ["two\nlines", "a.com"]),
        (4, ["x", "b.com"]),
    ]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_every_line_ending_ends_a_line(ending: str) -> None:
    assert cells(ending.join(["a.com", "b.com", "c.com"])) == [["a.com"], ["b.com"], ["c.com"]]


def test_a_quote_that_never_closes_damages_its_own_line_only() -> None:
    table = read_table(b'domain,note\na.com,"open\nb.com,fine\nc.com,"closed"\n', "leads.csv")

    assert [row.cells for row in table.rows] == [
        ["domain", "note"],
        ["a.com", "open\n"],
        ["b.com", "fine"],
        ["c.com", "closed"],
    ]
    assert table.notes == ["Row 2: a quote is opened and not closed. Each line was read on its own."]


def test_a_line_of_200_kilobytes_is_set_aside_and_the_others_are_read() -> None:
    table = read_table(b"a.com\n" + b"x" * 200_000 + b"\nb.com\n", "leads.csv")

    assert [row.cells for row in table.rows] == [["a.com"], ["b.com"]]
    assert [(row.number, len(row.cells[0])) for row in table.too_long] == [(2, 200)]


def test_a_long_line_of_many_domains_is_read() -> None:
    (row,) = read_table(",".join(f"site-{number}.com" for number in range(20_000)).encode(), "leads.csv").rows

    assert len(row.cells) == 20_000


@pytest.mark.parametrize("data", [b"", b"\n\n \t\r\n", b"\xef\xbb\xbf", b"\xff\xfe", b"\x00\x00"])
def test_an_empty_file_is_refused(data: bytes) -> None:
    with pytest.raises(InputInvalid, match=r"leads\.csv is empty"):
        read_table(data, "leads.csv")


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"%PDF-1.7\n%\xe2\xe3", "a PDF document"),
        (b"\x89PNG\r\n\x1a\n", "a picture"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "a picture"),
        (b"\x1f\x8b\x08\x00", "a compressed file"),
        (b"{\\rtf1\\ansi", "a text document"),
        (b"<!DOCTYPE html><html>", "a web page"),
        (b"\xef\xbb\xbf\n<html lang=en>", "a web page"),
        (b"PK\x03\x04rubbish", "damaged"),
        (bytes(range(256)) * 4 + b"\x00" * 500, "a binary file"),
        (bytes(range(1, 256)) * 4, "a binary file"),
        (b"RIFF\x24\x00\x00\x00WEBPVP8 ", "a picture"),
    ],
    ids=["PDF", "PNG", "JPEG", "gzip", "RTF", "HTML", "HTML with BOM", "ZIP", "binary", "without NUL", "WebP"],
)
def test_a_file_named_csv_that_is_something_else_is_refused_as_what_it_is(data: bytes, kind: str) -> None:
    with pytest.raises(InputInvalid, match=kind) as caught:
        read_table(data, "leads.csv")

    assert "leads.csv" in caught.value.problem
    assert caught.value.remedy


def test_old_excel_is_refused_with_the_way_out() -> None:
    with pytest.raises(InputInvalid) as caught:
        read_table(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600, "leads.xls")

    assert str(caught.value) == (
        "leads.xls: .xls (old Excel) is not supported."
        " In Excel choose File > Save As > Excel Workbook (.xlsx), or CSV UTF-8."
    )


def test_a_workbook_with_a_password_is_not_taken_for_old_excel() -> None:
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600 + "EncryptedPackage".encode("utf-16-le")

    with pytest.raises(InputInvalid, match="protected by a password"):
        read_table(data, "leads.xlsx")


def test_text_that_is_named_xlsx_is_read_and_said() -> None:
    table = read_table(b"domain\nexample.com\n", "leads.xlsx")

    assert [row.cells for row in table.rows] == [["domain"], ["example.com"]]
    assert table.notes == ["leads.xlsx is text, not an Excel workbook; it was read as CSV."]


def test_a_few_nul_bytes_stay_in_their_row() -> None:
    assert cells(b"a.com\n" * 100 + b"b\x00.com\n") == [["a.com"]] * 100 + [["b\x00.com"]]


def test_a_file_beyond_the_limit_is_refused_before_it_is_read() -> None:
    with pytest.raises(InputInvalid, match="the limit is 100 MB"):
        read_table(b"a.com\n" * (LARGEST_FILE_BYTES // 6 + 1), "leads.csv")
