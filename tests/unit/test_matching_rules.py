"""docs/matching.md, rule by rule, as data: what is on the page, what is looked for, how often it is there."""

import pickle

import pytest

from prospector.core.reading.page import Page, read
from prospector.core.reading.zones import Zone
from prospector.core.words.keywords import Keyword
from prospector.core.words.match import Matcher, NearSpelling


def page(html: str) -> Page:
    return read(html.encode(), "https://a.example/")


def count(html: str, keyword: str, *, case_sensitive: bool = False) -> int:
    return sum(one.frequency for one in Matcher([Keyword(keyword, case_sensitive)]).mentions(page(html)))


SCOPE = [
    ("<title>CRM</title>", 1),
    ("<title>CRM</title><title>CRM</title>", 1),
    ("<body><svg><title>CRM</title></svg>", 0),
    ("<meta name=description content=CRM><body>x", 0),
    ("<!-- CRM -->", 0),
    *(
        (f"<{tag}>CRM</{tag}>", 0)
        for tag in ["script", "style", "template", "noscript", "iframe", "object", "canvas", "audio", "video"]
    ),
    *(
        (f"<p>x<{tag}>CRM</{tag}>", 0)
        for tag in ["svg", "select", "datalist", "textarea", "noframes", "noembed", "title"]
    ),
    ("<select><option>CRM</select>", 0),
    ("<ruby>漢<rp>(</rp><rt>CRM</rt><rp>)</rp></ruby>", 0),
    ("<img alt=CRM><input value=CRM placeholder=CRM><a href=/CRM title=CRM>x</a>", 0),
    ("<p hidden>CRM", 0),
    ("<p hidden=''>CRM", 0),
    ("<p hidden=until-found>CRM", 1),
    ("<p hidden='UNTIL-FOUND'>CRM", 1),
    ("<p style='color:red; DISPLAY : none'>CRM", 0),
    ("<p style='display:none !important'>CRM", 0),
    ("<p style='visibility: hidden'>CRM", 0),
    ("<p style='display:none;display:block'>CRM", 1),
    ("<p style='--display:none'>CRM", 1),
    ("<p style='overflow:hidden'>CRM", 1),
    ("<div hidden><p>x<div>CRM</div>CRM</div>CRM", 1),
    ("<html hidden><p>CRM", 0),
    ("<body style='display:none'><p>CRM", 0),
    ("<dialog>CRM</dialog>", 0),
    ("<dialog open>CRM</dialog>", 1),
    ("<div popover>CRM</div>", 0),
    ("<details><summary>x</summary>CRM</details>", 1),
    *(
        (f"<{tag}>CRM</{tag}>", 1)
        for tag in [
            "nav",
            "header",
            "footer",
            "aside",
            "del",
            "button",
            "label",
            "td",
            "caption",
            "xmp",
            "listing",
            "main",
        ]
    ),
    ("<p aria-hidden=true>CRM", 1),
    ("<p>x</p></body></html>CRM", 1),
    ("<embed>CRM<p><track>CRM<source>", 2),
    ("<frameset><frame></frameset>", 0),
]
BREAKS = [
    ("Acme <b>CRM</b>", "Acme CRM", 1),
    ("<div>Acme</div><div>CRM</div>", "Acme CRM", 0),
    ("Acme<img>CRM", "Acme CRM", 0),
    ("Acme <input> CRM", "Acme CRM", 0),
    ("Acme<br><br>CRM", "Acme CRM", 1),
    ("<td>Acme</td><td>CRM</td>", "AcmeCRM", 1),  # no table: the tags are ignored
    ("<table><td>Acme</td><td>CRM</td></table>", "AcmeCRM", 0),
    ("CRM<sub>2</sub>", "CRM", 1),
    ("<sup>a</sup>CRM", "CRM", 1),
    ("<b>x</b>CRM", "CRM", 0),
    ("<b>CRM</b><b>x</b>", "CRM", 1),
    ("<b>CRM</b> <b>x</b>", "CRM", 1),
    ("<b>CRM</b><i>x</i>", "CRM", 0),
    ("<b>CRM</b><!-- c --><b>x</b>", "CRM", 1),
    ("<my-el>CRM</my-el><my-el>x</my-el>", "CRM", 1),
    ("CRM\u200bx", "CRM", 1),
    ("Sales\u200bforce", "Salesforce", 1),
    ("CRM<script>1</script>x", "CRM", 1),
    ("Sales<script>1</script>force", "Salesforce", 1),
    ("CRM<span hidden>y</span>x", "CRM", 1),
    ("CRM<div hidden>y</div>x", "CRM", 1),
    ("Acme <sup> CRM</sup>", "Acme CRM", 1),
    ("Acme <a href=/x> CRM</a>", "Acme CRM", 1),
    ("a</div>b", "ab", 1),
]
EDGES = [
    ("CRM1", "CRM", 0),
    ("CRM_x", "CRM", 0),
    ("CRM½", "CRM", 1),
    ("CRMⅧ", "CRM", 0),
    ("CRM™ CRM® ①CRM", "CRM", 3),
    ("debian.net .NET x.NET (.NET) 網.NET ネ.NET", ".NET", 4),
    ("한.NET", ".NET", 0),
    ("C++17 C++ xC++", "C++", 2),
    ("C++\u0301", "C++", 0),
    ("東京都", "京都", 1),
    ("データベース データ", "データ", 1),
    ("データ分析", "データ", 1),
    ("サーバー", "サーバ", 0),
    ("CRMツール", "CRM", 1),
    ("ツールCRM", "ツール", 1),
    ("삼성은 삼성", "삼성", 2),
    ("신삼성", "삼성", 0),
    ("CRM은", "CRM", 1),
    ("은CRM", "CRM", 0),
    ("ภาษาไทย", "ไทย", 1),
    ("កម្ពុជា", "កម្ព", 0),
    ("crm\u0301", "crm", 0),
    ("crm<sup>\u0301</sup>", "crm", 0),
    ("🎉CRM🎉", "CRM", 1),
    ("❤\ufe0fCRM", "CRM", 1),
]
SPELLINGS = [
    ("Salesforce™", "salesforcetm", 0),
    ("O‘Reilly O`Reilly O´Reilly", "O’Reilly", 3),
    ("“Acme” „Acme“", '"Acme"', 2),
    ("e–commerce e‑commerce e−commerce e—commerce", "e-commerce", 3),
    ("STRASSE Straße strasse", "STRASSE", 3),
    ("a\u3000b a&nbsp;b a\u2009\n b", "a b", 3),
    ("cafe\u0301", "café", 1),
    ("\u1112\u1161\u11ab\uad6d", "한국", 1),
    ("ﾃﾞｰﾀ", "データ", 1),
    ("Ω", "Ω", 1),
    ("ıI", "ıi", 1),
]


