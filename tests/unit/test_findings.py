"""Rows of mentions become the findings of one site."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from prospector.core.lists.metric import Decimal, Standing, decimal_of, number
from prospector.core.reading.traits import LinkStatus, PageFlag, PageKind
from prospector.core.reading.zones import Zone
from prospector.core.results.findings import Asked, Gathered, Mention, SiteLinks, best_zone, findings, outside_menus
from prospector.core.results.score import Verdict, score
from prospector.core.visits.methods import Method

ROW = Mention(
    domain=0, identity=1, url="https://a.example/1", keyword=0, frequency=1, zone=Zone.MAIN, zones=None, snippet="a crm",
    anchor=None, method=Method.DIRECT, settled_at=datetime(2026, 11, 18, tzinfo=UTC), status=200, link=LinkStatus.UNLINKED,
    kind=PageKind.ARTICLE, flags=0, language="en", title="One",
)  # fmt: skip
ASKED = Asked(("crm", "erp", "scrm"), has_client=True, languages=frozenset())


def gathered(*rows: Mention) -> Gathered:
    found = Gathered()
    for row in sorted(rows, key=lambda one: (one.keyword, one.url)):
        found.add(row)
    return found


def page(identity: int, **changes: object) -> Mention:
    return ROW._replace(identity=identity, url=f"https://a.example/{identity}", **changes)  # type: ignore[arg-type]


def test_mentions_pages_and_keywords_are_counted() -> None:
    found = gathered(page(1, frequency=2), page(2), page(1, keyword=1))

    assert (found.frequency, len(found.pages), found.keywords, found.rows) == (4, 2, {0, 1}, 3)


def test_twins_of_a_page_count_once_for_each_keyword() -> None:
    twins = page(1, frequency=2), page(1, frequency=2)._replace(url="https://a.example/twin"), page(1, keyword=1)

    found = gathered(*twins)

    assert (found.frequency, len(found.pages), found.amount, found.rows) == (3, 1, 3, 3)


def test_the_fourth_mention_on_a_page_does_not_count() -> None:
    found = gathered(page(1, frequency=200), page(2, frequency=2))

    assert (found.amount, found.most_on_a_page, found.frequency) == (5, 200, 202)


def test_what_stands_in_menus_does_not_count() -> None:
    menu = page(1, frequency=3, zone=Zone.NAV)
    mixed = page(2, frequency=3, zone=Zone.MAIN, zones={"main": 1, "footer": 2})

    assert (outside_menus(menu), outside_menus(mixed)) == (0, 1)
    assert gathered(menu).keywords == set()
    assert gathered(mixed).amount == 1


def test_the_best_zone_is_the_one_with_the_most_points_not_the_snippets() -> None:
    assert best_zone(Zone.MAIN, {"main": 1, "title": 1}) is Zone.TITLE
    assert best_zone(Zone.MAIN, None) is Zone.MAIN


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (page(2, zone=Zone.HEADING), page(1)),
        (page(2), page(1, kind=PageKind.LEGAL)),
        (page(2, zone=Zone.COMMENT), page(1, zone=Zone.H1, flags=int(PageFlag.PARKED))),
        (page(1), page(2)),
    ],
)
def test_the_best_mention_is_on_a_sound_page_in_a_good_place(better: Mention, worse: Mention) -> None:
    assert gathered(better, worse).best == better


def test_the_same_words_on_most_pages_are_boilerplate() -> None:
    everywhere = gathered(*(page(one) for one in range(6)))

    assert everywhere.is_boilerplate(pages_read=10)
    assert not everywhere.is_boilerplate(pages_read=40)
    assert not gathered(*(page(one) for one in range(4))).is_boilerplate(pages_read=4)
    assert not gathered(*(page(one, snippet=f"crm {one}") for one in range(9))).is_boilerplate(pages_read=9)


def test_a_link_anywhere_on_the_site_decides_for_the_site() -> None:
    linking = findings(gathered(ROW), SiteLinks(LinkStatus.NOFOLLOW), ASKED, None)
    not_linking = findings(gathered(ROW), SiteLinks(), ASKED, None)
    no_client = findings(gathered(ROW), SiteLinks(LinkStatus.NOFOLLOW), replace(ASKED, has_client=False), None)

    assert score(linking).verdict is Verdict.LINKING
    assert not_linking.link is LinkStatus.UNLINKED
    assert no_client.link is None


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("72", 72),
        (" 1,234.5 ", 1234.5),
        ("85 %", 85),
        ("-3", -3),
        ("1'000", 1000),
        ("1,234,567", 1_234_567),
        ("2,5", 2.5),
        ("12.5K", 12_500),
        ("3m", 3_000_000),
        ("K", None),
        ("", None),
        ("n/a", None),
        ("nan", None),
        ("inf", None),
    ],
)
def test_the_numbers_of_the_users_own_column(cell: str, value: float | None) -> None:
    assert number(cell) == value


@pytest.mark.parametrize(
    ("cells", "decimal"),
    [
        (["1.234,5", "987"], Decimal.COMMA),
        (["1.234.567", "x"], Decimal.COMMA),
        (["12.345", "987", "", "3.210"], Decimal.COMMA),
        (["2,5", "7"], Decimal.POINT),  # read right either way
        (["1,234.5", "987"], Decimal.POINT),
        (["12.345", "3.210"], Decimal.POINT),  # three decimals everywhere
        (["0.125", "2"], Decimal.POINT),
        (["1.25", "1.234", "2"], Decimal.POINT),
        (["12.5K", "300"], Decimal.POINT),
        ([], Decimal.POINT),
    ],
)
def test_whether_a_point_is_decimal_is_seen_from_the_whole_column(cells: list[str], decimal: Decimal) -> None:
    assert decimal_of(cells) is decimal


@pytest.mark.parametrize(
    ("cell", "value"), [("1.234,5", 1234.5), ("12.345", 12_345), ("2,5", 2.5), ("1.234.567 %", 1_234_567), ("7", 7)]
)
def test_numbers_with_a_decimal_comma(cell: str, value: float) -> None:
    assert number(cell, Decimal.COMMA) == value


def test_sites_of_a_german_list_stand_in_the_order_of_their_numbers() -> None:
    standing = Standing("Traffic", ["12.345", "987", "3.210,5"])

    assert [standing.metric(cell).share for cell in ("987", "3.210,5", "12.345")] == [0, 0.5, 1]  # type: ignore[union-attr]


def test_a_metric_is_a_sites_standing_in_the_list() -> None:
    standing = Standing("DR", ["10", "20", "x", "30", "40", "50"])

    assert [standing.metric(cell).share for cell in ("10", "30", "50")] == [0, 0.5, 1]  # type: ignore[union-attr]
    assert standing.metric("x") is None


@pytest.mark.parametrize("cells", [[], ["7"], ["7", "7"]])
def test_a_column_that_tells_no_difference_is_no_criterion(cells: list[str]) -> None:
    assert Standing("DR", cells).metric("7") is None
