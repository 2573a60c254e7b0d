"""Keywords: what is kept of what the user wrote, what is compared, and what is refused."""

import pytest

from prospector.core.words.keywords import Keyword
from prospector.errors import InputInvalid


def test_a_keyword_is_trimmed_and_collapsed_in_the_users_spelling() -> None:
    assert Keyword("\xa0 Customer \t Relationship ").text == "Customer Relationship"


@pytest.mark.parametrize("text", ["crm\u200b", "\ufeffcrm", "\u200ecrm \u200f", "c\u200brm", "\u200b crm"])
def test_what_nobody_sees_is_no_part_of_a_keyword(text: str) -> None:
    assert Keyword(text) == Keyword("crm")
    assert Keyword(text).text == "crm"


def test_what_joins_letters_within_a_keyword_stays_in_its_spelling() -> None:
    assert Keyword("می\u200cخواهم").text == "می\u200cخواهم"


def test_keywords_that_fold_to_the_same_have_one_key() -> None:
    assert Keyword("straße").key == Keyword("STRASSE", label="brand").key
    assert Keyword("O’Reilly").key == Keyword("o'reilly").key


def test_a_case_sensitive_keyword_is_another_one() -> None:
    assert Keyword("SAP", case_sensitive=True).key != Keyword("SAP").key
    assert Keyword("SAP", case_sensitive=True).key != Keyword("sap", case_sensitive=True).key


@pytest.mark.parametrize("text", ["", "  ", "\xad", "\u200d\ufeff", "\xa0"])
def test_an_empty_keyword_is_refused(text: str) -> None:
    with pytest.raises(InputInvalid, match="is empty"):
        Keyword(text)


@pytest.mark.parametrize("text", ["+", "?!", "_", "🎉", "—", "\u0301"])
def test_a_keyword_without_letter_and_digit_is_refused(text: str) -> None:
    with pytest.raises(InputInvalid, match="no letter and no digit"):
        Keyword(text)


@pytest.mark.parametrize(("text", "short"), [("AI", True), ("C++", True), ("é", True), ("CRM", False), ("京都", True)])
def test_one_or_two_letters_are_short(text: str, short: bool) -> None:
    assert Keyword(text).is_short is short