@pytest.mark.parametrize(("html", "expected"), SCOPE)
def test_what_a_visitor_can_see_counts_and_nothing_else(html: str, expected: int) -> None:
    assert count(html, "CRM") == expected


@pytest.mark.parametrize(("html", "keyword", "expected"), BREAKS)
def test_blocks_part_words_and_inline_elements_do_not(html: str, keyword: str, expected: int) -> None:
    assert count(f"<p>{html}" if "<div" not in html else html, keyword) == expected


@pytest.mark.parametrize(("text", "keyword", "expected"), EDGES)
def test_a_word_ends_as_its_script_says(text: str, keyword: str, expected: int) -> None:
    assert count(f"<p>{text}", keyword) == expected


@pytest.mark.parametrize(("text", "keyword", "expected"), SPELLINGS)
def test_spellings_that_look_the_same_are_the_same(text: str, keyword: str, expected: int) -> None:
    assert count(f"<p>{text}", keyword) == expected


def test_a_case_sensitive_keyword_stands_beside_the_others() -> None:
    matcher = Matcher([Keyword("SAP", case_sensitive=True), Keyword("sap"), Keyword("ＳＡＰ", case_sensitive=True)])

    mentions = matcher.mentions(page("<p>SAP sap Sap ＳＡＰ"))

    assert sorted((one.keyword.case_sensitive, one.frequency) for one in mentions) == [(False, 4), (True, 2)]


