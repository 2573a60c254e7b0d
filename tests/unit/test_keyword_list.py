"""Keyword lists: how they are written, what is merged, refused or warned of."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prospector.core.lists.keyword_list import KeywordReason, read_keywords
from prospector.core.words.keywords import Keyword
from prospector.errors import InputInvalid


def texts(data: str, name: str = "keywords.txt") -> list[str]:
    return [one.text for one in read_keywords(data.encode(), name).keywords]


def warnings(*lines: str) -> list[str]:
    return read_keywords("\n".join(lines).encode(), "keywords.txt").warnings


def test_one_keyword_a_line_as_it_is_written() -> None:
    data = (
        'Acme CRM\n\n  CRM for   small business \nSmith, Jones & Co\n"quoted phrase"\n5" screen\n.NET\nC++\n#hashtag\n'
    )

    assert texts(data) == [
        "Acme CRM",
        "CRM for small business",
        "Smith, Jones & Co",
        "quoted phrase",
        '5" screen',
        ".NET",
        "C++",
        "#hashtag",
    ]


def test_keywords_that_all_end_with_a_number_are_asked_about() -> None:
    (asked,) = warnings("crm software,1000", "best crm,500", "erp,30")

    assert asked.startswith('Every keyword of keywords.txt ends with a number, as "crm software,1000" does.')
    assert texts("Keyword,Volume\ncrm software,1000\nbest crm,500\nerp,30\n") == ["crm software", "best crm", "erp"]
    assert warnings("crm software,1000", "best crm,500", "Smith, Jones") == []
    assert warnings("Windows, 11") == []


def test_the_signs_of_google_ads_are_no_part_of_a_keyword() -> None:
    assert texts("[crm software]\n+crm +für +handwerker\n") == ["crm software", "crm für handwerker"]
    assert texts("C++ +plus\n+1 +49\n+Pool\n[a] or [b]\n") == ["C++ +plus", "+1 +49", "+Pool", "[a] or [b]"]


@pytest.mark.parametrize(
    "line", ["crm, erp, Smith & Co", "crm;erp; Smith & Co", "crm | erp | Smith & Co", 'crm,"erp","Smith & Co"']
)
def test_a_file_of_one_line_is_a_list_written_along_it_and_that_is_said(line: str) -> None:
    assert texts(line) == ["crm", "erp", "Smith & Co"]
    assert warnings(line)[0].startswith('keywords.txt has one line, and was read as 3 keywords: "crm", "erp"')


def test_a_line_of_many_that_looks_like_a_list_is_asked_about() -> None:
    (asked,) = warnings("crm, erp, scm", "Smith, Jones")

    assert asked == '"crm, erp, scm" is one keyword as it stands. Write one a line if several are meant.'


def test_an_asterisk_is_said_to_be_no_wildcard() -> None:
    assert warnings("crm*", "f*ck", "100 * 300") == ['"crm*" is looked for as it stands: an asterisk is no wildcard.']


def test_bullets_quotes_and_comments_are_no_part_of_a_keyword() -> None:
    lines = [
        "# brands",
        "- crm",
        "• erp",
        "#",
        "“best crm”",
        "«CRM gratuit»",
        "„CRM für alle“",
        "'scm'",
        "-5 °C",
        "#crm",
    ]

    assert texts("\n".join(lines)) == ["crm", "erp", "best crm", "CRM gratuit", "CRM für alle", "scm", "-5 °C", "#crm"]


@pytest.mark.parametrize("header", ["keyword", "Keywords", "PHRASE", "Search Term", "\ufeffkeyword"])
def test_a_column_of_keywords_is_known_by_its_name(header: str) -> None:
    assert texts(f'id,{header}\n1,Acme CRM\n2,"Smith, Jones"\n3,\n', "keywords.csv") == ["Acme CRM", "Smith, Jones"]


def test_a_header_above_one_column_is_no_keyword() -> None:
    assert texts("Keywords\nAcme CRM\n") == ["Acme CRM"]


@pytest.mark.parametrize(
    "line",
    ["SAP,case=sensitive,label=brand", "SAP; label=brand; case=Sensitive", "SAP\tcase=sensitive\tlabel=brand",
     "SAP | case = sensitive | label = brand"],
)  # fmt: skip
def test_options_follow_a_keyword_on_its_line(line: str) -> None:
    assert read_keywords(f"{line}\nAcme CRM\n".encode(), "keywords.txt").keywords == [
        Keyword("SAP", case_sensitive=True, label="brand"),
        Keyword("Acme CRM"),
    ]


def test_options_have_columns_where_there_is_a_header() -> None:
    data = b"keyword,case,label\nSAP,sensitive,brand\nAcme CRM,,product\nHANA,case=sensitive,\n"

    assert read_keywords(data, "keywords.csv").keywords == [
        Keyword("SAP", case_sensitive=True, label="brand"),
        Keyword("Acme CRM", label="product"),
        Keyword("HANA", case_sensitive=True),
    ]


def test_keywords_equal_after_folding_are_merged_and_the_first_spelling_stays() -> None:
    listed = read_keywords("Acme CRM\nacme  crm\nＡＣＭＥ CRM\nStraße\nSTRASSE\n".encode(), "keywords.txt")

    assert [one.text for one in listed.keywords] == ["Acme CRM", "Straße"]
    assert [(one.row, one.value, one.kept.text) for one in listed.merged] == [
        (2, "acme crm", "Acme CRM"),
        (3, "ＡＣＭＥ CRM", "Acme CRM"),
        (5, "STRASSE", "Straße"),
    ]


def test_the_same_word_with_another_flag_is_another_keyword() -> None:
    assert texts("SAP\nSAP,case=sensitive\n") == ["SAP", "SAP"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("!!!", KeywordReason.NO_LETTER),
        ("\u200d\u2060", KeywordReason.NO_LETTER),
        ("x" * 201, KeywordReason.TOO_LONG),
        ("x" * 200_000, KeywordReason.TOO_LONG),
        ("SAP,case=maybe", KeywordReason.BAD_OPTION),
    ],
    ids=["symbols", "invisible", "long", "200 kB", "option"],
)
def test_what_is_no_keyword_is_rejected_with_row_and_reason(line: str, reason: KeywordReason) -> None:
    listed = read_keywords(f"Acme CRM\n{line}\n".encode(), "keywords.txt")

    assert [(one.row, one.reason) for one in listed.rejected] == [(2, reason)]
    assert [one.text for one in listed.keywords] == ["Acme CRM"]
    assert str(listed.rejected[0]).startswith("Row 2: ")


def test_500_keywords_are_taken_and_501_are_refused() -> None:
    lines = [f"keyword {number}" for number in range(612)]

    assert len(texts("\n".join(lines[:500]))) == 500
    with pytest.raises(InputInvalid, match=r"has 501 keywords, the limit is 500\. Remove 1 or split the job\."):
        texts("\n".join(lines[:501]))
    with pytest.raises(InputInvalid) as caught:
        texts("\n".join(lines))
    assert str(caught.value) == "The keyword list has 612 keywords, the limit is 500. Remove 112 or split the job."


def test_the_limit_counts_what_is_left_after_merging() -> None:
    assert len(texts("\n".join(f"{word} {number}" for number in range(500) for word in ("CRM", "crm")))) == 500


@pytest.mark.parametrize("data", ["!!!\n???\n", "keyword\n"])
def test_a_list_without_a_keyword_is_refused(data: str) -> None:
    with pytest.raises(InputInvalid, match=r"keywords\.txt has no keyword that can be used"):
        texts(data)


def test_a_very_common_word_is_warned_of() -> None:
    assert warnings("The", "Acme CRM") == ['"The" is a very common word: nearly every page has it.']


def test_several_are_one_warning_with_examples() -> None:
    assert warnings("The", "and", "Acme CRM", "HP", "UK", "HR", "AI") == [
        '"The", "and" are very common words: nearly every page has them.',
        '"HP", "UK", "HR" and 1 more are very short: they will be met in many senses. case=sensitive helps.',
    ]


def test_one_or_two_letters_are_warned_of() -> None:
    assert warnings("HP")[0].startswith('"HP" is very short: it will be met')


def test_spellings_that_would_be_missed_are_one_warning_with_examples() -> None:
    assert warnings("e-commerce") == [
        'Other spellings are other keywords: "e-commerce" (ecommerce, e commerce). Add what you want found.'
    ]
    (warning,) = warnings("Café", "Rhône", "Müller", "Köln", "Acme")
    assert '"Café" (cafe), "Rhône" (rhone), "Müller" (mueller, muller) and 1 more. Add' in warning


TABLES = {
    "Google Keyword Planner": (
        'Keyword Stats 2024-01-05\n"January 2023 - December 2023"\nKeyword\tCurrency\tSearches\n'
        "crm software\tUSD\t1000\nbest crm\tUSD\t10\n"
    ).encode("utf-16"),
    "Search Console": b"Top queries,Clicks,CTR,Position\ncrm software,120,4%,3.2\nbest crm,10,3.3%,12.9\n",
    "Semrush": b'Keyword,Intent,Volume,Trend\ncrm software,I,1000,"0.1,0.2"\nbest crm,C,10,"1,1"\n',
    "German Excel": "Suchbegriff;Suchvolumen\r\ncrm software;1.000\r\nbest crm;10,5\r\n".encode("cp1252"),
}


@pytest.mark.parametrize("data", TABLES.values(), ids=TABLES.keys())
def test_the_keywords_of_a_tools_export_are_its_column_of_keywords(data: bytes) -> None:
    assert [one.text for one in read_keywords(data, "export.csv").keywords] == ["crm software", "best crm"]


def test_titles_above_the_keywords_are_said() -> None:
    warned = read_keywords(TABLES["Google Keyword Planner"], "export.csv").warnings

    assert "Rows 1 to 2 of export.csv stand above the header, and were left out." in warned


def test_a_table_of_figures_without_a_known_name_is_read_by_its_first_column_of_words_and_that_is_said() -> None:
    listed = read_keywords(b"Nr,Anfragen,Klicks\n1,crm software,120\n2,best crm,10\n", "export.csv")

    assert [one.text for one in listed.keywords] == ["crm software", "best crm"]
    assert listed.warnings == ['No column of export.csv is named "keyword"; "Anfragen" was used.']


@pytest.mark.parametrize(
    "lines",
    [
        ["Smith, Jones", "Doe, Sons", "Miller, Partners"],
        ["Windows, 11", "iPhone, 15", "Catch, 22"],
        ["Name, Year", "Blade Runner, 2049"],
        ["Acme", "brand", "query"],
        ["Years, Rooms", "1984, 2001", "2010, 2012"],
    ],
)
def test_a_comma_or_a_name_of_columns_within_a_list_belongs_to_its_keyword(lines: list[str]) -> None:
    assert texts("\n".join(lines)) == lines


def test_the_encoding_of_a_list_does_not_matter() -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"):
        listed = read_keywords("Müller GmbH\nAcme CRM\n".encode(encoding), "keywords.txt")
        assert [one.text for one in listed.keywords] == ["Müller GmbH", "Acme CRM"], encoding


@given(st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode("utf-8", "replace")))
def test_any_bytes_are_keywords_or_one_of_our_errors(data: bytes) -> None:
    with suppress(InputInvalid):
        assert read_keywords(data, "keywords.txt").keywords
