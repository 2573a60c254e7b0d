"""Folding: equal for a reader is equal for the matcher, and every position finds its way back."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prospector.core.reading.folding import LENGTHENED, collapse, fold, unify
from tests.reading.spelling import normalised

SPECIAL = (
    "aZ b1_'\"-`´‘’ʼ′“”„‐–−\xad\u200c\u200d\u2060\ufeff\u200e\u202a\u2066\u061c\u034f\ufe0f"
    "ﬀﬃﬆＣＲＭ＂＇－ｶﾞﾊﾟ\uffe3ßẞİıIŉǰΐςΣᾳև"
    "e\u0301a\u0323\u0307\u0344\u212b\u2126가\u1100\u1161\u11a8क\u093c\u0958が\u3099ึ你\uf900🎉"
)
TEXTS = st.text(st.one_of(st.sampled_from(SPECIAL), st.characters(exclude_categories=["Cs"])))


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Sales\xadforce", "salesforce"),
        ("a \xad \u200d b", "a b"),
        ("O’Reilly OʼReilly O`Reilly O´Reilly O′Reilly O＇Reilly", " ".join(["o'reilly"] * 6)),
        ("“x” „x‟ ＂", '"x" "x" "'),
        ("e‐e‑e‒e–e−e﹣e－e", "e-e-e-e-e-e-e-e"),
        ("e—e", "e—e"),
        ("İstanbul ISTANBUL", "istanbul istanbul"),
        ("oﬃce ＣＲＭ ｶﾞ", "office crm ガ"),
        ("Salesforce™ CRM² ①", "salesforce™ crm² ①"),
        ("Straße STRASSE ẞ", "strasse strasse ss"),
        ("ΛΟΓΟΣ λογος", "λογοσ λογοσ"),
        ("Cafe\u0301 café", "café café"),
        ("\u1112\u1161\u11ab", "한"),
        ("❤️", "❤"),
    ],
)
def test_spellings_that_a_reader_takes_for_the_same_fold_to_the_same(text: str, folded: str) -> None:
    assert fold(text).text == folded


def test_unify_keeps_the_case_and_nothing_else_apart() -> None:
    assert unify("O’Reilly ＣＲＭ İ Straße Sales\xadforce").text == "O'Reilly CRM İ Straße Salesforce"


@given(TEXTS)
def test_fold_is_the_rule_step_by_step(text: str) -> None:
    assert fold(collapse(text)).text.strip(" ") == normalised(text).strip(" ")


@given(TEXTS)
def test_unify_is_the_rule_without_case(text: str) -> None:
    assert unify(collapse(text)).text.strip(" ") == normalised(text, keep_case=True).strip(" ")


@given(TEXTS, TEXTS, TEXTS)
def test_a_match_finds_its_way_back_to_the_words_it_was_made_of(before: str, word: str, after: str) -> None:
    text = f"{before}.{word}.{after}"
    folded = fold(text)
    start = len(fold(f"{before}.").text)
    end = start + len(fold(f".{word}.").text) - 2

    found = text[folded.start(start) : folded.end(end)]

    if start < end:
        assert fold(found).text == folded.text[start:end]


def test_no_character_outside_the_ranges_grows_when_its_case_is_folded() -> None:
    growing = (one for one in map(chr, range(sys.maxunicode + 1)) if len(one.casefold()) > 1)

    assert [one for one in growing if not LENGTHENED.match(one)] == ["\u0130"]  # which has its own rule


def test_only_white_space_is_collapsed() -> None:
    assert collapse("\xa0a \t\r\n\f\vb\u3000\u2009c\u202f") == "a b c"
    assert collapse(" a\x1cb\x85c\u2028d ") == "a\x1cb\x85c\u2028d"


def test_very_many_marks_on_one_letter_are_folded_in_bounded_work() -> None:
    text = "a" + "\u0301\u0323" * 500_000

    assert len(fold(text).text) > 900_000


def test_every_character_alone_folds_as_the_rule_says() -> None:
    wrong = [
        code
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) != "Cs" and fold(f"x{chr(code)}").text != normalised(f"x{chr(code)}")
        if not chr(code).isspace()
    ]

    assert wrong == []
