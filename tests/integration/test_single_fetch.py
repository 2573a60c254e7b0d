"""One page over a real socket: robots first, only open addresses, within limits."""

import gzip
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from typing import Any

import pytest

from prospector.core.visits.identity import IDENTITIES
from prospector.demo.web.own_process import running
from prospector.demo.web.plan import Plan
from prospector.errors import InputInvalid, ProspectorError
from prospector.fetch import single
from prospector.fetch.resolver import names_by

LOOPBACK = [ip_network("127.0.0.0/8")]


def fetch(url: str, allowed: Any = (), resolve: Any = (), delay_seconds: float = 0.0) -> single.Fetched:
    return single.fetch(url, names_by(allowed, resolve), delay_seconds)


@dataclass
class Answer:
    status: int = 200
    body: bytes = b"<p>CRM"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Web:
    """Answers by path, or by path and cookie; what has none is 404."""

    url: str
    answers: dict[str, Answer]
    asked: list[tuple[str, str]]


@pytest.fixture
def web() -> Iterator[Web]:
    answers: dict[str, Answer] = {}
    asked: list[tuple[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append((self.path, self.headers["User-Agent"]))
            cookie = f"{self.path} {self.headers['Cookie']}"  # an answer for those who have it
            answer = answers.get(cookie) or answers.get(self.path, Answer(404, b"nothing here"))
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield Web(f"http://127.0.0.1:{server.server_port}", answers, asked)
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_page_is_asked_for_once_after_robots_as_a_crawl_would(web: Web) -> None:
    web.answers["/a?b=1"] = Answer(headers={"Content-Type": "text/html; charset=latin1"})

    fetched = fetch(f"{web.url}/a?b=1#c", LOOPBACK)

    assert (fetched.status, fetched.content_type, fetched.body) == (200, "text/html; charset=latin1", b"<p>CRM")
    assert [path for path, _ in web.asked] == ["/robots.txt", "/a?b=1"]
    assert "BacklinkProspector/" in web.asked[0][1]
    assert web.asked[1][1] in {one["User-Agent"] for one in IDENTITIES}


def test_what_robots_forbids_is_not_asked_for(web: Web) -> None:
    web.answers["/robots.txt"] = Answer(body=b"User-agent: BacklinkProspector\nDisallow: /a")
    web.answers["/a"] = Answer()

    with pytest.raises(ProspectorError, match=r"robots\.txt does not allow"):
        fetch(f"{web.url}/a", LOOPBACK)

    assert [path for path, _ in web.asked] == ["/robots.txt"]


@pytest.mark.parametrize("status", [500, 503, 429])
def test_robots_that_cannot_be_read_allow_nothing(web: Web, status: int) -> None:
    web.answers["/robots.txt"] = Answer(status)

    with pytest.raises(ProspectorError, match="cannot be read"):
        fetch(f"{web.url}/a", LOOPBACK)


def test_an_address_that_is_not_public_is_not_connected_to(web: Web) -> None:
    with pytest.raises(InputInvalid, match="not a public address"):
        fetch(f"{web.url}/a")

    assert web.asked == []


@pytest.mark.parametrize(
    "host", ["localhost", "[::1]", "[::ffff:127.0.0.1]", "10.0.0.1", "169.254.169.254", "0.0.0.0", "0x7f.1"]
)
def test_no_spelling_of_a_private_address_is_connected_to(host: str) -> None:
    with pytest.raises(InputInvalid, match="not a public address"):
        fetch(f"http://{host}/")


def test_a_redirect_is_checked_like_the_first_address(web: Web) -> None:
    web.answers["/a"] = Answer(302, headers={"Location": "http://10.0.0.1/"})

    with pytest.raises(InputInvalid, match="not a public address"):
        fetch(f"{web.url}/a", LOOPBACK)


def test_redirects_are_followed_to_the_final_address(web: Web) -> None:
    web.answers["/a"] = Answer(301, headers={"Location": "b"})
    web.answers["/b"] = Answer()

    assert fetch(f"{web.url}/a", LOOPBACK).url == f"{web.url}/b"


def test_an_address_in_utf_8_is_followed(web: Web) -> None:
    web.answers["/a"] = Answer(301, headers={"Location": "/\u00fc".encode().decode("latin-1")})
    web.answers["/%C3%BC"] = Answer()

    assert fetch(f"{web.url}/a", LOOPBACK).url == f"{web.url}/%C3%BC"


@pytest.mark.parametrize(
    ("headers", "words"),
    [
        ({"Location": "/b"}, "more than 10 redirects"),
        ({"Location": "/a"}, "redirects to itself"),
        ({"Location": "mailto:a@b.example"}, "redirects to no web address"),
        ({}, "redirects to no web address"),
    ],
)
def test_redirects_that_lead_nowhere_end(web: Web, headers: dict[str, str], words: str) -> None:
    web.answers["/a"] = Answer(302, headers=headers)
    web.answers["/b"] = Answer(302, headers={"Location": "/a"})

    with pytest.raises(ProspectorError, match=words):
        fetch(f"{web.url}/a", LOOPBACK)


def test_a_site_that_asks_for_its_cookie_gets_it_as_in_a_crawl(web: Web) -> None:
    web.answers["/a"] = Answer(302, headers={"Location": "/a", "Set-Cookie": "seen=1; Path=/"})
    web.answers["/a seen=1"] = Answer()

    assert fetch(f"{web.url}/a", LOOPBACK).status == 200


def test_a_body_in_a_packing_that_nobody_asked_for_is_no_page(web: Web) -> None:
    web.answers["/a"] = Answer(headers={"Content-Encoding": "br"})
    web.answers["/b"] = Answer(headers={"Content-Encoding": "utf-8"})

    with pytest.raises(ProspectorError, match="packed as 'br'"):
        fetch(f"{web.url}/a", LOOPBACK)
    assert fetch(f"{web.url}/b", LOOPBACK).body == b"<p>CRM"


def test_a_body_is_read_to_its_limit_and_a_packed_one_too(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(single, "BODY_BYTES_AT_MOST", 100_000)
    web.answers["/plain"] = Answer(body=b"x" * 3_000_000)
    web.answers["/packed"] = Answer(body=gzip.compress(b"x" * 3_000_000), headers={"Content-Encoding": "gzip"})

    assert len(fetch(f"{web.url}/plain", LOOPBACK).body) == 100_000
    assert fetch(f"{web.url}/packed", LOOPBACK).body == b"x" * 100_000


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://a.example/", "javascript:x", "a.example"])
def test_only_the_web_is_read(url: str) -> None:
    with pytest.raises(InputInvalid):
        fetch(url)


def test_a_closed_port_is_an_error_in_words() -> None:
    with pytest.raises(ProspectorError, match="could not be read"):
        fetch("http://127.0.0.1:9/", LOOPBACK)


def test_a_site_is_not_asked_faster_than_a_crawl_asks_it(web: Web) -> None:
    web.answers["/a"] = Answer(301, headers={"Location": "/b"})
    web.answers["/b"] = Answer()
    began = time.monotonic()

    fetch(f"{web.url}/a", LOOPBACK, delay_seconds=0.2)

    assert [path for path, _ in web.asked] == ["/robots.txt", "/a", "/b"]  # robots.txt once
    assert time.monotonic() - began >= 0.4


def test_robots_txt_of_another_site_is_not_this_one_s(web: Web) -> None:
    web.answers["/robots.txt"] = Answer(301, headers={"Location": "http://10.0.0.1/robots.txt"})
    web.answers["/a"] = Answer()

    assert fetch(f"{web.url}/a", LOOPBACK).status == 200


# --- the same as a crawl, on the sites of the small web

KINDS = ("company", "robots-untidy", "robots-delay-far", "robots-redirected")
PLAN = Plan(3, len(KINDS), KINDS)


@pytest.fixture(scope="module")
def small_web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], single.Fetched]]:
    log = tmp_path_factory.mktemp("web") / "web.jsonl"
    with running(log, seed=3, sites=len(KINDS), kinds=KINDS) as ready:
        allowed, resolve = [ip_network(ready.settings["ALLOWED_NETWORKS"])], ready.settings["RESOLVE"].split(",")

        def fetched(url: str) -> single.Fetched:
            return fetch(url, allowed, resolve)

        yield fetched


