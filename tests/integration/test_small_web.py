"""The small web over real sockets: each kind behaves as it says, and every request is in the log."""

import contextlib
import gzip
import signal
import socket
import ssl
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest

from prospector.demo.web import document
from prospector.demo.web.kinds import KINDS
from prospector.demo.web.kinds.barred import FAR_SECONDS, RETRY_SECONDS
from prospector.demo.web.own_process import running
from prospector.demo.web.plan import Plan
from prospector.demo.web.request_log import Entry, entries
from prospector.demo.web.serving import Ready
from prospector.demo.web.site import Reach, Site

SEED, SITES = 11, len(KINDS)  # one of each kind
LOOPBACK_V6 = "0" * 24 + "01000000"


@dataclass
class Reply:
    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


class Client:
    """Reads one answer a connection, to its end or until `seconds` are over."""

    def __init__(self, ready: Ready, log: Path) -> None:
        self.ready, self.log = ready, log
        self.plan = Plan(SEED, SITES)

    def site(self, kind: str) -> Site:
        return next(site for site in self.plan.sites if site.kind == kind)

    def name(self, kind: str) -> str:
        return self.site(kind).domains[0].name

    def get(self, host: str, target: str = "/", *, tls: bool = False, seconds: float = 60, **headers: str) -> Reply:
        return reply(self.raw(host, target, tls=tls, seconds=seconds, **headers))

    def raw(
        self, host: str, target: str = "/", *, tls: bool = False, seconds: float = 60, most: int = 10**9, **headers: str
    ) -> bytes:
        extra = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
        plain = socket.create_connection(("127.1.0.1", self.ready.port), seconds)
        with plain, secured(plain, host) if tls else plain as connection:
            connection.sendall(f"GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{extra}\r\n".encode())
            return read_all(connection, seconds, most)

    def paid(self, host: str, target: str = "/", method: str = "scrapingbee-js") -> Reply:
        token = self.ready.token
        return self.get(host, target, X_Demo_Via=token, X_Demo_Method=method)

    def logged(self, host: str, count: int = 1) -> list[Entry]:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if len(found := [entry for entry in entries(self.log) if entry.host == host]) >= count:
                return found
            time.sleep(0.05)
        return found


def secured(plain: socket.socket, host: str) -> ssl.SSLSocket:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(plain, server_hostname=host)


def read_all(connection: socket.socket, seconds: float, most_bytes: int = 10**9) -> bytes:
    deadline = time.monotonic() + seconds
    said = bytearray()
    while len(said) <= most_bytes and time.monotonic() < deadline:
        connection.settimeout(max(0.01, deadline - time.monotonic()))
        try:
            part = connection.recv(65536)
        except TimeoutError:
            break
        if not part:
            break
        said += part
    return bytes(said)


def reply(raw: bytes) -> Reply:
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    pairs = (line.partition(": ") for line in lines)
    return Reply(int(first.split()[1]), {name: value for name, _, value in pairs}, body)


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    log = tmp_path_factory.mktemp("web") / "web.jsonl"
    with running(log, seed=SEED, sites=SITES) as ready:
        yield Client(ready, log)


def test_a_page_is_the_planned_one_in_its_own_charset(web: Client) -> None:
    for kind in ("blog", "patchy", "hops"):
        site = web.site(kind)
        page = next(page for page in site.pages.values() if page.reach is Reach.DIRECT)

        got = web.get(page.host, page.target)

        assert got.status == 200
        assert got.body == document.encoded(page, rendered=False)


def test_every_planned_page_of_open_sites_is_served(web: Client) -> None:
    for kind in ("company", "subdomains", "robots-wildcards", "idn", "to-apex"):
        site = web.site(kind)
        for page in site.pages.values():
            assert web.get(page.host, page.target, tls=site.schemes != "http").status == 200, page.key


def test_what_is_not_planned_is_missing(web: Client) -> None:
    assert web.get(web.name("patchy"), "/no-such-page").status == 404
    assert web.get("no-such-site.test").status == 404


