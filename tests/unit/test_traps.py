"""Traps: addresses that a machine makes without end, and real ones that look a little like them."""

import pytest

from prospector.core.web.traps import Trap, trap_of
from prospector.core.web.urls import canonical

TRAPS = [
    (Trap.LONG, f"https://e.com/{'a' * 1000}"),
    (Trap.LONG, f"https://e.com/?q={'a' * 1000}"),
    (Trap.DEEP, "https://e.com/a/b/c/d/e/f/g/h/i/j/k/l/m"),
    (Trap.REPEATED, "https://e.com/a/a/a"),
    (Trap.REPEATED, "https://e.com/a/x/a/y/a"),
    (Trap.REPEATED, "https://e.com/shop/item/shop/item"),
    (Trap.REPEATED, "https://e.com/en/a/b/c/a/b/c/d"),
    (Trap.GROWING, "https://e.com/loop/1/2/3/4"),
    (Trap.GROWING, "https://e.com/login?next=/login?next=/login"),
    (Trap.GROWING, "https://e.com/login?next=%2Flogin%3Fnext%3D%252Flogin"),
    (Trap.GROWING, "https://e.com/go?u=https://e.com/go?u=https://e.com/go"),
    (Trap.CALENDAR, "https://e.com/calendar/2031/05"),
    (Trap.CALENDAR, "https://e.com/calendar/2031-05-01/"),
    (Trap.CALENDAR, "https://e.com/events?date=2031-05-01"),
    (Trap.CALENDAR, "https://e.com/?month=5&year=2031"),
    (Trap.CALENDAR, "https://e.com/termine/?monat=5"),
    (Trap.CALENDAR, "https://e.com/events/?tribe-bar-date=2031-05-01"),
    (Trap.FACETS, "https://e.com/shop?color=red&size=xl"),
    (Trap.FACETS, "https://e.com/shop?filter[color]=1&filter[size]=2"),
    (Trap.FACETS, "https://e.com/shop?sort=price&view=grid"),
    (Trap.FACETS, "https://e.com/list?a=1&b=2&c=3&d=4&e=5&f=6"),
    (Trap.ACTION, "https://e.com/product/x/?add-to-cart=5"),
    (Trap.ACTION, "https://e.com/cart/?remove_item=ab&_wpnonce=12"),
    (Trap.ACTION, "https://e.com/2024/05/post/?share=twitter&nb=1"),
    (Trap.ACTION, "https://e.com/index.php?title=Foo&action=edit"),
    (Trap.ACTION, "https://e.com/index.php?oldid=5&title=Foo"),
    (Trap.ACTION, "https://e.com/posting.php?mode=reply&t=3"),
    (Trap.SUBDOMAINS, "https://a.b.c.d.example.com/"),
    (Trap.SUBDOMAINS, "https://www.x.a.b.c.example.co.uk/page"),
]
PAGES = [
    "https://e.com/",
    "https://e.com/about",
    "https://e.com/news/news/story",
    "https://e.com/2024/05/12/hello-world",
    "https://e.com/2024/05/12",
    "https://e.com/blog/2024/05/12/3-things",
    "https://e.com/calendar",
    "https://e.com/events",
    "https://e.com/events/2024/05/summer-party",
    "https://e.com/event/summer-party-2024",
    "https://e.com/schedule/monday",
    "https://e.com/shop?color=red",
    "https://e.com/shop?sort=price",
    "https://e.com/?p=1234",
    "https://e.com/index.php?id=12&lang=de&page=2",
    "https://e.com/login?next=/account",
    "https://e.com/?share=our-story",
    "https://e.com/app.php?action=show&id=7",
    "https://e.com/edit/history",
    "https://e.com/share?url=https://e.com/page",
    "https://e.com/a/b/c/d/e/f/g/h",
    "https://e.com/page/2",
    "https://e.com/archive/5/5/5",
    "https://blog.en.example.co.uk/post",
    "https://e.com:8443/a",
    "http://192.0.2.1/a",
]


@pytest.mark.parametrize(("trap", "url"), TRAPS, ids=[f"{trap.name} {url[:60]}" for trap, url in TRAPS])
def test_a_trap_is_known_by_its_address(trap: Trap, url: str) -> None:
    assert trap_of(canonical(url)) is trap


@pytest.mark.parametrize("url", PAGES)
def test_a_page_that_somebody_wrote_is_no_trap(url: str) -> None:
    assert trap_of(canonical(url)) is None


def test_a_path_that_grows_by_the_same_link_is_caught_within_three_steps() -> None:
    url = "https://e.com/docs/"
    steps = 0
    while trap_of(url) is None:
        url += "more/"
        steps += 1

    assert steps <= 3


def test_a_calendar_without_end_is_caught_on_every_page_of_it() -> None:
    pages = [
        f"https://e.com/calendar?year={year}&month={month}" for year in range(1990, 2090) for month in range(1, 13)
    ]

    assert {trap_of(canonical(url)) for url in pages} == {Trap.CALENDAR}