def home(kind: str) -> str:
    site = next(one for one in PLAN.sites if one.kind == kind)
    return f"http://{site.domains[0].name}"


def test_names_lead_where_resolve_says(small_web: Callable[[str], single.Fetched]) -> None:
    assert b"<html" in small_web(f"{home('robots-redirected')}/").body.lower()


@pytest.mark.parametrize(
    ("kind", "path"),
    [("company", "/private/notes"), ("robots-untidy", "/x/1"), ("robots-redirected", "/private/notes")],
)
def test_what_a_crawl_may_not_read_is_not_read(
    kind: str, path: str, small_web: Callable[[str], single.Fetched]
) -> None:
    with pytest.raises(ProspectorError, match=r"robots\.txt does not allow"):
        small_web(f"{home(kind)}{path}")


def test_a_site_that_a_crawl_skips_for_its_delay_is_said_to_be_skipped(
    small_web: Callable[[str], single.Fetched],
) -> None:
    with pytest.raises(ProspectorError, match="so a crawl skips the site"):
        small_web(f"{home('robots-delay-far')}/")


def test_a_name_that_leads_into_a_private_network_is_refused() -> None:
    with pytest.raises(InputInvalid, match="not a public address"):
        fetch("http://inside.test/", LOOPBACK, ["inside.test=10.1.2.3"])
