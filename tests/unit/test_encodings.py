"""Bytes to text: every encoding the web uses, as a browser decides which one it is."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prospector.core.reading.encodings import decode, known
from prospector.core.reading.page import read


def text(body: bytes, content_type: str = "") -> str:
    return decode(body, content_type).utf8.decode("utf-8", "replace")


@pytest.mark.parametrize(
    ("label", "encoding", "words"),
    [
        ("windows-1251", "cp1251", "купить"),
        ("KOI8-R", "koi8-r", "купить"),
        ("iso-8859-1", "cp1252", "“naïve” €"),
        ("latin1", "cp1252", "„größe“"),
        ("ISO-8859-2", "iso8859-2", "žluťoučký"),
        ("iso-8859-9", "cp1254", "İstanbul"),
        ("Shift_JIS", "cp932", "データ①"),
        ("x-sjis", "cp932", "最適"),
        ("EUC-JP", "euc_jp", "最適な"),
        ("iso-2022-jp", "iso2022_jp", "最適"),
        ("gb2312", "gb18030", "软件€"),
        ("GBK", "gb18030", "軟體"),
        ("big5", "big5", "軟體"),
        ("euc-kr", "cp949", "한국똠"),
        ("tis-620", "cp874", "ซอฟต์แวร์"),
        ("windows-1255", "cp1255", "עברית"),
        ("windows-1256", "cp1256", "العربية"),
        ("utf-8", "utf-8", "größe データ"),
        ("utf-16le", "utf-16-le", "größe"),
    ],
)
def test_the_charset_of_http_is_read(label: str, encoding: str, words: str) -> None:
    assert text(words.encode(encoding), f'text/html; charset="{label}"') == words


def test_a_byte_order_mark_beats_everything() -> None:
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        assert text(mark + "größe".encode(encoding), "text/html; charset=iso-8859-1") == "größe"


@pytest.mark.parametrize(
    "declaration",
    [
        '<meta charset="windows-1251">',
        "<META CHARSET=windows-1251>",
        "<meta http-equiv=Content-Type content='text/html; charset=windows-1251'>",
        '<meta content="text/html;charset = windows-1251" http-equiv="content-type">',
        '<?xml version="1.0" encoding="windows-1251"?>',
        f"<!-- <meta charset=utf-8> --><meta charset='windows-1251'>{' ' * 2000}",
    ],
)
def test_the_documents_own_word_is_read(declaration: str) -> None:
    assert text(f"{declaration}<p>купить".encode("cp1251")).endswith("купить")


def test_http_beats_the_documents_own_word() -> None:
    assert text('<meta charset="utf-8">größe'.encode("latin-1"), "text/html;charset=latin1").endswith("größe")


def test_a_declaration_of_utf_16_that_can_be_read_is_utf_8() -> None:
    assert text('<meta charset="utf-16">größe'.encode()).endswith("größe")


def test_a_declaration_far_down_is_found_when_the_bytes_are_not_utf_8() -> None:
    assert text((f"<!--{'x' * 3000}--><meta charset=koi8-r><p>купить").encode("koi8-r")).endswith("купить")


def test_without_a_word_it_is_utf_8_or_windows_1252() -> None:
    assert text("größe データ".encode()) == "größe データ"
    assert text("“größe”".encode("cp1252")) == "“größe”"


def test_utf_8_that_was_cut_off_is_still_utf_8() -> None:
    assert decode("größe データ".encode()[:-1]).charset == "utf-8"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_seen_without_a_mark(encoding: str) -> None:
    assert text("<p>Top CRM größe</p>".encode(encoding)) == "<p>Top CRM größe</p>"


def test_a_wrong_charset_costs_letters_and_not_the_page() -> None:
    page = read("<p>CRM größe</p>".encode("latin-1"), "https://a.example/", "text/html; charset=utf-8")

    assert page.text.split() == ["CRM", "gr\ufffd\ufffde"] or "CRM gr" in page.text


@pytest.mark.parametrize("label", ["", "nonsense", "utf-7", "hex", "rot13", "zlib", "idna", "\0", "a" * 5000])
def test_a_label_that_is_no_encoding_of_the_web_is_ignored(label: str) -> None:
    assert known(label) is None
    assert text("größe".encode(), f"text/html; charset={label}") == "größe"


@given(st.binary(max_size=300), st.text(max_size=20))
def test_no_bytes_and_no_header_stop_it(body: bytes, content_type: str) -> None:
    text(body, f"text/html; charset={content_type}")
