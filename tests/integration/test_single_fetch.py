"""One page over a real socket: robots first, only open addresses, within limits."""

import gzip
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network

import pytest

from prospector.errors import InputInvalid, ProspectorError
from prospector.fetch import single
from prospector.fetch.single import fetch

LOOPBACK = [ip_network("127.0.0.0/8")]


@dataclass
class Answer:
    status: int = 200
    body: bytes = b"<p>CRM"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Web:
    """Answers by path; what has none is 404."""

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
            answer = answers.get(self.path, Answer(404, b"nothing here"))
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


def test_a_page_is_asked_for_once_after_robots_and_under_our_name(web: Web) -> None:
    web.answers["/a?b=1"] = Answer(headers={"Content-Type": "text/html; charset=latin1"})

    fetched = fetch(f"{web.url}/a?b=1#c", LOOPBACK)

    assert (fetched.status, fetched.content_type, fetched.body) == (200, "text/html; charset=latin1", b"<p>CRM")
    assert [path for path, _ in web.asked] == ["/robots.txt", "/a?b=1"]
    assert all("BacklinkProspector/" in name for _, name in web.asked)


def test_what_robots_forbids_is_not_asked_for(web: Web) -> None:
    web.answers["/robots.txt"] = Answer(body=b"User-agent: BacklinkProspector\nDisallow: /a")
    web.answers["/a"] = Answer()

    with pytest.raises(ProspectorError, match=r"robots\.txt does not allow"):
        fetch(f"{web.url}/a", LOOPBACK)

    assert [path for path, _ in web.asked] == ["/robots.txt"]


@pytest.mark.parametrize("status", [500, 503, 429])
def test_robots_that_cannot_be_read_allow_nothing(web: Web, status: int) -> None:
    web.answers["/robots.txt"] = Answer(status)

    with pytest.raises(ProspectorError, match=f"answered {status}"):
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


def test_a_circle_of_redirects_ends(web: Web) -> None:
    web.answers["/a"] = Answer(302, headers={"Location": "/a"})

    with pytest.raises(ProspectorError, match="more than 5 redirects"):
        fetch(f"{web.url}/a", LOOPBACK)


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
