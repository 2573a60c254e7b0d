"""Addresses: parsed as browsers parse them, and one form a page."""

import json
import random
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import ada_url
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from prospector.core.data import entries
from prospector.core.web.urls import UrlInvalid, canonical, fingerprint, resolve

CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("data").joinpath("whatwg_urls.json").read_text())[
    "cases"
]
PARTS = ("href", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash")

PIECES = st.sampled_from(
    [
        "a", "B", "é", "%41", "%c3%a9", "%2F", "%", "%%341", "%2e", "..", ".", "/", "//", ";jsessionid=1", ";x=1",
        "(S(lit3py55t21z5v55vlm25s55))", "?", "&", "=", "#", "utm_source=x", "amp;gclid=1", "sid=1",
        "s=0123456789abcdef0123456789abcdef", "+", "%20", " ", "'", "\\", "[]", "|", "%5B", "\u200d", "\ud800",
    ]
)  # fmt: skip
HOSTS = st.sampled_from(
    ["example.com", "www.example.com", "WWW.www.Example.com.", "user:pw@example.com", "example.com:443", "example.com:80",
     "example.com:8080", "müller.de", "[::1]", "127.1", "..", "www.co.uk", "www.github.io", "a.b.", "x--y.com"]
)  # fmt: skip
ADDRESSES = st.builds(
    lambda scheme, host, rest: f"{scheme}://{host}{rest}",
    st.sampled_from(["http", "https", "HTTP"]),
    HOSTS,
    st.lists(PIECES, max_size=8).map(lambda pieces: "/" + "".join(pieces)),
)


@pytest.mark.parametrize("case", [one for one in CASES if "failure" not in one], ids=lambda one: repr(one["input"]))
def test_a_valid_address_of_the_web_platform_tests_is_parsed_equal(case: dict[str, Any]) -> None:
    href = resolve(case["input"], case["base"])

    parsed = ada_url.URL(href)
    assert {part: getattr(parsed, part) for part in PARTS} == {part: case[part] for part in PARTS}


@pytest.mark.parametrize("case", [one for one in CASES if "failure" in one], ids=lambda one: repr(one["input"]))
def test_an_invalid_address_of_the_web_platform_tests_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(UrlInvalid):
        resolve(case["input"], case["base"])


@pytest.mark.parametrize(
    "url",
    ["ftp://example.com/", "javascript:alert(1)", "mailto:a@b.c", "data:,x", "file:///etc/passwd", "blob:https://a.com/1",
     "/page", "", "example.com", "ws://example.com/"],
)  # fmt: skip
def test_only_absolute_http_and_https_are_addresses(url: str) -> None:
    with pytest.raises(UrlInvalid, match="not a valid http or https address"):
        canonical(url)


def test_a_link_that_leaves_the_web_is_refused_whatever_its_base() -> None:
    with pytest.raises(UrlInvalid):
        resolve("javascript:void(0)", "https://example.com/")


SAME = [
    ("scheme", "http://example.com/a", "https://example.com/a"),
    ("www", "https://www.example.com/a", "https://example.com/a"),
    ("www twice", "https://www.www.example.com/a", "https://example.com/a"),
    ("www below a suffix", "https://www.github.io/a", "https://github.io/a"),
    ("case of scheme and host", "HTTPS://EXAMPLE.com/a", "https://example.com/a"),
    ("default ports", "http://example.com:80/a", "https://example.com:443/a"),
    ("port of the other scheme", "http://example.com:443/a", "https://example.com/a"),
    ("dots behind a session", "https://example.com/b/..;jsessionid=1/a", "https://example.com/a"),
    ("fragment", "https://example.com/a#b", "https://example.com/a"),
    ("root", "https://example.com", "https://example.com/"),
    ("user", "https://me:secret@example.com/a", "https://example.com/a"),
    ("end dot of a host", "https://example.com./a", "https://example.com/a"),
    ("dot segments", "https://example.com/b/../a/./c", "https://example.com/a/c"),
    ("escaped dot segments", "https://example.com/b/%2e%2e/a", "https://example.com/a"),
    ("escapes of plain characters", "https://example.com/%7euser/%41", "https://example.com/~user/A"),
    ("case of escapes", "https://example.com/%c3%a9", "https://example.com/%C3%A9"),
    ("escaped and not", "https://example.com/é?é=ü", "https://example.com/%C3%A9?%C3%A9=%C3%BC"),
    ("brackets of an encyclopedia", "https://example.com/A_%28b%29", "https://example.com/A_(b)"),
    ("colon in a path", "https://example.com/Category%3AB", "https://example.com/Category:B"),
    ("stray percent", "https://example.com/100%", "https://example.com/100%25"),
    ("spaces in a query", "https://example.com/?q=a%20b", "https://example.com/?q=a+b"),
    ("brackets of PHP", "https://example.com/?a%5B%5D=1", "https://example.com/?a[]=1"),
    ("order of parameters", "https://example.com/?b=2&a=1", "https://example.com/?a=1&b=2"),
    ("empty query", "https://example.com/?", "https://example.com/"),
    ("empty parameters", "https://example.com/?&a=1&&", "https://example.com/?a=1"),
    ("campaign", "https://example.com/?utm_source=x&utm_medium=y&a=1", "https://example.com/?a=1"),
    ("click ids", "https://example.com/?gclid=1&fbclid=2&msclkid=3", "https://example.com/"),
    ("case of a campaign", "https://example.com/?UTM_Source=x", "https://example.com/"),
    ("escaped campaign", "https://example.com/?utm%5Fsource=x", "https://example.com/"),
    ("twice escaped ampersand", "https://example.com/?a=1&amp;utm_source=x", "https://example.com/?a=1"),
    ("Java session", "https://example.com/a;jsessionid=0A1B?b=1", "https://example.com/a?b=1"),
    ("PHP session", "https://example.com/?PHPSESSID=1&a=1", "https://example.com/?a=1"),
    ("ASP.NET session", "https://example.com/(S(lit3py55t21z5v55vlm25s55))/a.aspx", "https://example.com/a.aspx"),
    ("session by its token", "https://example.com/?sid=0123456789abcdef", "https://example.com/"),
    ("vBulletin session", "https://example.com/?s=0123456789abcdef0123456789abcdef", "https://example.com/"),
    ("named session", "https://example.com/?session_id=4f3a9c21&a=1", "https://example.com/?a=1"),
    ("session of dashes", "https://example.com/?sessionid=0f8f-4b0c-a1b2-99", "https://example.com/"),
    ("IDN", "https://MÜLLER.de/", "https://xn--mller-kva.de/"),
    ("IPv4", "http://127.1/", "http://127.0.0.1/"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), [pair[1:] for pair in SAME], ids=[pair[0] for pair in SAME])
def test_two_spellings_of_one_page_are_one(first: str, second: str) -> None:
    assert canonical(first) == canonical(second)
    assert fingerprint(first) == fingerprint(second)


DIFFERENT = [
    ("path", "https://example.com/a", "https://example.com/b"),
    ("case of a path", "https://example.com/a", "https://example.com/A"),
    ("end slash", "https://example.com/a", "https://example.com/a/"),
    ("escaped slash", "https://example.com/a%2Fb", "https://example.com/a/b"),
    ("escaped ampersand", "https://example.com/?a=1%26b", "https://example.com/?a=1&b"),
    ("escaped plus", "https://example.com/?q=c%2B%2B", "https://example.com/?q=c++"),
    ("escaped percent", "https://example.com/%2541", "https://example.com/A"),
    ("value", "https://example.com/?a=1", "https://example.com/?a=2"),
    ("order of equal names", "https://example.com/?a=1&a=2", "https://example.com/?a=2&a=1"),
    ("story of a sid", "https://example.com/?sid=12", "https://example.com/?sid=13"),
    ("conference session", "https://example.com/?session_id=12", "https://example.com/?session_id=13"),
    ("search by s with digits", "https://example.com/?s=iphone13promaxcase", "https://example.com/"),
    ("search by s", "https://example.com/?s=shoes", "https://example.com/?s=boots"),
    ("source of a page", "https://example.com/?source=a&ref=b", "https://example.com/"),
    ("subdomain", "https://blog.example.com/", "https://example.com/"),
    ("www2", "https://www2.example.com/", "https://example.com/"),
    ("www as a name", "https://www.com/", "https://com/"),
    ("port", "https://example.com:8443/", "https://example.com/"),
    ("parameter of a path", "https://example.com/a;v=1", "https://example.com/a"),
]


@pytest.mark.parametrize(("first", "second"), [pair[1:] for pair in DIFFERENT], ids=[pair[0] for pair in DIFFERENT])
def test_what_selects_content_keeps_pages_apart(first: str, second: str) -> None:
    assert canonical(first) != canonical(second)
    assert fingerprint(first) != fingerprint(second)


def test_no_parameter_that_selects_content_is_listed_as_tracking() -> None:
    selecting = {
        "id",
        "p",
        "page",
        "q",
        "s",
        "ref",
        "source",
        "from",
        "tag",
        "campaign",
        "lang",
        "v",
        "sid",
        "cat",
        "scm",
    }

    assert not selecting & entries("tracking_parameters")
    assert all(canonical(f"https://e.com/?{name}=1").endswith(f"?{name}=1") for name in selecting)


def test_every_tracking_parameter_is_dropped() -> None:
    for name in entries("tracking_parameters"):
        assert canonical(f"https://e.com/?{name.replace('*', 'x')}=1") == "https://e.com/", name


def test_the_fingerprint_of_today_is_that_of_the_database() -> None:
    assert fingerprint("https://example.com/") == 1493557592560457051
    assert fingerprint("http://www.example.com/blog/post-1?b=2&a=1") == -8597707317802334223


def test_the_fingerprint_is_the_same_in_another_process() -> None:
    code = "from prospector.core.web.urls import fingerprint; print(fingerprint('https://example.com/a?b=1'))"

    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert int(there.stdout) == fingerprint("https://example.com/a?b=1")


def test_the_fingerprint_fits_a_signed_bigint_and_uses_all_of_it() -> None:
    prints = [fingerprint(f"https://example.com/{number}") for number in range(1000)]

    assert all(-(2**63) <= one < 2**63 for one in prints)
    assert min(prints) < -(2**62) < 2**62 < max(prints)
    assert len(set(prints)) == 1000


@given(ADDRESSES)
def test_the_canonical_form_is_its_own_canonical_form(url: str) -> None:
    try:
        once = canonical(url)
    except UrlInvalid:
        assume(False)

    assert canonical(once) == once
    assert once.startswith("https://")
    assert once.isascii()


@given(ADDRESSES, ADDRESSES)
def test_fingerprints_are_equal_where_and_only_where_canonical_forms_are(first: str, second: str) -> None:
    try:
        forms = canonical(first), canonical(second)
    except UrlInvalid:
        assume(False)

    assert (fingerprint(first) == fingerprint(second)) == (forms[0] == forms[1])


@given(
    st.lists(st.sampled_from(["a=1", "b=2", "c=3", "utm_id=4", "d"]), unique=True), st.randoms(use_true_random=False)
)
def test_the_order_of_different_parameters_is_no_difference(pairs: list[str], chance: random.Random) -> None:
    shuffled = chance.sample(pairs, len(pairs))

    assert canonical(f"https://e.com/?{'&'.join(pairs)}") == canonical(f"https://e.com/?{'&'.join(shuffled)}")


@given(st.text(max_size=80))
def test_any_text_is_an_address_or_refused(text: str) -> None:
    with suppress(UrlInvalid):
        assert resolve(text, "https://example.com/").startswith(("http://", "https://"))