def test_keywords_inside_each_other_are_independent() -> None:
    mentions = Matcher(map(Keyword, ["CRM", "CRM software", "software"])).mentions(page("<p>CRM software, CRM"))

    assert {one.keyword.text: one.frequency for one in mentions} == {"CRM": 2, "CRM software": 1, "software": 1}


def test_keywords_that_fold_to_the_same_are_one_in_the_first_spelling() -> None:
    assert [one.text for one in Matcher(map(Keyword, ["straße", "CRM", "STRASSE"])).keywords] == ["straße", "CRM"]


def test_zones_add_up_and_the_innermost_wins() -> None:
    html = """<title>CRM</title><header>CRM<h1>CRM</h1></header><nav>CRM<ul><li>CRM</ul></nav>
        <main>CRM<h2>CRM</h2><ul><li>CRM<li>CRM</ul><table><td>CRM</table><aside>CRM</aside>
        <div id=comments><ol><li>CRM</ol></div></main>CRM<footer>CRM<h3>CRM</h3></footer>"""

    (mention,) = Matcher([Keyword("crm")]).mentions(page(html))

    assert {zone.value: number for zone, number in mention.zones.items()} == {
        "title": 1, "header": 1, "h1": 1, "nav": 2, "main": 1, "heading": 2, "list": 2, "table": 1, "aside": 1,
        "comment": 1, "other": 1, "footer": 1,
    }  # fmt: skip
    assert mention.frequency == 15


def test_without_a_main_the_rest_of_the_body_is_main() -> None:
    assert Matcher([Keyword("crm")]).mentions(page("<div>crm"))[0].zones == {Zone.MAIN: 1}


def test_a_hidden_main_is_no_main() -> None:
    assert Matcher([Keyword("crm")]).mentions(page("<main hidden>x</main><p>crm"))[0].zones == {Zone.MAIN: 1}


def test_an_absent_keyword_has_no_mention() -> None:
    assert Matcher([Keyword("crm")]).mentions(page("<p>nothing")) == ()
    assert Matcher([]).match(page("<p>nothing")).mentions == ()


def test_near_spellings_are_told_and_not_counted() -> None:
    matches = Matcher(map(Keyword, ["Acme CRM", "e-commerce", "HubSpot"])).match(
        page("<p>AcmeCRM, AcmeCRM, acme-crm, e commerce, ecommerce, Hub Spot")
    )

    assert matches.mentions == ()
    assert [(one.keyword.text, one.spelling, one.frequency) for one in matches.near] == [
        ("Acme CRM", "AcmeCRM", 2),
        ("Acme CRM", "acme-crm", 1),
        ("e-commerce", "ecommerce", 1),
        ("e-commerce", "e commerce", 1),
        ("HubSpot", "Hub Spot", 1),
    ]


def test_a_near_spelling_that_is_a_keyword_itself_is_a_mention() -> None:
    matches = Matcher(map(Keyword, ["e-commerce", "ecommerce"])).match(page("<p>ecommerce"))

    assert [one.keyword.text for one in matches.mentions] == ["ecommerce"]
    assert not any(isinstance(one, NearSpelling) and one.spelling == "ecommerce" for one in matches.near)


def test_a_matcher_survives_pickling() -> None:
    matcher = pickle.loads(pickle.dumps(Matcher([Keyword("crm"), Keyword("SAP", case_sensitive=True)])))

    assert [one.frequency for one in matcher.mentions(page("<p>CRM SAP sap"))] == [1, 1]


def test_a_keyword_across_two_strides_of_a_long_text_is_found_once() -> None:
    text = f"{'x ' * 49_998}Acme CRM{' y' * 60_000} Acme CRM"

    assert count(f"<p>{text}", "Acme CRM") == 2


@pytest.mark.parametrize("keyword", ["a.c", "(x", "[a-z]+", "a|b", "^a$", "a\\b", "(a+)+$"])
def test_a_keyword_is_taken_literally(keyword: str) -> None:
    assert count("<p>abc xyz aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", keyword) == 0
    assert count(f"<p>see {keyword} there", keyword) == 1
