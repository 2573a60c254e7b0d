"""The small web's own wire: heads of requests, questions for names, what is told to a client that comes by a proxy."""

import struct

import pytest

from prospector.demo.web.message import Malformed, message
from prospector.demo.web.names import NO_ERROR, NO_SUCH_NAME, SERVER_FAILURE, Names, name_asked, reply
from prospector.demo.web.plan import Plan
from prospector.demo.web.server import leads_outside

WEB = "127.1.0.1"


@pytest.mark.parametrize(
    ("line", "host", "expected"),
    [
        ("GET /a?b=c HTTP/1.1", "A.test:18080", ("GET", "", "a.test", "/a?b=c")),
        ("GET http://B.test/x#part HTTP/1.1", "ignored.test", ("GET", "http", "b.test", "/x")),
        ("GET https://b.test HTTP/1.1", "ignored.test", ("GET", "https", "b.test", "/")),
        ("GET http://[::1]:99/x HTTP/1.1", "", ("GET", "http", "::1", "/x")),
        ("CONNECT b.test:443 HTTP/1.1", "b.test:443", ("CONNECT", "", "b.test", "")),
        ("GET /http://inside/ HTTP/1.1", "a.test", ("GET", "", "a.test", "/http://inside/")),
    ],
)
def test_every_form_of_a_target_is_read(line: str, host: str, expected: tuple[str, str, str, str]) -> None:
    read = message(f"{line}\r\nHost: {host}".encode())

    assert (read.verb, read.scheme, read.host, read.target) == expected


def test_names_of_headers_are_read_in_any_case() -> None:
    read = message(b"GET / HTTP/1.1\r\nHOST: a.test\r\nuser-AGENT:  somebody  \r\nCookie: a=b; c")

    assert (read.header(b"user-agent"), read.header(b"cookie"), read.header(b"missing")) == ("somebody", "a=b; c", "")


@pytest.mark.parametrize(
    ("head", "keep"),
    [
        (b"GET / HTTP/1.1\r\nHost: a.test", True),
        (b"GET / HTTP/1.1\r\nHost: a.test\r\nConnection: Close", False),
        (b"GET / HTTP/1.0\r\nHost: a.test", False),
    ],
)
def test_a_connection_is_kept_as_the_client_wants(head: bytes, keep: bool) -> None:
    assert message(head).keep is keep


@pytest.mark.parametrize("head", [b"", b"hello", b"GET /", b"GET / with spaces HTTP/1.1"])
def test_what_is_not_a_request_is_refused(head: bytes) -> None:
    with pytest.raises(Malformed):
        message(head)


def question(name: str, record: int = 1) -> bytes:
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return struct.pack("!6H", 7, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!2H", record, 1)


def test_a_question_for_a_name_is_read_to_its_end() -> None:
    asked = question("www.Blog-1.test")

    assert name_asked(asked) == ("www.blog-1.test", len(asked))


def test_an_answer_repeats_the_question_and_its_number() -> None:
    asked = question("a.test")

    said = reply(asked, len(asked), NO_ERROR, "127.1.0.1")

    assert said[:2] == asked[:2]
    assert said[12 : len(asked)] == asked[12:]
    assert said.endswith(bytes([127, 1, 0, 1]))


def test_who_asks_for_ipv6_gets_no_record_and_no_error() -> None:
    asked = question("a.test", record=28)

    said = reply(asked, len(asked), NO_ERROR, "127.1.0.1")

    assert struct.unpack_from("!4H", said, 2) == (0x8580, 1, 0, 0)


def test_names_fail_in_the_way_of_their_kind() -> None:
    plan = Plan(1, 4, ["company", "unknown-name", "broken-name", "canary-name"])
    names = Names(plan, WEB)

    told = {site.kind: names.answer(site.domains[0].name) for site in plan.sites}

    assert told == {
        "company": (NO_ERROR, WEB),
        "unknown-name": (NO_SUCH_NAME, ""),
        "broken-name": (SERVER_FAILURE, ""),
        "canary-name": (NO_ERROR, "127.66.0.1"),
    }


def test_a_name_of_a_good_site_never_changes_its_address() -> None:
    plan = Plan(1, 1, ["company"])
    names = Names(plan, WEB)

    assert {names.answer(plan.sites[0].name) for _ in range(5)} == {(NO_ERROR, WEB)}


@pytest.mark.parametrize(
    ("host", "outside"),
    [
        ("a.test", False),
        ("nowhere-1.invalid", False),
        ("localhost", True),
        ("127.0.0.1", True),
        ("::1", True),
        ("169.254.169.254", True),
        ("2135031809", True),
        ("example.com", True),
    ],
)
def test_a_proxy_client_that_asks_for_an_address_outside_is_noticed(host: str, outside: bool) -> None:
    assert leads_outside(host, None) is outside


def test_a_proxy_client_that_asks_for_a_name_outside_is_noticed() -> None:
    plan = Plan(1, 2, ["canary-name", "company"])

    assert {site.kind: leads_outside(site.name, site) for site in plan.sites} == {"canary-name": True, "company": False}
