"""What a page says besides its text: links, head, signs; the two parsers alike; hostile pages in bounded work."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prospector.core.reading import lexbor_tree
from prospector.core.reading.guard import is_hostile
from prospector.core.reading.links import Resolver, absolute
from prospector.core.reading.marked import without_marks
from prospector.core.reading.markup import CHARACTERS
from prospector.core.reading.page import Page, Refresh, read
from prospector.core.reading.scan import scan
from prospector.core.reading.signs import Sign
from prospector.core.reading.visible import MARKS_AT_MOST, linearise
from prospector.core.reading.zones import Zone
from prospector.core.words.keywords import Keyword
from prospector.core.words.match import Matcher

URL = "https://www.example.com/blog/post.html?x=1"
CASES = json.loads((Path(__file__).parent.parent / "data" / "mentions.json").read_text(encoding="utf-8"))


def page(html: str | bytes) -> Page:
    return read(html if isinstance(html, bytes) else html.encode(), URL)


def urls(html: str) -> list[str]:
    return [one.url for one in page(html).links]


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("/a", "https://www.example.com/a"),
        ("a b", "https://www.example.com/blog/a%20b"),
        ("../a/./b", "https://www.example.com/a/b"),
        ("?q=1&amp;r=2", "https://www.example.com/blog/post.html?q=1&r=2"),
        ("#top", "https://www.example.com/blog/post.html?x=1#top"),
        ("", "https://www.example.com/blog/post.html?x=1"),
        ("//B.example:443/x", "https://b.example/x"),
        ("\\\\b.example\\x", "https://b.example/x"),
        (" HTTP://b.example\n/x ", "http://b.example/x"),
        ("https:x", "https://www.example.com/blog/x"),
        ("http://bücher.example/ä?ö", "http://xn--bcher-kva.example/%C3%A4?%C3%B6"),
        ("http://user@b.example/", "http://user@b.example/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
    ],
)
def test_a_link_leads_where_a_browser_goes(href: str, url: str) -> None:
    assert urls(f'<a href="{href}">x</a>') == [url]


@pytest.mark.parametrize(
    "href", ["mailto:a@b.example", "javascript:void(0)", "tel:1", "data:,x", "http://[", "ftp://b.example/"]
)
def test_what_is_no_page_of_the_web_is_no_link(href: str) -> None:
    assert urls(f'<a href="{href}">x</a>') == []


def test_an_anchor_without_an_address_is_no_link() -> None:
    links = page("<a name=x>x</a><a>y</a><a class=z>z</a><a href=/w>w</a><a>v</a><a href=/w>u</a>").links

    assert [(one.url, one.anchor) for one in links] == [
        ("https://www.example.com/w", "w"),
        ("https://www.example.com/w", "u"),
    ]


@pytest.mark.parametrize("base", ["/docs/", "https://www.example.com/docs/"])
def test_a_base_moves_every_link(base: str) -> None:
    assert urls(f"<base href='{base}'><base href='/other/'><a href=a>x</a>") == ["https://www.example.com/docs/a"]


def test_a_link_has_its_text_its_rel_and_its_zone() -> None:
    links = page(
        "<nav><a href=/a rel='NoFollow  ugc'>The <b>first</b>\n one</a></nav><p>x<a href=/b> <img></a><map><area href=/c></map>"
    ).links

    assert [(one.anchor, sorted(one.rel), one.zone) for one in links] == [
        ("The first one", ["nofollow", "ugc"], Zone.NAV),
        ("", [], Zone.MAIN),
        ("", [], Zone.MAIN),
    ]


def test_links_in_a_closed_menu_are_links_without_text() -> None:
    links = page("<ul style='display:none'><li><a href=/a>one</a></ul><a href=/b>two</a>").links

    assert [(one.url[-2:], one.anchor) for one in links] == [("/a", ""), ("/b", "two")]


def test_links_in_scripts_and_comments_are_none() -> None:
    assert urls("<script>'<a href=/a>'</script><!-- <a href=/b> --><template><a href=/c></a></template>") == []


HREFS = st.one_of(
    st.text(st.sampled_from("/.?#&=%a:-_~ \\\t'\"@[]ä"), max_size=12).map(lambda rest: f"/{rest}"),
    st.text(st.sampled_from("/.?#&=%a:-_~ \\'"), max_size=12).map(lambda rest: f"#{rest}"),
    st.text(st.sampled_from("/.?#&a:"), max_size=8).map(lambda rest: f"../{rest}"),
    st.tuples(
        st.sampled_from(["http://", "https://", "https:/", "HTTPS://"]),
        st.lists(
            st.sampled_from(["a", "co", "xn--a", "xn--bcher-kva", "1", "0x7", "-a", "B", "ä", "a_b", "", "u@", ":8"])
        ),
        st.text(st.sampled_from("/.?#a:%"), max_size=6),
    ).map(lambda parts: f"{parts[0]}{'.'.join(parts[1])}/{parts[2]}"),
    st.text(max_size=12),
)


@settings(max_examples=1_000)
@given(
    HREFS,
    st.sampled_from(
        [
            URL,
            "https://b.example",
            "https://b.example/a/b/c",
            "http://b.example:8080/a?b#c",
            "https://a.example",
            "file:///x",
            "",
            "http://[::1]/x#y",
        ]
    ),
)
def test_the_short_way_to_an_address_leads_where_the_standard_does(href: str, base: str) -> None:
    assert Resolver(base).absolute(href) == absolute(href, base)


@given(st.text(max_size=30))
def test_no_address_stops_it(href: str) -> None:
    assert (absolute(href, URL) or "http").startswith("http")


def test_the_head_is_read() -> None:
    one = page(
        """<html lang="de-AT"><head><title> A\n page </title><link rel="alternate canonical" href="/canon">
        <meta name=ROBOTS content="NoIndex, follow"><meta name="backlinkprospector" content="nofollow">
        <meta http-equiv=refresh content="5; URL='/next'"></head><body>x"""
    )

    assert (one.title, one.language, one.charset) == ("A page", "de-at", "utf-8")
    assert one.canonical == "https://www.example.com/canon"
    assert one.robots == {"noindex", "follow", "nofollow"}
    assert one.refresh == Refresh(5, "https://www.example.com/next")
    assert one.text_length == 1


@pytest.mark.parametrize(
    ("tag", "directives"),
    [
        ("noindex, NoFollow", {"noindex", "nofollow"}),
        ("none", {"none", "noindex", "nofollow"}),
        ("BacklinkProspector: noindex", {"noindex"}),
        ("otherbot: noindex, nofollow", set()),
        ("max-snippet: 50, nofollow", {"max-snippet: 50", "nofollow"}),
        (
            "noindex, unavailable_after: 25 Jun 2010 15:00:00 PST",
            {"noindex", "unavailable_after: 25 jun 2010 15:00:00 pst"},
        ),
    ],
)
def test_a_header_may_say_it_too(tag: str, directives: set[str]) -> None:
    assert read(b"<p>x", "https://a.example/", robots_tags=[tag]).robots == directives


def test_robots_none_is_both() -> None:
    assert page("<meta name=robots content=none>").robots >= {"noindex", "nofollow"}


@pytest.mark.parametrize(
    ("content", "refresh"),
    [
        ("0;url=/a", Refresh(0, "https://www.example.com/a")),
        ("3", Refresh(3, URL)),
        ("1.5, '/a'", Refresh(1, "https://www.example.com/a")),
        ("0; url=javascript:x", None),
        ("soon", None),
        ("", None),
    ],
)
def test_a_meta_refresh_is_read_as_a_browser_reads_it(content: str, refresh: Refresh | None) -> None:
    assert page(f'<meta http-equiv="Refresh" content="{content}">').refresh == refresh


LONG = "word " * 900


@pytest.mark.parametrize(
    ("html", "signs"),
    [
        (f"<p>{LONG}<script>x</script>", set()),
        ("<script>x</script><p>Loading", {Sign.NEEDS_BROWSER}),
        ("<p>short, and no script", set()),
        ("<noscript>Please enable JavaScript</noscript>", {Sign.NEEDS_BROWSER}),
        (f"<noscript>Please enable JavaScript</noscript><p>{LONG}", set()),
        (f"<div id=root></div><footer>{LONG}</footer>", {Sign.NEEDS_BROWSER}),
        (f"<div id='__next'><script>1</script> </div><footer>{LONG}</footer>", {Sign.NEEDS_BROWSER}),
        (f"<div id=app>{LONG}</div>", set()),
        (f"<DIV\nID =\n app></DIV><footer>{LONG}</footer>", {Sign.NEEDS_BROWSER}),
        (f"<div id=&#97;pp></div><footer>{LONG}</footer>", {Sign.NEEDS_BROWSER}),
        (f'<p>Write &lt;div id="app"&gt;. {LONG}</p><div id=application></div>', set()),
        ("<title>Just a moment...</title><p>Checking your browser before accessing", {Sign.CHALLENGE}),
        ("<p>Access<script src='https://ct.captcha-delivery.com/c.js'></script>", {Sign.CHALLENGE, Sign.NEEDS_BROWSER}),
        (f"<p>{LONG}<div class=g-recaptcha></div>", set()),
        ("<h1>acme.example</h1><p>This domain is for sale. Buy this domain", {Sign.PARKED}),
        (f"<p>{LONG} buy this domain", set()),
        ("<title>404 Not Found</title><p>sorry", {Sign.SOFT_404}),
        ("<title>Acme</title><h1>Seite nicht gefunden</h1>", {Sign.SOFT_404}),
        ("<title>Page not found | Acme</title><p>x", {Sign.SOFT_404}),
        ("<title>Our 404 best shoes</title><h1>Not found in shops elsewhere</h1>", {Sign.SOFT_404}),
        ("<title>How we found the page</title><p>x", set()),
        ("<title>ページが見つかりません</title>", {Sign.SOFT_404}),
    ],
)
def test_a_page_shows_what_it_is(html: str, signs: set[Sign]) -> None:
    assert page(html).signs == signs


def test_characters_that_our_marks_are_made_of_do_no_harm() -> None:
    marks = "".join(CHARACTERS)

    one = page(f"<title>{marks}</title><p>CRM{marks}CRM &#1;&#x02;&#0003&#X4z CRM <a href='/{marks}[&#4;]'>CRM</a>")

    assert not set(one.text) & set(marks)
    assert Matcher([Keyword("crm")]).mentions(one)[0].frequency == 4
    assert without_marks(b"&#10; &#x1F; &#31 &#x4a &#160;") == b"&#10; &#x1F; &#31 &#x4a &#160;"
    assert [link.anchor for link in one.links] == ["CRM"]


@pytest.mark.parametrize("comment", ["<!-- <b> > -->", "<?php echo '<b' ?>", "<![CDATA[x]]>", ""])
def test_two_elements_of_a_name_side_by_side_are_two_words_whatever_comment_is_between(comment: str) -> None:
    html = f"<p><b>acme</b>{comment}<b>crm</b>"

    assert [one.frequency for one in Matcher([Keyword("acme"), Keyword("crm")]).mentions(page(html))] == [1, 1]


ORDINARY = [
    *(case["html"] for case in CASES),
    "<html lang=en><head><title>A &amp; B</title><meta charset=utf-8></head><body class='x'><h1>A</h1><p>b<br>c</body></html>",
    "<ul><li>a<li>b</ul><table><tr><td>c<td>d<tr><th>e</table><dl><dt>f<dd>g</dl>",
    "<p>a<p hidden>b<div hidden>c<div>d</div>e</div>f<span style='display:none'>g</span>h",
    "<a href='/x?a=1&amp;b=2' rel=nofollow>a</a><a href=y>b</a><nav><a href=z>c</a></nav><map><area href=w></map>",
    "<script>if (a < b) '<p>'</script><style>p > a {}</style><!-- <p> -->x<textarea><p></textarea>y<iframe><p></iframe>z",
    "<p title='a > b' class=c>d &lt;e&gt; &nbsp;f &copy; &#8217; &hellip;</p>",
    "<details><summary>a</summary>b</details><dialog>c</dialog><dialog open>d</dialog><div popover>e</div>",
    "<h1>a</h1><main>b<header>c</header><footer>d</footer></main>",
    "<P CLASS=x>A<BR>B<SUP>2</SUP><SPAN>c</SPAN><SPAN>d</SPAN></P>",
    "<select><option>a<option>b</select>c<svg><title>d</title></svg>e<object>f</object>g",
]


@pytest.mark.parametrize("html", ORDINARY)
def test_both_parsers_read_an_ordinary_page_alike(html: str) -> None:
    first, second = (parse(html.encode()) for parse in (lexbor_tree.parse, scan))

    one, other = (linearise(marked.head.title, marked.text) for marked in (first, second))
    assert other.text.split() == one.text.split()
    assert [(anchor.href, anchor.rel) for anchor in second.anchors] == [
        (anchor.href, anchor.rel) for anchor in first.anchors
    ]
    assert (second.head.title.split(), second.head.language, second.head.metas) == (
        first.head.title.split(),
        first.head.language,
        first.head.metas,
    )


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_second_parser_knows_the_conformance_cases(case: dict[str, str]) -> None:
    hostile = f"{case['html']}{'<b id=1>' * 700}".encode()
    assert is_hostile(hostile)

    mentions = Matcher([Keyword(case["keyword"])]).mentions(read(hostile, URL))

    assert sum(one.frequency for one in mentions) == case["expected_count"]


HOSTILE: dict[str, tuple[Callable[[], bytes], bool]] = {
    "200,000 nested": (lambda: b"<div>" * 200_000 + b"CRM", True),
    "200,000 nested and closed": (lambda: b"<div>" * 200_000 + b"CRM" + b"</div>" * 200_000, True),
    "100,000 links": (lambda: b"".join(b"<a href=/%d>CRM</a> " % one for one in range(100_000)), False),
    "100,000 attributes": (lambda: b"<p " + b" ".join(b"a%d" % one for one in range(100_000)) + b">CRM", True),
    "100,000 quoted": (lambda: b"<p " + b" ".join(b'a%d=">"' % one for one in range(100_000)) + b">CRM", True),
    "fonts": (lambda: b"".join(b"<p><font size=%d>" % one for one in range(20_000)) + b"CRM", True),
    "fonts and paragraphs": (
        lambda: b"<p>" + b"".join(b"<font size=%d>" % one for one in range(190)) + b"</p>" + b"<p>CRM</p>" * 60_000,
        True,
    ),
    "fonts alike": (lambda: b"<p><font>" * 20_000 + b"CRM", True),
    "16,000 options": (lambda: b"<select>" + b"<option>x" * 16_000 + b"</select>CRM", False),
    "tables": (lambda: b"<table><tr><td>" * 50_000 + b"CRM", True),
    "10 MB of text": (lambda: b"<p>" + b"the CRM software " * 600_000, False),
    "no end of a tag": (lambda: b"CRM <a " * 500_000, True),
    "no end of a comment": (lambda: b"CRM<!--" * 500_000, False),
    "no end of a script": (lambda: b"CRM<script>" * 200_000, True),
    "quotes": (lambda: b'CRM<p a="' * 300_000, True),
    "references": (lambda: b"CRM" + b"&amp;" * 500_000, False),
    "binary": (lambda: b"CRM " + random.Random(1).randbytes(1_000_000), False),
    "NUL": (lambda: b"CRM" + b"\0" * 2_000_000, False),
    "end tags": (lambda: b"CRM" + b"</nav>" * 300_000, False),
    "marks": (lambda: b"<p>CRM a" + "\u0301\u0323".encode() * 200_000, False),
    "hidden": (lambda: b"CRM" + b"<i hidden>x</i>" * 50_000, False),
    "100,000 not displayed": (lambda: b"CRM" + b"<b style='display:none'>x</b>" * 100_000, False),
    "100,000 items": (lambda: b"CRM" + b"<li>CRM" * 100_000, False),
    "700,000 zero-width spaces": (lambda: b"CRM " + "a\u200b".encode() * 700_000, False),
    "a letter, again and again": (lambda: b"CRM " + b"a " * 1_000_000, False),
    "100,000 comments of visitors": (lambda: b"CRM" + b"<div class=comment>x</div>" * 100_000, False),
}


@pytest.mark.timeout(20)  # a parser without the guard needs minutes for some of them
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_is_read_in_bounded_work(name: str) -> None:
    make, hostile = HOSTILE[name]
    body = make()

    one = read(body, URL)

    assert is_hostile(body) is hostile
    found = Matcher([Keyword("crm"), Keyword("a")]).mentions(one)
    assert found or one.truncated
    assert len(one.links) <= 10_000
    assert len(one.text) <= 500_000
    assert len(one.visible.soft_breaks) + len(one.visible.zones) + 2 * len(one.visible.link_starts) <= MARKS_AT_MOST + 1


@pytest.mark.parametrize(
    "body",
    [
        b"<p>x</p>" * 400_000,
        b"<p>" + b"x " * 400_000,
        b"<i>" * 5_000 + b"<a>x</a>" * 300_000,
        b"<a href=/x>x</a>" * 10_001,
        "a\u200b".encode() * 150_000 + b"<a href=/x>x</a>",
    ],
)
def test_where_a_limit_is_hit_the_page_says_so(body: bytes) -> None:
    assert page(body).truncated


def test_an_ordinary_page_is_whole() -> None:
    assert not page(f"<p>{LONG}").truncated
    assert not is_hostile(f"{'<p>x<br>' * 5_000}{'<div>' * 1_000}{LONG}".encode())


@settings(deadline=None)
@given(
    st.one_of(
        st.binary(max_size=200),
        st.lists(st.sampled_from("<>/a='\" !-&;#x p b\0\n"), max_size=60).map("".join).map(str.encode),
    )
)
def test_no_bytes_stop_either_parser(body: bytes) -> None:
    read(body, URL)
    scan(without_marks(body))
