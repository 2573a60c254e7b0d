"""Explain: every place of a keyword, and the rule that decided."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prospector.core.reading.page import read
from prospector.core.reading.zones import Zone
from prospector.core.words.explain import CANDIDATES_AT_MOST, Explanation, Rule, explain
from prospector.core.words.keywords import Keyword


def explained(html: str, keyword: str, *, case_sensitive: bool = False) -> Explanation:
    return explain(read(html.encode(), "https://a.example/"), Keyword(keyword, case_sensitive))


def rules(html: str, keyword: str, *, case_sensitive: bool = False) -> list[Rule]:
    return [one.rule for one in explained(html, keyword, case_sensitive=case_sensitive).candidates]


@pytest.mark.parametrize(
    ("html", "keyword", "rule"),
    [
        ("<p>CRM", "CRM", Rule.WHOLE_WORD),
        ("<p>xCRM", "CRM", Rule.LEFT_WORD),
        ("<p>CRMs", "CRM", Rule.RIGHT_WORD),
        ("<p>debian.net", ".NET", Rule.SYMBOL),
        ("<p>हिन्दी", "हिन्द", Rule.COMBINING_MARK),
        ("<p>Acme</p><p>CRM", "Acme CRM", Rule.HARD_BREAK),
        ("<p>AcmeCRM", "Acme CRM", Rule.OTHER_SPELLING),
        ("<p>MUELLER", "Müller", Rule.OTHER_SPELLING),
        ("<p>R &amp; D", "R&D", Rule.OTHER_SPELLING),
        ("<p>KADIKÖY", "Kadıköy", Rule.OTHER_SPELLING),
        ("<p>E-Mail-Marketing, e-mail marketing", "email marketing", Rule.OTHER_SPELLING),
        ("<p>résumé", "resume", Rule.ACCENTS),
        ("<p>Cafe", "Café", Rule.ACCENTS),
        ("<p hidden>CRM", "CRM", Rule.HIDDEN),
        ("<p style='display:none'>CRM", "CRM", Rule.HIDDEN),
        ("<p>x<script>CRM</script>", "CRM", Rule.NOT_SHOWN),
        ("<svg><title>CRM</title></svg>", "CRM", Rule.NOT_SHOWN),
        ("<noscript>CRM</noscript>", "CRM", Rule.NOT_SHOWN),
        ("<img alt='the CRM'>", "CRM", Rule.ATTRIBUTE),
        ("<meta name=description content='CRM'>", "CRM", Rule.ATTRIBUTE),
        ("<a href='/CRM'>x</a>", "CRM", Rule.ATTRIBUTE),
    ],
)
def test_each_rule_is_named(html: str, keyword: str, rule: Rule) -> None:
    explanation = explained(html, keyword)

    assert [one.rule for one in explanation.candidates] == [rule]
    assert explanation.count == int(rule is Rule.WHOLE_WORD)


def test_an_overlap_is_named() -> None:
    assert rules("<p>data data data", "data data") == [Rule.WHOLE_WORD, Rule.OVERLAP]


def test_another_case_of_a_case_sensitive_keyword_is_named() -> None:
    assert rules("<p>SAP sap", "SAP", case_sensitive=True) == [Rule.WHOLE_WORD, Rule.OTHER_CASE]


def test_a_candidate_has_its_zone_and_its_words() -> None:
    (one,) = explained("<nav>our CRM here</nav>", "crm").candidates

    assert (one.zone, one.where, str(one.snippet), one.counts) == (Zone.NAV, "nav", "our CRM here", True)


def test_a_candidate_outside_the_text_has_no_zone_and_says_where_it_is() -> None:
    (one,) = explained("<img alt='the CRM'>", "crm").candidates

    assert (one.zone, one.where, str(one.snippet), one.counts) == (None, "alt of <img>", "the CRM", False)


def test_a_keyword_that_is_nowhere_has_no_candidates() -> None:
    assert explained("<p>nothing", "crm").candidates == ()


def test_very_many_candidates_are_cut_and_said_to_be() -> None:
    explanation = explained(f"<p>{'CRM CRMs ' * 300}", "crm")

    assert explanation.count == 300
    assert len(explanation.candidates) == 300 + CANDIDATES_AT_MOST
    assert explanation.truncated


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.sampled_from(
            [
                "<b>",
                "</b>",
                "<p>",
                "<i>crm</i>",
                "crm",
                "CRM",
                "-x.+",
                "京",
                "カ",
                "삼",
                "\xad",
                "\u200b",
                "́",
                "<sup>",
                "</sup>",
                ".net",
            ]
        ),
        max_size=20,
    ),
    st.sampled_from(["crm", ".net", "京", "カ", "삼", "crm crm"]),
)
def test_the_candidates_that_count_are_as_many_as_the_mentions(parts: list[str], keyword: str) -> None:
    explanation = explained("".join(parts), keyword)

    assert sum(one.counts for one in explanation.candidates) == explanation.count == sum(explanation.zones.values())
