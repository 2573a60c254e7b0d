"""The score of a site: every weight, every minus, every verdict, and the words for them."""

from dataclasses import replace

import pytest

from prospector.core.reading.link_words import page_link_words
from prospector.core.reading.traits import LinkStatus, PageFlag, PageKind
from prospector.core.reading.zones import Zone
from prospector.core.results.score import (
    FIT_POINTS,
    QUALIFIED_FROM,
    REVIEW_FROM,
    ZONE_POINTS,
    Best,
    Findings,
    Metric,
    Verdict,
    score,
)

# all seven criteria known, and each at its best
PERFECT = Findings(
    best=Best("crm", Zone.H1, PageKind.ARTICLE, LinkStatus.UNLINKED, language="en"),
    amount=12,
    pages=4,
    keywords=4,
    keywords_asked=50,
    contact_found=True,
    link=LinkStatus.UNLINKED,
    metric=Metric("DR", "72", 1.0),
)


def best(**changes: object) -> Findings:
    return replace(PERFECT, best=replace(PERFECT.best, **changes))  # type: ignore[arg-type]


def test_the_best_site_there_is_has_a_hundred() -> None:
    scored = score(PERFECT)

    assert (scored.score, scored.verdict, scored.reason) == (100, Verdict.QUALIFIED, "")
    assert scored.why == (
        '"crm" in the main heading of an article; 4 pages with mentions; 4 different keywords; no link to you yet; '
        "contact page found; DR 72, the highest of your list."
    )


@pytest.mark.parametrize(
    ("zone", "points"),
    [
        (Zone.TITLE, 30),
        (Zone.H1, 30),
        (Zone.HEADING, 24),
        (Zone.MAIN, 20),
        (Zone.LIST, 14),
        (Zone.TABLE, 14),
        (Zone.COMMENT, 8),
        (Zone.OTHER, 8),
        (Zone.NAV, 0),
        (Zone.HEADER, 0),
        (Zone.FOOTER, 0),
        (Zone.ASIDE, 0),
    ],
)
def test_the_place_of_the_best_mention_counts_thirty(zone: Zone, points: int) -> None:
    assert score(best(zone=zone)).score == 70 + points


def test_every_zone_and_every_kind_of_page_has_its_points() -> None:
    assert set(ZONE_POINTS) == set(Zone)
    assert set(FIT_POINTS) == set(PageKind)


@pytest.mark.parametrize(("amount", "points"), [(0, 0), (3, 3), (6, 5), (12, 10), (9000, 10)])
def test_how_much_counts_ten_and_no_more(amount: int, points: int) -> None:
    assert score(replace(PERFECT, amount=amount)).score == 90 + points


@pytest.mark.parametrize(
    ("keywords", "asked", "points"), [(1, 50, 4), (2, 50, 8), (4, 50, 15), (9, 50, 15), (2, 2, 15)]
)
def test_different_keywords_count_fifteen(keywords: int, asked: int, points: int) -> None:
    assert score(replace(PERFECT, keywords=keywords, keywords_asked=asked)).score == 85 + points


@pytest.mark.parametrize(
    ("link", "points"), [(LinkStatus.UNLINKED, 20), (LinkStatus.DEAD, 20), (LinkStatus.FOLLOW, 0), (LinkStatus.UGC, 0)]
)
def test_the_link_status_counts_twenty(link: LinkStatus, points: int) -> None:
    assert score(replace(PERFECT, link=link)).score == 80 + points


@pytest.mark.parametrize(
    ("kind", "points"), [(PageKind.RESOURCE, 10), (PageKind.LISTING, 8), (PageKind.HOME, 5), (PageKind.LEGAL, 0)]
)
def test_the_kind_of_page_counts_ten(kind: PageKind, points: int) -> None:
    assert score(best(kind=kind)).score == 90 + points


def test_a_contact_page_counts_five_and_the_own_metric_ten() -> None:
    assert score(replace(PERFECT, contact_found=False)).score == 95
    assert score(replace(PERFECT, metric=Metric("DR", "3", 0.25))).score == 93


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (1, "DR 7, the highest of your list"),
        (0.9999, "DR 7, higher than 99% of your list"),
        (0.5, "DR 7, higher than 50% of your list"),
        (0.0001, "DR 7, higher than 1% of your list"),
        (0, "DR 7, the lowest of your list"),
    ],
)
def test_the_metric_is_said_as_a_place_in_the_list(share: float, words: str) -> None:
    assert words in score(replace(PERFECT, metric=Metric("DR", "7", share))).why


@pytest.mark.parametrize(
    "unknown",
    [
        {"metric": None},
        {"link": None},
        {"link": LinkStatus.UNKNOWN},
        {"keywords": 1, "keywords_asked": 1},
        {"metric": None, "link": None, "keywords": 1, "keywords_asked": 1},
    ],
)
def test_what_is_not_known_leaves_the_sum(unknown: dict[str, object]) -> None:
    assert score(replace(PERFECT, **unknown)).score == 100  # type: ignore[arg-type]


def test_what_is_known_is_scaled_to_a_hundred() -> None:
    """Main text, nothing else known that was lost: 20 + 10 + 10 + 5 of 30 + 10 + 10 + 5."""
    site = replace(best(zone=Zone.MAIN), metric=None, link=None, keywords=1, keywords_asked=1)

    assert score(site).score == round(100 * 45 / 55)


def test_an_unknown_kind_of_page_leaves_the_sum_too() -> None:
    assert score(best(kind=None, zone=Zone.MAIN)).score == round(100 * 80 / 90)


