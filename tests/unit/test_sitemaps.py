"""Sitemaps in whatever state they are, and what a homepage's headers say of a site's size."""

import gzip

import pytest

from prospector.core.web.sitemaps import MOST_ADDRESSES, MOST_NESTED, Sitemap, read
from prospector.core.web.size_hints import pages_said

A, B = "https://a.test/1", "https://a.test/2?x=1&y=2"
URLSET = (
    '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    "<url><loc>https://a.test/1</loc></url><url><loc>\n https://a.test/2?x=1&amp;y=2 </loc></url></urlset>"
)
INDEX = "<sitemapindex><sitemap><loc>https://a.test/s1.xml</loc></sitemap></sitemapindex>"


@pytest.mark.parametrize(
    "body",
    [
        URLSET.encode(),
        URLSET.encode("utf-8-sig"),
        gzip.compress(URLSET.encode()),
        URLSET.replace("<loc>", "<ns:loc>").encode(),
        URLSET.replace("<loc>", "<LOC>").encode(),
        URLSET.replace("https://a.test/1", "<![CDATA[https://a.test/1]]>").encode(),
        URLSET.replace("https://a.test/1", "<![CDATA[ https://a.test/1 ]]>").encode(),
        URLSET.replace(
            "</loc>", "</loc><image:image><image:loc>https://a.test/1.jpg</image:loc></image:image>"
        ).encode(),
        URLSET[:-20].encode(),  # cut off
        f"{A}\n{B}\n".encode(),
        f"{A}\r\n\r\n  {B}\nnot an address\n".encode(),
    ],
)
def test_addresses_are_read_from_xml_gzip_and_text(body: bytes) -> None:
    assert read(body) == Sitemap(pages=(A, B), listed=2)


def test_an_address_may_have_a_space() -> None:
    assert read(b"<urlset><url><loc>https://a.test/two words </loc></url></urlset>").pages == (
        "https://a.test/two words",
    )


def test_an_index_names_sitemaps_and_no_pages() -> None:
    assert read(INDEX.encode()) == Sitemap(nested=("https://a.test/s1.xml",))


@pytest.mark.parametrize("body", [b"", b"\x1f\x8bnonsense", b"<html><body>no</body></html>", b"\x00\xff" * 50])
def test_what_is_no_sitemap_names_nothing(body: bytes) -> None:
    assert read(body) == Sitemap()


def test_all_are_counted_and_some_are_kept() -> None:
    many = "".join(f"<loc>https://a.test/{n}</loc>" for n in range(MOST_ADDRESSES + 500))

    found = read(f"<urlset>{many}</urlset>".encode())

    assert (len(found.pages), found.listed) == (MOST_ADDRESSES, MOST_ADDRESSES + 500)


def test_an_index_is_not_endless() -> None:
    many = "".join(f"<loc>https://a.test/{n}.xml</loc>" for n in range(MOST_NESTED + 5))

    assert len(read(f"<sitemapindex>{many}</sitemapindex>".encode()).nested) == MOST_NESTED


def test_entities_are_not_expanded_and_nothing_is_loaded() -> None:
    bomb = '<!DOCTYPE b [<!ENTITY a "x"><!ENTITY f SYSTEM "file:///etc/hostname">]><urlset><loc>https://a.test/&a;&f;</loc></urlset>'

    assert read(bomb.encode()).pages == ("https://a.test/&a;&f;",)


def test_a_bomb_is_unpacked_no_further_than_the_limit() -> None:
    body = gzip.compress(b"<urlset>" + b" " * 30_000_000 + b"<loc>https://a.test/late</loc></urlset>")

    assert read(body).pages == ()


@pytest.mark.parametrize(
    "text",
    ["<loc>" + " " * 2_000_000, "<loc>" * 200_000, "<" + "a" * 2_000_000, "<x:" * 500_000],
)
def test_hostile_text_is_read_in_no_time(text: str) -> None:
    assert read(b"<urlset>" + text.encode()).pages == ()  # the suite's own time-out is what it is held to


@pytest.mark.parametrize(
    ("headers", "pages"),
    [
        ({}, 0),
        ({"x-wp-total": "1234"}, 1234),
        ({"x-total-count": " 77 "}, 77),
        ({"x-total-count": "many"}, 0),
        ({"x-wp-total": "5", "x-total-count": "9"}, 9),
        ({"x-total-count": "99999999999"}, 0),
        ({"link": '<https://a.test/?page=2>; rel="next", <https://a.test/?page=40>; rel="last"'}, 40),
        ({"link": "<https://a.test/page/12/>; rel=last"}, 12),
        ({"link": '<https://a.test/?page=2>; rel="next"'}, 0),
        ({"link": "<" + "page=1" * 1_000}, 0),
    ],
)
def test_headers_may_say_how_many_pages_there_are(headers: dict[str, str], pages: int) -> None:
    assert pages_said(headers) == pages
