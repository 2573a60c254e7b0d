"""Hosts: what a cell means, however it was typed, and why some values are no domain."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prospector.core.lists.exclusions import Exclusions
from prospector.core.lists.intake import take
from prospector.core.web import hosts
from prospector.core.web.hosts import Host, Reason, Refused


def domains(cell: str) -> list[str]:
    return [one.domain for one in hosts.read(cell) if isinstance(one, Host)]


def reason(cell: str) -> Reason:
    (one,) = hosts.read(cell)
    assert isinstance(one, Refused), one
    return one.reason


@pytest.mark.parametrize(
    "cell",
    [
        "example.com",
        "EXAMPLE.com",
        "www.example.com",
        "example.com.",
        "http://example.com",
        "https://example.com/",
        "https://www.example.com/page?q=1#top",
        "https://user@example.com:8080/path",
        "https://user:secret@example.com/",
        "user:secret@example.com",
        "example.com:8080",
        "//example.com/page",
        "http:/example.com",
        "http//example.com",
        "http:\\\\example.com\\page",
        "http://https://example.com",
        "hxxp://example.com",
        "hxxps://example[.]com/page",
        "hxxps[:]//example[.]com",
        "example[.]com",
        "example(dot)com",
        "example [dot] com",
        "*.example.com",
        ".example.com",
        "domain:example.com",
        "Domain: example.com",
        "site:example.com",
        '"example.com"',
        "“example.com”",
        "'example.com'",
        "«example.com»",
        "<example.com>",
        "(example.com)",
        "[example.com]",
        "example.com,",
        "\u00a0example.com\u00a0",
        "\ufeffexample.com",
        "exam\u200bple.com",
        "exam\u00adple.com",
        "exam\u200dple.com",
        "\u202aexample.com\u202c",
        "ｅｘａｍｐｌｅ．ｃｏｍ",
        "example。com",
        "ex%61mple.com",
        "example.com!",
        "example.com (main)",
        "Acme Ltd: example.com",
        "1. example.com",
        "12) example.com",
        "- example.com",
        "• example.com",
        "example.com 55",
        "[Acme](https://example.com/)",
        "[https://example.com]",
        '["example.com"',
        '=HYPERLINK("https://example.com/a","Acme")',
        '<a href="https://example.com">Acme</a>',
        "http://example.com#@other.com",
        "http://example.com\\@other.com",
    ],
)
def test_one_domain_is_meant_however_it_is_typed(cell: str) -> None:
    assert domains(cell) == ["example.com"]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("a.com, b.com; c.com | d.com", ["a.com", "b.com", "c.com", "d.com"]),
        ("a.com b.com\nc.com", ["a.com", "b.com", "c.com"]),
        ("a.com,b.com", ["a.com", "b.com"]),
        ("https://a.com/x,https://b.com/y", ["a.com", "b.com"]),
        ("https://a.com/x,y;z|w", ["a.com"]),
        ("a.com and b.com", ["a.com", "b.com"]),
        ("a.com / b.com", ["a.com", "b.com"]),
        ("a.com a.com", ["a.com", "a.com"]),
    ],
)
def test_one_cell_may_name_several_domains(cell: str, expected: list[str]) -> None:
    assert domains(cell) == expected


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("faß.de", "xn--fa-hia.de"),
        ("fass.de", "fass.de"),
        ("MÜLLER.de", "xn--mller-kva.de"),
        ("xn--mller-kva.de", "xn--mller-kva.de"),
        ("пример.рф", "xn--e1afmkfd.xn--p1ai"),
        ("例え.jp", "xn--r8jz45g.jp"),
        ("i❤.ws", "xn--i-7iq.ws"),
        ("نامه\u200cای.com", "xn--mgba3gch31f060k.com"),
    ],
)
def test_international_names_follow_idna_2008_and_what_browsers_accept(cell: str, expected: str) -> None:
    assert domains(cell) == [expected]


@pytest.mark.parametrize(
    ("cell", "domain"),
    [
        ("www.example.co.uk", "example.co.uk"),
        ("blog.example.co.uk", "blog.example.co.uk"),
        ("github.io", "github.io"),
        ("user.github.io", "user.github.io"),
        ("www.github.io", "www.github.io"),
        ("www.gov.uk", "www.gov.uk"),
        ("www.medium.com", "medium.com"),
        ("www.com", "www.com"),
        ("a_b.example.com", "a_b.example.com"),
        ("-x.tumblr.com", "-x.tumblr.com"),
        ("archive.zip", "archive.zip"),
        ("shop.test", "shop.test"),
    ],
)
def test_www_is_a_twin_unless_it_is_the_registered_name(cell: str, domain: str) -> None:
    assert domains(cell) == [domain]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("", Reason.EMPTY),
        (" \u00a0 ", Reason.EMPTY),
        ("info@acme.de", Reason.EMAIL),
        ("mailto:info@acme.de", Reason.EMAIL),
        ("@acme", Reason.EMAIL),
        ("Acme", Reason.NO_DOT),
        ("Acme Corporation Ltd", Reason.NO_DOT),
        ("N/A", Reason.NO_DOT),
        ("-", Reason.NO_DOT),
        ("http://", Reason.NO_DOT),
        ("8.8.8.8", Reason.IP),
        ("https://8.8.8.8/page", Reason.IP),
        ("256.1.1.1", Reason.IP),
        ("1.2.3.4.5", Reason.IP),
        ("2606:4700::1111", Reason.IP),
        ("co.uk", Reason.PUBLIC_SUFFIX),
        ("COM.AU", Reason.PUBLIC_SUFFIX),
        ("https://co.uk/", Reason.PUBLIC_SUFFIX),
        ("anything.ck", Reason.PUBLIC_SUFFIX),
        ("report.pdf", Reason.FILE_NAME),
        ("index.html", Reason.FILE_NAME),
        ("logo.PNG", Reason.FILE_NAME),
        ("C:\\leads\\list.xlsx", Reason.NOT_WEB),
        ("ftp://example.com/file", Reason.NOT_WEB),
        ("javascript:alert(1)", Reason.NOT_WEB),
        ("file:///etc/passwd", Reason.NOT_WEB),
        ("tel:+4930123", Reason.NOT_WEB),
        ("a..com", Reason.NOT_A_HOST),
        ("-acme.com", Reason.NOT_A_HOST),
        ("acme-.com", Reason.NOT_A_HOST),
        ("ac_me.com", Reason.NOT_A_HOST),
        ("ac$me.com", Reason.NOT_A_HOST),
        ("acme.com:99999", Reason.NOT_A_HOST),
        ("xn--pokxncvks.com", Reason.NOT_A_HOST),
        ("xn--a.com", Reason.NOT_A_HOST),
        (f"{'a' * 64}.com", Reason.NOT_A_HOST),
        (f"{'a.' * 130}com", Reason.NOT_A_HOST),
        ("acme.-", Reason.NOT_A_HOST),
        ("0。-", Reason.NOT_A_HOST),
        ("a" * 3000, Reason.TOO_LONG),
        (f"{'a' * 3000}.com", Reason.TOO_LONG),
        ("x y " * 20_000, Reason.TOO_LONG),
        ("acme\x00.com", Reason.UNREADABLE),
        ("m\ufffdller.de", Reason.UNREADABLE),
        ("acme\ud800.com", Reason.UNREADABLE),
    ],
)
def test_what_is_no_domain_is_refused_with_its_reason(cell: str, expected: Reason) -> None:
    assert reason(cell) is expected


PRIVATE = [
    "localhost",
    "LOCALHOST",
    "localhost.",
    "localhost:8080",
    "http://localhost/admin",
    "%6cocalhost",
    "loc\u00adalhost",
    "ｌｏｃａｌｈｏｓｔ",
    "app.localhost",
    "localhost.localdomain",
    "printer.local",
    "wiki.internal",
    "metadata.google.internal",
    "intranet.corp",
    "nas.lan",
    "router.home",
    "router.home.arpa",
    "1.0.0.127.in-addr.arpa",
    "service.onion",
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "0x7f.1",
    "0X7F.0.0.1",
    "0x7f000001",
    "0177.0.0.1",
    "017700000001",
    "2130706433",
    "http://2130706433/",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "https://user@192.168.1.1:8443/x",
    "100.64.0.1",
    "169.254.169.254",
    "http://169.254.169.254/latest/meta-data/",
    "0xa9fea9fe",
    "2852039166",
    "192.0.2.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "１２７.０.０.１",
    "①②⑦.⓪.⓪.①",
    "127。0。0。1",
    "%31%32%37.0.0.1",
    "[::1]",
    "::1",
    "http://[::1]:80/",
    "[::]",
    "::ffff:127.0.0.1",
    "[::ffff:7f00:1]",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd12:3456::1",
    "[fd00:ec2::254]",
    "127.0.0.1.nip.io",
    "app.10.0.0.1.sslip.io",
    "localtest.me",
    "sub.lvh.me",
]


@pytest.mark.parametrize("cell", PRIVATE)
def test_private_and_local_hosts_are_refused_in_every_spelling(cell: str) -> None:
    assert reason(cell) is Reason.PRIVATE


def test_a_list_of_private_hosts_leaves_nothing_to_crawl() -> None:
    intake = take("\n".join(PRIVATE).encode(), "leads.csv", Exclusions())

    assert not intake.domains
    assert [(one.row, one.reason) for one in intake.rejected] == [
        (row, Reason.PRIVATE) for row in range(1, len(PRIVATE) + 1)
    ]


def test_a_path_is_kept_for_the_warning_and_a_bare_slash_is_none() -> None:
    def path(cell: str) -> str:
        (one,) = hosts.read(cell)
        assert isinstance(one, Host)
        return one.path

    assert path("medium.com/@name") == "/@name"
    assert path("https://example.com/a b") == "/a"
    assert path("https://example.com/") == path("https://example.com/#top") == path("example.com") == ""


def test_the_host_that_was_listed_is_kept_for_the_first_request() -> None:
    assert hosts.read("https://WWW.Example.com/x") == [
        Host("https://WWW.Example.com/x", "www.example.com", "example.com", "/x")
    ]


def test_words_beside_a_domain_are_no_refusals_but_an_email_is() -> None:
    assert domains("Acme Ltd acme.com") == ["acme.com"]
    assert hosts.read("info@acme.com acme.com")[0] == Refused("info@acme.com", Reason.EMAIL)


def test_a_number_beside_a_domain_is_noise_but_an_address_is_not() -> None:
    assert domains("7 acme.com") == ["acme.com"]
    assert hosts.read("acme.com 127.1") == [Host("acme.com", "acme.com", "acme.com"), Refused("127.1", Reason.PRIVATE)]
    assert domains("acme.com since 01.02.2024 for 12.50") == ["acme.com"]


@pytest.mark.parametrize(
    "cell", ["7", "0", "12345", "3.14", "12,50", "-5", "01.02.2024", "2024-01-05", "2024/01/05 10:30", "7%"]
)
def test_a_number_or_a_date_is_refused_as_what_it_is(cell: str) -> None:
    assert hosts.read(cell) == [Refused(cell, Reason.NUMBER)]


def test_a_word_and_a_number_are_refused_as_words() -> None:
    assert hosts.read("Total 36") == [Refused("Total 36", Reason.NO_DOT)]


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("acme .com", Reason.NOT_A_HOST),
        ('{"domain":"acme.com"}', Reason.NOT_A_HOST),
        ("Acme Inc. Berlin", Reason.NO_DOT),
    ],
)
def test_what_has_a_dot_within_is_not_told_that_it_has_none(cell: str, reason: Reason) -> None:
    assert hosts.read(cell) == [Refused(cell, reason)]


def test_a_refused_value_is_shown_cut() -> None:
    (one,) = hosts.read("word " * 100)

    assert len(one.value) == hosts.SHOWN
    assert one.value.endswith("…")


def test_every_reason_makes_a_sentence() -> None:
    assert all(one.words.startswith(("is ", "has ")) for one in Reason)


@given(st.text(max_size=60) | st.text("abc.-_/:@[]%*,;|()\"' \t0x127é。①", max_size=40))
def test_any_text_is_read_into_hosts_that_read_the_same_again(cell: str) -> None:
    for one in hosts.read(cell):
        if isinstance(one, Host):
            assert domains(one.domain) == [one.domain]


@given(
    st.from_regex(r"(https?://)?[a-z0-9-]{1,8}(\.[a-z0-9-]{1,8}){0,3}\.[a-z]{2,4}(/[a-z0-9?=&.]{0,9})?", fullmatch=True)
)
def test_the_short_way_and_the_parser_agree(cell: str) -> None:
    (short,) = hosts.read(cell)
    (long,) = hosts.read(f'"{cell}"')

    # the path is for a warning only, and is shown as it was typed
    assert [getattr(short, name, None) for name in ("host", "domain", "reason")] == [
        getattr(long, name, None) for name in ("host", "domain", "reason")
    ]
