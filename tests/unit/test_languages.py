"""Languages: what users write and what pages say come to one code."""

import pytest

from prospector.core.reading.languages import code, names, wanted
from prospector.errors import InputInvalid


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("en", "en"),
        ("en-US", "en"),
        ("EN_gb", "en"),
        ("de-AT-1996", "de"),
        ("zh-Hant-TW", "zh"),
        ("fil-PH", "fil"),
        (" fr ", "fr"),
        ("nb-NO", "no"),
        ("nn", "no"),
        ("iw", "he"),
        ("tl", "fil"),
        ("deu", "de"),
        ("", ""),
        ("x-default", ""),
        ("und", ""),
        ("english", ""),
        ("{{ lang }}", ""),
    ],
)
def test_what_a_page_says_of_itself_is_one_code_or_nothing(tag: str, expected: str) -> None:
    assert code(tag) == expected


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        (["en,de"], ("en", "de")),
        (["en", "de"], ("en", "de")),
        ([" EN , en-US,en_GB "], ("en",)),
        (["German, norwegian"], ("de", "no")),
        (["nb,no"], ("no",)),
        (["Tagalog", "fil"], ("fil",)),
        ([], ()),
        (["", ","], ()),
    ],
)
def test_a_user_lists_codes_or_names(listed: list[str], expected: tuple[str, ...]) -> None:
    assert wanted(listed) == expected


@pytest.mark.parametrize(
    ("given", "remedy"),
    [
        ("jp", "Did you mean ja (Japanese)?"),
        ("dk", "Did you mean da (Danish)?"),
        ("us", "Did you mean en (English)?"),
        ("germn", "Did you mean de (German)?"),
        ("klingon", "Give codes as web pages have them, with commas between: --language en,de"),
    ],
)
def test_what_is_no_language_is_refused_with_what_may_be_meant(given: str, remedy: str) -> None:
    with pytest.raises(InputInvalid) as refused:
        wanted([f"en,{given}"])

    assert (refused.value.problem, refused.value.remedy) == (f"{given!r} is not a language.", remedy)


def test_what_a_user_lists_by_name_is_what_pages_come_to() -> None:
    for known, name in names().items():
        assert wanted([name]) == wanted([known]) == (code(f"{known}-XX"),)
