"""Other spellings of keywords: those that people write, and none that nobody does."""

import pytest

from prospector.core.reading.folding import fold
from prospector.core.reading.page import read
from prospector.core.words.keywords import Keyword
from prospector.core.words.match import Matcher
from prospector.core.words.other_spellings import missed_spellings


def missed(text: str, *others: str) -> list[str]:
    return missed_spellings([Keyword(one) for one in (text, *others)]).get(text, [])


@pytest.mark.parametrize(
    ("keyword", "ways"),
    [
        ("e-commerce", ["ecommerce", "e commerce"]),
        ("eCommerce", ["e-commerce"]),
        ("email marketing", ["e-mail marketing"]),
        ("WH-1000XM5", ["wh1000xm5", "wh 1000xm5"]),
        ("state-of-the-art CRM", ["state of the art crm"]),
        ("5-star hotel", ["5 star hotel"]),
        ("2023-24", []),
        ("Johnson & Johnson", ["johnson and johnson"]),
        ("R&D", ["r & d"]),
        ("R & D", ["r&d"]),
        ("AT&T", []),
        ("Acme CRM", []),
        ("C++", []),
        ("-5 degrees", []),
    ],
)
def test_english(keyword: str, ways: list[str]) -> None:
    assert missed(keyword) == ways


@pytest.mark.parametrize(
    ("keyword", "ways"),
    [
        ("Müller", ["mueller", "muller"]),
        ("Straße", []),  # folding has made it one with Strasse
        ("Müller & Partner", ["mueller & partner", "muller & partner"]),  # not "and"
        ("Café Central", ["cafe central"]),
        ("cœur brisé", ["coeur brise"]),
        ("España", ["espana"]),
        ("łódź", ["lodz"]),
        ("Søren", ["soeren", "soren"]),
        ("Đà Nẵng", ["da nang"]),
        ("Ελλάδα", ["ελλαδα"]),
        ("счёт", ["счет"]),
        ("أحمد", ["احمد"]),
    ],
)
def test_accents_that_are_left_out(keyword: str, ways: list[str]) -> None:
    assert missed(keyword) == ways


@pytest.mark.parametrize("keyword", ["ガイド", "データベース", "東京", "한국어", "हिन्दी", "ไทย", "дизайн", "їжа"])
def test_a_mark_that_makes_another_letter_stays(keyword: str) -> None:
    assert missed(keyword) == []


@pytest.mark.parametrize(
    ("keyword", "other", "ways"),
    [
        ("üzüm", "ışık", ["uzum"]),
        ("pingüino", "diseño", ["pinguino"]),
        ("yö", "päätös", ["yo"]),
        ("Ålesund", "øl", ["aalesund", "alesund"]),
        ("Göteborg", "Skåne", ["goteborg"]),
        ("Jürgen", "Café", ["juergen", "jurgen"]),
    ],
)
def test_an_umlaut_is_written_with_an_e_in_lists_that_can_be_german(keyword: str, other: str, ways: list[str]) -> None:
    assert missed(keyword, other) == ways


@pytest.mark.parametrize(
    ("keyword", "ways"),
    [
        ("ışık", ["isik", "Işık", "IŞIK"]),
        ("IŞIK", ["isik", "Işık", "ışık"]),
        ("Kadıköy CRM", ["kadikoy crm", "KADIKÖY CRM"]),
        ("İstanbul", []),
        ("şirket IT", ["sirket it"]),  # IT has no dotless i
    ],
)
def test_turkish_has_two_letters_i_and_folding_one(keyword: str, ways: list[str]) -> None:
    assert missed(keyword) == ways


def test_a_spelling_that_is_in_the_list_is_not_missed() -> None:
    assert missed("e-commerce", "ecommerce") == ["e commerce"]
    assert missed("e-commerce", "ecommerce", "E Commerce") == []
    assert missed("ışık", "IŞIK", "isik") == ["Işık"]


@pytest.mark.parametrize("keyword", ["E-Mail", "Müller", "Kadıköy", "ışık", "R&D", "Søren", "счёт"])
def test_what_is_called_missed_is_not_found_and_would_be_by_its_own_keyword(keyword: str) -> None:
    for way in missed(keyword):
        page = read(f"<p>{way}</p>".encode(), "http://a.test/")

        assert not Matcher([Keyword(keyword)]).mentions(page)
        assert Matcher([Keyword(way)]).mentions(page)
        assert fold(way).text != fold(keyword).text
