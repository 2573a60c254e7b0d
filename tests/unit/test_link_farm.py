"""Link farms: pages of links to others, and those that only look like it."""

import pytest

from prospector.core.reading.page import read
from prospector.core.results.link_farm import SITES, is_link_farm

URL = "https://www.lists.com/best"


def of(links: list[str], text: str = "Our friends and partners, CRM") -> bool:
    return is_link_farm(read(f"<title>x</title><p>{text}</p>{' '.join(links)}".encode(), URL))


def links(count: int = SITES, host: str = "site-{}.com", words: str = "cheap loans {}") -> list[str]:
    return [f"<a href='https://{host.format(number)}/page'>{words.format(number)}</a>" for number in range(count)]


def test_links_to_a_hundred_sites_and_little_text_are_a_farm() -> None:
    assert of(links())
    assert not of(links(SITES - 1))


@pytest.mark.parametrize("host", ["lists.com", "www.lists.com", "page-{}.lists.com"])
def test_links_of_the_site_itself_are_none_of_a_farm(host: str) -> None:
    assert not of(links(host=host))
    assert not of(links(SITES - 1) + links(1, host=host))


def test_many_links_to_few_sites_are_no_farm() -> None:
    assert not of(links(host="page-{}.other.com") + links(SITES - 2))


def test_a_directory_that_describes_what_it_lists_is_no_farm() -> None:
    described = [f"{link} sells customer software to small firms since 1999." for link in links()]

    assert not of(described)


def test_a_wall_of_logos_is_no_farm() -> None:
    assert not of(links(words="<img src=/logo-{}.png>"))


def test_a_long_text_with_its_sources_is_no_farm() -> None:
    assert not of(links(), text="word " * 2_000)