@pytest.mark.parametrize(
    ("minus", "points", "verdict"),
    [
        (best(flags=PageFlag.PARKED), 30, Verdict.REJECTED),
        (best(flags=PageFlag.SOFT_404), 30, Verdict.REJECTED),
        (best(flags=PageFlag.LINK_FARM), 30, Verdict.REJECTED),
        (replace(best(language="de-AT"), languages_wanted=frozenset(["en"])), 55, Verdict.REVIEW),
        (replace(PERFECT, is_boilerplate=True), 70, Verdict.QUALIFIED),
        (best(flags=PageFlag.NOINDEX), 85, Verdict.QUALIFIED),
        (best(flags=PageFlag.PARKED | PageFlag.NOINDEX | PageFlag.LINK_FARM), 0, Verdict.REJECTED),
    ],
)
def test_what_speaks_against_a_site_is_taken_off(minus: Findings, points: int, verdict: Verdict) -> None:
    scored = score(minus)

    assert (scored.score, scored.verdict) == (points, verdict)
    assert "minus " in scored.why


@pytest.mark.parametrize("language", ["en", "en-GB", "en_US", "EN", None, "", "x-default", "english", "{{ lang }}"])
def test_a_wanted_or_unknown_language_costs_nothing(language: str | None) -> None:
    assert score(replace(best(language=language), languages_wanted=frozenset(["en"]))).score == 100


@pytest.mark.parametrize(
    ("site", "verdict", "reason"),
    [
        (best(zone=Zone.FOOTER), Verdict.MENUS_ONLY, "in menus and footers only"),
        (best(zone=Zone.COMMENT), Verdict.REVIEW, "in comments only"),
        (best(zone=Zone.OTHER), Verdict.REVIEW, "beside the main text only"),
        (replace(PERFECT, link=LinkStatus.UNKNOWN), Verdict.REVIEW, "link status unknown: needs a browser"),
        (replace(PERFECT, link=LinkStatus.FOLLOW), Verdict.LINKING, "links to you (follow)"),
        (replace(best(zone=Zone.FOOTER), link=LinkStatus.SPONSORED), Verdict.LINKING, "links to you (sponsored)"),
        (replace(PERFECT, link=LinkStatus.DEAD), Verdict.QUALIFIED, ""),
        (replace(PERFECT, link=None), Verdict.QUALIFIED, ""),
        (best(flags=PageFlag.PARKED), Verdict.REJECTED, "the page is parked or for sale"),
    ],
)
def test_a_verdict_has_one_reason(site: Findings, verdict: Verdict, reason: str) -> None:
    scored = score(site)

    assert (scored.verdict, scored.reason) == (verdict, reason)


def table_of(metric: float) -> Findings:
    """14 + 1 + 4 + 20 + 0 + 0 points, and the metric's."""
    return replace(
        best(zone=Zone.TABLE, kind=PageKind.LEGAL),
        amount=1,
        keywords=1,
        contact_found=False,
        metric=Metric("DR", "1", metric),
    )


def test_the_borders_of_review_and_qualified_belong_to_them() -> None:
    low = replace(table_of(0), link=LinkStatus.UNLINKED, amount=0, keywords=0)
    by_points = {
        score(replace(low, amount=amount, keywords=keywords, metric=Metric("DR", "1", metric)))
        for amount in range(13)
        for keywords in range(5)
        for metric in (0, 0.5, 1)
    }

    assert {one.score for one in by_points} >= {REVIEW_FROM - 1, REVIEW_FROM, QUALIFIED_FROM - 1, QUALIFIED_FROM}
    for one in by_points:
        expected = Verdict.QUALIFIED if one.score >= 60 else Verdict.REVIEW if one.score >= 35 else Verdict.REJECTED
        assert one.verdict is expected
        assert bool(one.reason) is (expected is not Verdict.QUALIFIED)


def test_a_low_score_names_what_it_lacks_most() -> None:
    weak = replace(table_of(0), amount=0, keywords=0)

    assert score(weak).reason == "score 34 is under 35: in a table"
    assert (
        score(replace(weak, best=replace(weak.best, zone=Zone.H1), keywords=1)).reason
        == "score 54 is under 60: 1 keyword of 50"
    )


def test_a_keyword_two_hundred_times_on_one_page_is_said_and_not_counted() -> None:
    stuffed = replace(PERFECT, amount=3, most_on_a_page=200)

    scored = score(stuffed)

    assert scored.score == score(replace(stuffed, most_on_a_page=3)).score
    assert "one keyword 200 times on one page (counted as 3)" in scored.why


@pytest.mark.parametrize(
    ("link", "site_links", "competitor", "words"),
    [
        (LinkStatus.UNLINKED, False, False, "unlinked"),
        (LinkStatus.FOLLOW, True, False, "linked (follow)"),
        (LinkStatus.NOFOLLOW, True, True, "linked (nofollow), links to competitor"),
        (LinkStatus.UNLINKED, True, False, "linked elsewhere on this domain"),
        (LinkStatus.UNKNOWN, True, False, "linked elsewhere on this domain"),
        (LinkStatus.DEAD, True, False, "links to a dead client URL"),
        (LinkStatus.UNKNOWN, False, False, "unknown: needs a browser"),
        (None, False, False, ""),
        (None, False, True, "links to competitor"),
    ],
)
def test_the_link_status_of_a_page_in_words(
    link: LinkStatus | None, site_links: bool, competitor: bool, words: str
) -> None:
    assert page_link_words(link, site_links, competitor) == words