def test_a_connection_serves_many_requests(web: Client) -> None:
    host = web.name("orphans")
    with socket.create_connection(("127.1.0.1", web.ready.port), 60) as connection:
        for _ in range(3):
            connection.sendall(f"HEAD / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            assert b"keep-alive" in connection.recv(65536)


def test_the_web_can_be_used_as_a_proxy(web: Client) -> None:
    host = web.name("orphans")

    assert web.get("ignored.test", f"http://{host}/").status == 200


def test_a_name_is_tunnelled_to_tls_by_connect(web: Client) -> None:
    host = web.name("secure")
    with socket.create_connection(("127.1.0.1", web.ready.port), 60) as plain:
        plain.sendall(f"CONNECT {host}:443 HTTP/1.1\r\nHost: {host}:443\r\n\r\n".encode())
        assert plain.recv(100).startswith(b"HTTP/1.1 200")
        with secured(plain, host) as connection:
            connection.sendall(f"GET /robots.txt HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())

            assert b"User-agent" in read_all(connection, 60)


def test_https_alone_does_not_answer_over_http(web: Client) -> None:
    host = web.name("secure")

    with contextlib.suppress(ConnectionResetError):
        assert web.raw(host) == b""
    assert web.get(host, tls=True).status == 200


def test_http_alone_refuses_the_handshake(web: Client) -> None:
    with pytest.raises(ssl.SSLError):
        web.get(web.name("orphans"), tls=True)


def test_certificates_are_expired_or_of_another_name(web: Client) -> None:
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    found = {}
    for kind in ("expired", "wrong-name"):
        with socket.create_connection(("127.1.0.1", web.ready.port), 60) as plain:
            with secured(plain, web.name(kind)) as connection:
                raw = connection.getpeercert(binary_form=True)
            assert raw
            found[kind] = x509.load_der_x509_certificate(raw)

    assert found["expired"].not_valid_after_utc.timestamp() < time.time()
    assert found["wrong-name"].subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value == "other.invalid"


@pytest.mark.parametrize(
    ("kind", "status", "method", "paid_status"),
    [
        ("refused", 403, "scrapingbee-standard", 200),
        ("refused-twice", 403, "scrapingbee-standard", 403),
        ("refused-twice", 403, "scrapingbee-js", 200),
        ("refused-always", 403, "scrapingbee-js", 403),
        ("challenge", 403, "scrapingbee-standard", 200),
        ("unavailable", 503, "scrapingbee-standard", 200),
        ("limited-always", 429, "scrapingbee-standard", 200),
        ("login", 401, "scrapingbee-js", 401),
        ("gone", 410, "scrapingbee-js", 410),
        ("missing", 404, "scrapingbee-js", 404),
    ],
)
def test_barred_sites_tell_direct_and_paid_apart(
    web: Client, kind: str, status: int, method: str, paid_status: int
) -> None:
    host = web.name(kind)

    assert web.get(host).status == status
    assert web.paid(host, method=method).status == paid_status


def test_a_captcha_and_an_empty_page_come_with_200(web: Client) -> None:
    assert b"CAPTCHA" in web.get(web.name("captcha")).body
    assert b"CAPTCHA" not in web.paid(web.name("captcha")).body
    assert web.get(web.name("empty")).body == b""


def test_a_wrong_token_buys_nothing(web: Client) -> None:
    host = web.name("refused")

    assert web.get(host, X_Demo_Via="guess", X_Demo_Method="scrapingbee-js").status == 403


def test_an_application_is_empty_until_it_is_rendered(web: Client) -> None:
    site = web.site("application")
    page = next(iter(site.pages.values()))

    shell = web.get(page.host, page.target).body
    rendered = web.get(page.host, page.target, X_Demo_Rendered=web.ready.token).body

    assert f'<div id="{page.root}"></div>'.encode() in shell
    assert rendered == document.encoded(page, rendered=True)
    assert web.get(page.host, page.target, X_Demo_Rendered="guess").body == shell


@pytest.mark.parametrize("kind", ["limited", "limited-503"])
def test_the_third_request_is_told_to_wait_in_seconds(web: Client, kind: str) -> None:
    host = web.name(kind)

    got = [web.get(host).headers.get("Retry-After") for _ in range(4)]

    assert got == [None, None, str(RETRY_SECONDS), None]
    assert [entry.retry_ms for entry in web.logged(host, 4)][2:3] == [RETRY_SECONDS * 1000]


def test_the_third_request_is_told_to_wait_until_a_date(web: Client) -> None:
    host = web.name("limited-date")

    first, second = (web.get(host).headers.get("Retry-After") for _ in range(2))
    before = time.time()
    third = web.get(host).headers["Retry-After"]
    after = time.time()

    assert (first, second) == (None, None)
    assert before - 1 <= parsedate_to_datetime(third).timestamp() - RETRY_SECONDS <= after  # whole seconds


def test_a_far_wait_is_far(web: Client) -> None:
    host = web.name("limited-far")

    assert [web.get(host).headers.get("Retry-After") for _ in range(3)] == [None, None, str(FAR_SECONDS)]


def test_a_flapping_site_answers_the_second_time(web: Client) -> None:
    host = web.name("flapping")

    assert [web.get(host, "/").status for _ in range(3)] == [503, 200, 200]


def test_a_short_body_has_less_than_it_promises(web: Client) -> None:
    got = web.get(web.name("short"), "/bad")

    assert 0 < len(got.body) < int(got.headers["Content-Length"])


def test_a_reset_comes_in_the_middle(web: Client) -> None:
    host = web.name("reset")
    with socket.create_connection(("127.1.0.1", web.ready.port), 60) as connection:
        connection.sendall(f"GET /bad HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        assert connection.recv(1000).startswith(b"HTTP/1.1 200")
        with pytest.raises(ConnectionResetError):
            read_all(connection, 60)


@pytest.mark.parametrize(("kind", "target"), [("drip", "/bad"), ("slow-headers", "/bad"), ("silent", "/")])
def test_slow_answers_do_not_end(web: Client, kind: str, target: str) -> None:
    said = web.raw(web.name(kind), target, seconds=1.5)

    assert len(said) < 300


def test_an_endless_body_outgrows_any_limit(web: Client) -> None:
    assert len(web.raw(web.name("endless"), "/bad", most=1_000_000)) > 1_000_000


def test_a_bomb_is_small_and_unpacks_to_much(web: Client) -> None:
    raw = web.raw(web.name("bomb"), "/bad", most=200 * 1024)
    packed = raw.partition(b"\r\n\r\n")[2][: 100 * 1024]

    unpacked = zlib.decompressobj(31).decompress(packed)

    assert unpacked.startswith(b"<!doctype html>")
    assert len(unpacked) > 50 * 1024 * 1024


def test_a_heavy_page_is_too_large_to_read(web: Client) -> None:
    assert len(web.get(web.name("heavy"), "/bad").body) > 10 * 1024 * 1024


def test_a_deep_page_is_deep_and_many_links_are_many(web: Client) -> None:
    assert web.get(web.name("deep"), "/deep").body.count(b"<div>") > 199_999
    assert web.get(web.name("many-links"), "/all").body.count(b"<a href") > 99_999


def test_redirects_loop_chain_and_go_on_for_ever(web: Client) -> None:
    host = web.name("loops")

    assert web.get(host, "/self").headers["Location"] == "/self"
    assert web.get(host, "/ping").headers["Location"] == "/pong"
    assert web.get(host, "/chain-24").headers["Location"] == "/chain-25"
    assert web.get(host, "/on/41").headers["Location"] == "/on/42"
    assert web.get(web.name("hops"), "/unicode").headers["Location"] == "/dörf"


def test_a_session_never_links_to_the_same_address_twice(web: Client) -> None:
    host = web.name("session")

    first = web.get(host, "/").body
    second = web.get(host, "/?sid=" + first.partition(b"?sid=")[2][:8].decode()).body

    assert b"?sid=" in second
    assert first.partition(b"?sid=")[2][:8] != second.partition(b"?sid=")[2][:8]


@pytest.mark.parametrize(
    ("kind", "host", "target", "link"),
    [
        ("calendar", "{}", "/calendar/2026/12", b'href="/calendar/2027/1"'),
        ("growing", "{}", "/deeper/again/", b'href="again/and/"'),
        ("wildcard", "x.{}", "/", b"http://xa."),
        ("soft-missing", "{}", "/removed", b"/removed/old-0"),
        ("shop", "{}", "/shop?color=red", b"color=red&amp;size=m"),
    ],
)
def test_traps_always_link_further(web: Client, kind: str, host: str, target: str, link: bytes) -> None:
    got = web.get(host.format(web.name(kind)), target)

    assert got.status == 200
    assert link in got.body


def test_cookies_are_asked_for_until_they_come(web: Client) -> None:
    host = web.name("cookies")

    asked = web.get(host)

    assert (asked.status, asked.headers["Location"]) == (302, "/")
    assert web.get(host, Cookie=asked.headers["Set-Cookie"].partition(";")[0]).status == 200


def test_robots_come_in_every_way(web: Client) -> None:
    robots = {kind: web.get(web.name(f"robots-{kind}"), "/robots.txt") for kind in ("missing", "barred", "failing")}

    assert [robots[kind].status for kind in ("missing", "barred", "failing")] == [404, 403, 500]
    assert len(web.get(web.name("robots-huge"), "/robots.txt").body) > 500 * 1024
    assert web.get(web.name("robots-redirected"), "/robots.txt").headers["Location"] == "/robots-1"
    assert b"Disallow" in web.get(web.name("robots-redirected"), "/robots-5").body
    assert web.get(web.name("robots-failing-direct"), "/robots.txt").status == 503
    assert web.paid(web.name("robots-failing-direct"), "/robots.txt").status == 200


def test_sitemaps_come_in_every_form(web: Client) -> None:
    host = web.name("large-index")

    index = web.get(host, "/index.xml").body
    packed = gzip.decompress(web.get(host, "/b.xml.gz").body)

    assert b"/b.xml.gz" in index
    assert packed.count(b"<loc>") + web.get(host, "/a.xml").body.count(b"<loc>") > 500
    assert web.get(web.name("large-text"), "/sitemap.txt").body.count(b"http://") > 500


def test_text_is_compressed_for_those_who_take_it(web: Client) -> None:
    open_kinds = ("idn", "hops", "refresh", "loops", "to-www", "patchy", "robots-groups", "robots-longest", "blog")
    site = next(site for site in web.plan.sites if site.compressed and site.kind in open_kinds)
    page = next(page for page in site.pages.values() if page.reach is Reach.DIRECT)

    got = web.get(page.host, page.target, Accept_Encoding="gzip, br")

    assert got.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(got.body) == document.encoded(page, rendered=False)


def test_the_canary_says_who_came(web: Client) -> None:
    assert "127.66.0.1" in web.ready.canaries
    for address in web.ready.canaries:
        with socket.create_connection((address, web.ready.port), 5) as connection:
            host = f"[{address}]" if ":" in address else address
            connection.sendall(f"GET /canary HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            read_all(connection, 60)

        assert [entry.canary for entry in web.logged(address)] == [True]


def test_links_to_the_canary_carry_its_port(web: Client) -> None:
    body = web.get(web.name("canary-links")).body
    location = web.get(web.name("canary-redirects"), "/out/0").headers["Location"]

    assert f"http://127.66.0.1:{web.ready.port}/canary".encode() in body
    assert location == f"http://127.66.0.1:{web.ready.port}/canary"


def test_a_request_is_logged_with_who_asked_what_and_when(web: Client) -> None:
    host = web.name("robots-html")
    before = time.monotonic_ns()

    web.get(host, "/robots.txt", User_Agent="somebody/1.0")
    web.paid(host, "/", method="scrapingbee-standard")

    first, second = web.logged(host, 2)[:2]
    assert before < first.at_ns < first.end_ns < second.at_ns < time.monotonic_ns()
    assert (first.path, first.status, first.agent, first.via) == ("/robots.txt", 200, "somebody/1.0", "")
    assert (second.path, second.via, second.site) == ("/", "scrapingbee-standard", host)


def test_nonsense_closes_the_connection(web: Client) -> None:
    for nonsense in (b"hello\r\n\r\n", b"A" * 70_000, b"\x16\x03\x01nonsense"):
        with socket.create_connection(("127.1.0.1", web.ready.port), 60) as connection, contextlib.suppress(OSError):
            connection.sendall(nonsense)
            assert not read_all(connection, 60).startswith(b"HTTP")


def test_every_listener_is_on_loopback(web: Client) -> None:
    process = web.ready.pid
    sockets = set()
    for one in Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # it was closed meanwhile
            sockets.add(str(one.readlink()))
    listeners = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{process}/net/{table}").read_text(encoding="ascii").splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and f"socket:[{words[9]}]" in sockets:
                listeners.append(words[1].partition(":")[0])

    assert len(listeners) >= 3
    assert all(one == LOOPBACK_V6 or one.endswith("7F") for one in listeners)


def test_a_taken_port_is_said_in_words(web: Client, tmp_path: Path) -> None:
    words = [
        sys.executable,
        "-m",
        "prospector.demo",
        f"--port={web.ready.port}",
        f"--log={tmp_path / 'w'}",
        "--sites=1",
    ]

    ended = subprocess.run(words, capture_output=True, text=True, check=False)

    assert ended.returncode == 3
    assert f"cannot listen on 127.1.0.1:{web.ready.port}" in ended.stderr
    assert "Traceback" not in ended.stderr


def answers(port: int) -> bool:
    with socket.socket() as asking:
        return asking.connect_ex(("127.1.0.1", port)) == 0


def test_a_web_ends_with_the_program_that_started_it(tmp_path: Path) -> None:
    starts_and_dies = (
        "import os, pathlib\n"
        "from prospector.demo.web.own_process import running\n"
        f"with running(pathlib.Path({str(tmp_path / 'web.jsonl')!r}), sites=1) as ready:\n"
        "    print(ready.port, flush=True)\n"
        "    os.kill(os.getpid(), 9)\n"
    )

    port = int(subprocess.run([sys.executable, "-c", starts_and_dies], capture_output=True, check=False).stdout)

    deadline = time.monotonic() + 60
    while answers(port) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not answers(port)


def test_sigterm_loses_no_line_of_the_log(tmp_path: Path) -> None:
    log = tmp_path / "web.jsonl"
    words = [sys.executable, "-m", "prospector.demo", "--sites=2", "--kind=patchy", "--kind=silent", f"--log={log}"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        port = int(process.stdout.readline().partition('"port": ')[2].partition(",")[0])
        names = {site.kind: site.name for site in Plan(1, 2, ["patchy", "silent"]).sites}
        silent = socket.create_connection(("127.1.0.1", port), 60)
        silent.sendall(f"GET / HTTP/1.1\r\nHost: {names['silent']}\r\n\r\n".encode())
        with socket.create_connection(("127.1.0.1", port), 60) as connection:
            for _ in range(100):
                connection.sendall(f"HEAD /x HTTP/1.1\r\nHost: {names['patchy']}\r\n\r\n".encode())
                connection.recv(65536)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        silent.close()

    hosts = [entry.host for entry in entries(log)]
    assert hosts.count(names["patchy"]) == 100
    assert hosts.count(names["silent"]) == 1


def resolved(web: Client, name: str, seconds: float = 60) -> tuple[int, str]:
    """The response code and the address that the web's name server gives."""
    question = b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0\0\1\0\1"
    with socket.socket(type=socket.SOCK_DGRAM) as asking:
        asking.settimeout(seconds)
        asking.sendto(b"\x12\x34\1\0\0\1\0\0\0\0\0\0" + question, ("127.1.0.1", web.ready.port))
        said = asking.recv(512)
    assert said[:2] == b"\x12\x34"
    return said[3] & 15, socket.inet_ntoa(said[-4:]) if said[7] else ""


def test_the_name_server_knows_the_web_and_nothing_else(web: Client) -> None:
    assert resolved(web, web.name("company")) == (0, "127.1.0.1")
    assert resolved(web, web.name("canary-name")) == (0, "127.66.0.1")
    assert resolved(web, web.name("unknown-name")) == (3, "")
    assert resolved(web, web.name("broken-name")) == (2, "")


def test_a_rebinding_name_leads_to_the_canary_the_second_time(web: Client) -> None:
    name = web.name("rebinding")

    assert [resolved(web, name)[1] for _ in range(3)] == ["127.1.0.1", "127.66.0.1", "127.66.0.1"]
    assert web.get(name).status == 200


def test_a_slow_name_keeps_its_client_waiting(web: Client) -> None:
    with pytest.raises(TimeoutError):
        resolved(web, web.name("slow-name"), seconds=1)
