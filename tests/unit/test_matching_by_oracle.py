"""Matching against an oracle that was written from the rules alone, over documents that nobody would write by hand."""

import json
import string
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from prospector.core.reading.page import read
from prospector.core.words.keywords import Keyword
from prospector.core.words.match import Matcher
from prospector.errors import InputInvalid
from tests.reading.oracle import Document, plain_count

CASES = json.loads((Path(__file__).parent.parent / "data" / "mentions.json").read_text(encoding="utf-8"))
WORDS = str.split(
    "crm CRM Acme acme-crm C++ .NET C# don't don’t O’Reilly Straße STRASSE İstanbul ıİi λόγος ΛΌΓΟΣ ς office oﬃce ＣＲＭ ﾃﾞｰﾀ"
    " データ データベース サーバー 京都 東京都 ツール らーめん ซอฟต์แวร์ ภาษาไทย ພາສາ ភាសា မြန်မာ 한국어 삼성은 삼성 हिन्दी हिन्द العربية كتاب"
    " עברית суперCRM Київ é e\u0301 Nestle\u0301 Nestlé naïve ²  CRM² ™ 🎉 ❤\ufe0f _ __init__ a1 ½ Ⅷ \u0301 \u3099 か\u3099",
    " ",
)
PIECES = st.one_of(
    st.sampled_from(
        [
            *WORDS,
            "",
            " ",
            "\n",
            "\xa0",
            "\u3000",
            "\xad",
            "\u200b",
            "\u200d",
            "&nbsp;",
            "&lt;b&gt;",
            "&amp;",
            "-",
            "–",
            ".",
        ]
    ),
    st.text(st.sampled_from("aAbrmcC +.'’-_éßสี京カー삼\u0301\xad\u200b "), max_size=4),
    st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="<>&"), max_size=3),
)
TAGS = str.split(
    "b i span a em sup sub div p li ul td table h1 h2 nav main footer aside header section label button svg script style noscript"
    " template textarea select title ruby rt details dialog xmp iframe object x-y"
)
ATTRIBUTES = (
    "",
    "",
    "",
    " hidden",
    " hidden=until-found",
    " style='display:none'",
    " style='color:red'",
    " popover",
    " open",
    " href=/x",
)
VOIDS = (
    "<br>",
    "<wbr>",
    "<img>",
    "<hr>",
    "<embed>",
    "<input>",
    "<!-- c -->",
    "<source>",
    "</p>",
    "</div>",
    "<p>",
    "<li>",
    "</b>",
)


@st.composite
def elements(draw: st.DrawFn, inside: st.SearchStrategy[str]) -> str:
    tag = draw(st.sampled_from(TAGS))
    end = draw(st.sampled_from([f"</{tag}>", f"</{tag}>", f"</{tag}>", ""]))
    return f"<{tag}{draw(st.sampled_from(ATTRIBUTES))}>{draw(inside)}{end}"


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, str]:
    """Markup, and a keyword that has a good chance to be in it."""
    words = draw(st.lists(st.one_of(st.sampled_from(WORDS), PIECES), min_size=1, max_size=3))
    leaves = st.one_of(st.sampled_from(words), st.sampled_from(words), st.just(" "), PIECES, st.sampled_from(VOIDS))
    markup = st.recursive(
        leaves,
        lambda inside: st.one_of(elements(inside), st.lists(inside, max_size=6).map("".join)),
        max_leaves=14,
    )
    keyword = draw(
        st.sampled_from([*words, " ".join(words), "".join(words), words[0][:-1], words[0][1:], words[0] * 2])
    )
    return draw(markup), keyword


def counted(html: str, keyword: Keyword) -> dict[str, int]:
    mentions = Matcher([keyword]).mentions(read(html.encode(), "https://a.example/"))
    assert all(sum(one.zones.values()) == one.frequency for one in mentions)
    return {zone.value: count for one in mentions for zone, count in one.zones.items()}


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_conformance_cases(case: dict[str, str]) -> None:
    mentions = Matcher([Keyword(case["keyword"])]).mentions(read(case["html"].encode(), "https://a.example/"))

    assert sum(one.frequency for one in mentions) == case["expected_count"], case["why"]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_oracle_knows_the_conformance_cases_too(case: dict[str, str]) -> None:
    assert sum(Document(case["html"].encode()).count(case["keyword"]).values()) == case["expected_count"]


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(documents(), st.booleans())
@example(("<b>a</b><b>b</b>", "b"), False)
@example(("<sup>e</sup>\u0301 e", "e"), False)
@example(("<xmp hidden>crm</xmp>", "crm"), False)
def test_the_matcher_and_the_oracle_agree_on_any_markup(document: tuple[str, str], case_sensitive: bool) -> None:
    html, text = document
    try:
        keyword = Keyword(text, case_sensitive=case_sensitive)
    except InputInvalid:
        return

    expected = Document(html.encode()).count(text, case_sensitive=case_sensitive)

    assert counted(html, keyword) == expected


@settings(max_examples=300, deadline=None)
@given(
    st.text(st.sampled_from(string.ascii_letters[:4] + "AB01 _-.,'+/\n\t"), max_size=40),
    st.from_regex(r"[ab01_]([ab01_ .+'-]{0,4}[ab01_])?", fullmatch=True),
)
def test_on_plain_ascii_text_it_is_the_plain_rule(text: str, keyword: str) -> None:
    if not any(map(str.isalnum, keyword)):
        return
    spaced = " ".join(text.split())

    assert sum(counted(f"<p>{text}</p>", Keyword(keyword)).values()) == plain_count(" ".join(keyword.split()), spaced)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(documents(), st.lists(st.sampled_from(WORDS), min_size=1, max_size=8))
def test_each_keyword_is_counted_as_if_it_were_alone(document: tuple[str, str], texts: list[str]) -> None:
    html, text = document
    keywords = [Keyword(one) for one in [text, *texts] if any(map(str.isalnum, one.strip("\xad\u200b\u200d")))]
    page = read(html.encode(), "https://a.example/")

    together = {one.keyword.key: one.frequency for one in Matcher(keywords).mentions(page)}

    alone = {one.key: sum(mention.frequency for mention in Matcher([one]).mentions(page)) for one in keywords}
    assert together == {key: count for key, count in alone.items() if count}
