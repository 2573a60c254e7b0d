"""Direct fetches over real sockets: where they connect, where they must not, and what they tell of each."""

import gc
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from prospector.demo.web import tls
from prospector.demo.web.site import Certificate
from prospector.fetch import resolver

CALLER = Path(__file__).with_name("direct_caller.py")
OPEN = "127.1.0.0/16"
LOOKED_UP_AGAIN = {"AddressRefused", "CannotResolveHostError"}  # before the request, or on the way to its connection


class Counting(BaseHTTPRequestHandler):
    """Counts who was asked; /503, /429, /slow and /hang-up do what they say."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:  # the library's name
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        if self.path.startswith("/sign"):
            Path(self.path.removeprefix("/sign")).touch()
        if self.path == "/slow":
            time.sleep(2)
        if self.path == "/hang-up":
            self.close_connection = True
            return
        status = int(self.path[1:]) if self.path[1:].isdigit() else 200
        self.send_response(status)
        self.send_header("Content-Length", "2")
        if status != 200:
            self.send_header("Retry-After", "7")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the library's name
        pass


def serving(address: str, port: int = 0) -> ThreadingHTTPServer:
    server = ThreadingHTTPServer((address, port), Counting)
    server.asked = []  # type: ignore[attr-defined]
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that hangs up is part of a test
    threading.Thread(target=server.serve_forever).start()
    return server


@pytest.fixture
def inside() -> Iterator[ThreadingHTTPServer]:
    """A server on an allowed address."""
    server = serving("127.1.0.1")
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def canary(inside: ThreadingHTTPServer) -> Iterator[ThreadingHTTPServer]:
    """One on the same port of an address that is not."""
    server = serving("127.66.0.1", inside.server_port)
    yield server
    server.shutdown()
    server.server_close()


def fetch(*fetches: dict[str, Any], environment: dict[str, str] | None = None, **wish: Any) -> list[dict[str, Any]]:
    wish = {"allowed": [OPEN], "fetches": fetches, **wish}
    done = subprocess.run(
        [sys.executable, CALLER],
        input=json.dumps(wish) + "\n",
        text=True,
        capture_output=True,
        timeout=60,
        env={**os.environ, **(environment or {})},
        cwd=Path(__file__).parents[3],
    )
    assert done.stdout, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    answers: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return answers


def behind_tls(server: ThreadingHTTPServer) -> None:
    server.socket = tls._context(Certificate.CURRENT).wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )


def asked(server: ThreadingHTTPServer) -> list[str]:
    return server.asked  # type: ignore[attr-defined,no-any-return]


def test_a_name_leads_where_resolve_says_with_its_port(inside: ThreadingHTTPServer) -> None:
    [told] = fetch({"url": "http://a.test/x"}, resolve=[f"*.test=127.1.0.1:{inside.server_port}"])

    assert (told["status"], told["body"], told["ip"]) == (200, "ok", "127.1.0.1")
    assert asked(inside) == ["/x"]


def test_a_name_is_asked_of_the_system_where_nothing_else_is_said(inside: ThreadingHTTPServer) -> None:
    [told] = fetch({"url": f"http://a.test:{inside.server_port}/"}, names={"a.test": [["127.1.0.1"]]})

    assert told["status"] == 200


@pytest.mark.parametrize(
    "host",
    ["127.66.0.1", "2135031809", "0x7f.0x42.0.1", "0177.0102.0.1", "127.16896.1", "[::ffff:127.66.0.1]", "[::ffff:7f42:1]", "bad.test"],
)  # fmt: skip
def test_an_address_that_is_not_public_is_not_connected_to_in_any_form(
    inside: ThreadingHTTPServer, canary: ThreadingHTTPServer, host: str
) -> None:
    names = {host: [["127.66.0.1"]]}  # what a system makes of such a name

    [told] = fetch({"url": f"http://{host}:{inside.server_port}/canary"}, names=names)

    assert (told["error"], told["evidence"]) == ("AddressRefused", "private-address")
    assert asked(canary) == []


@pytest.mark.parametrize(
    "address", ["[::1]", "[fe80::1]", "[fec0::1]", "[::7f00:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]"]
)
def test_forms_of_ipv6_lead_nowhere_inside(address: str) -> None:
    [told] = fetch({"url": f"http://{address}/"}, allowed=[])

    assert told["evidence"] == "private-address"


def test_a_name_that_changes_its_address_never_reaches_the_new_one(
    inside: ThreadingHTTPServer, canary: ThreadingHTTPServer
) -> None:
    """DNS rebinding: the address that was judged is the address that is connected to."""
    url, flips = f"http://rebinding.test:{inside.server_port}/", [["127.1.0.1"], ["127.66.0.1"]] * 100

    answers = fetch(*[{"url": url}] * 100, names={"rebinding.test": flips}, kept_seconds=0)

    assert {one["evidence"] for one in answers if "evidence" in one} <= {"private-address", "unresolved"}
    assert len(LOOKED_UP_AGAIN & {one.get("error") for one in answers}) > 0
    assert asked(canary) == []


def test_of_several_addresses_only_the_public_ones_are_connected_to(
    inside: ThreadingHTTPServer, canary: ThreadingHTTPServer
) -> None:
    url = f"http://both.test:{inside.server_port}/"

    answers = fetch(*[{"url": url}] * 5, names={"both.test": [["127.66.0.1", "127.1.0.1"]]}, kept_seconds=0)

    assert {one["ip"] for one in answers} == {"127.1.0.1"}
    assert asked(canary) == []


def test_a_proxy_of_the_environment_is_not_used(inside: ThreadingHTTPServer, canary: ThreadingHTTPServer) -> None:
    proxy = f"http://127.66.0.1:{canary.server_port}"

    [told] = fetch(
        {"url": "http://a.test/x"},
        resolve=[f"*.test=127.1.0.1:{inside.server_port}"],
        environment={"http_proxy": proxy, "HTTP_PROXY": proxy, "ALL_PROXY": proxy},
    )

    assert told["status"] == 200
    assert asked(canary) == []


def test_the_limits_per_address_are_asked_of_the_frontier_outside_the_allowed_networks_only(
    inside: ThreadingHTTPServer,
) -> None:
    [told] = fetch({"url": f"http://127.1.0.1:{inside.server_port}/"})
    [public] = fetch({"url": "http://public.test/", "wait": 50}, names={"public.test": [["8.8.8.8"]]})

    assert (told["address"], told["limited"]) == ("127.1.0.1", False)
    assert (public["address"], public["limited"], public["error"]) == ("8.8.8.8", True, "NotSent")


def test_who_waits_for_leave_when_the_worker_ends_waits_no_longer_nor_does_who_comes_later(
    inside: ThreadingHTTPServer,
) -> None:
    url = f"http://127.1.0.1:{inside.server_port}/"

    waiting, later = fetch({"url": url, "stop": True}, {"url": url})

    assert (waiting["error"], later["error"]) == ("NotSent", "NotSent")
    assert asked(inside) == []


@pytest.mark.parametrize("leaves", [0, 1])
def test_nothing_is_sent_once_the_lease_may_be_lost(inside: ThreadingHTTPServer, leaves: int) -> None:
    """Neither before nor after the connection is made."""
    [told] = fetch({"url": f"http://127.1.0.1:{inside.server_port}/", "leaves": leaves})

    assert told["error"] == "NotSent"
    assert "strained" not in told  # the site's delay does not begin: it was not asked
    assert asked(inside) == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the library's server, hung up on
@pytest.mark.parametrize(("leaves", "sent"), [(1, []), (2, []), (3, ["/"])])
def test_nothing_is_sent_where_the_lease_is_lost_during_the_handshake(
    inside: ThreadingHTTPServer, leaves: int, sent: list[str]
) -> None:
    behind_tls(inside)

    [told] = fetch({"url": f"https://127.1.0.1:{inside.server_port}/", "leaves": leaves})

    assert asked(inside) == sent
    assert told.get("error") == (None if sent else "NotSent")
    assert ("strained" in told) is bool(sent)
    gc.collect()  # what is ignored here is not to be found by another test


@pytest.mark.parametrize(("scheme", "looks"), [("http", 2), ("https", 3)])
def test_nothing_lies_in_a_buffer_between_the_last_look_and_the_socket(
    inside: ThreadingHTTPServer, tmp_path: Path, scheme: str, looks: int
) -> None:
    """A process that sleeps right after the look has sent its request by then, not when its lease is long over."""
    if scheme == "https":
        behind_tls(inside)
    sign = tmp_path / "asked"

    [told] = fetch({"url": f"{scheme}://127.1.0.1:{inside.server_port}/sign{sign}", "leaves": looks, "sign": str(sign)})

    assert told["signed"]  # it was asked while the process slept
    assert told["status"] == 200


def test_what_got_no_answer_on_a_kept_connection_is_not_asked_again_at_once(inside: ThreadingHTTPServer) -> None:
    url = f"http://127.1.0.1:{inside.server_port}"

    first, second = fetch({"url": f"{url}/"}, {"url": f"{url}/hang-up"})

    assert first["status"] == 200
    assert second["strained"]
    assert asked(inside) == ["/", "/hang-up"]


@pytest.mark.parametrize(
    ("path", "strained", "retry_after_ms"),
    [("200", False, 0), ("503", True, 7_000), ("429", True, 7_000), ("404", False, 7_000)],
)
def test_the_end_of_a_fetch_is_told_with_what_the_site_asked_for(
    inside: ThreadingHTTPServer, path: str, strained: bool, retry_after_ms: int
) -> None:
    [told] = fetch({"url": f"http://127.1.0.1:{inside.server_port}/{path}"})

    assert (told["strained"], told["retry_after_ms"]) == (strained, retry_after_ms)


def test_the_end_waits_for_no_connection_that_is_kept_and_fails_at_none(inside: ThreadingHTTPServer) -> None:
    [told] = fetch({"url": f"http://127.1.0.1:{inside.server_port}/"}, stands_still=True)

    assert told["status"] == 200


def test_a_fetch_has_so_much_time_and_no_more(inside: ThreadingHTTPServer) -> None:
    [told] = fetch({"url": f"http://127.1.0.1:{inside.server_port}/slow", "seconds": 0.5})

    assert (told["evidence"], told["strained"]) == ("timed-out", True)


@pytest.fixture
def full() -> Iterator[str]:
    """The address of a server that takes no connection: its line is full."""
    with ExitStack() as opened:
        server = opened.enter_context(socket.create_server(("127.1.0.1", 0), backlog=0))
        for _ in range(3):
            one = opened.enter_context(socket.socket())
            one.setblocking(False)
            one.connect_ex(server.getsockname())
        yield f"127.1.0.1:{server.getsockname()[1]}"


def test_a_connection_has_a_smaller_part_of_that_time(full: str) -> None:
    [told] = fetch({"url": f"http://{full}/", "seconds": 1_000}, connect_seconds=0.2)

    assert (told["evidence"], told["strained"]) == ("timed-out", True)


def test_a_body_above_the_limit_is_left_and_the_site_is_not_to_blame(inside: ThreadingHTTPServer) -> None:
    [told] = fetch({"url": f"http://127.1.0.1:{inside.server_port}/"}, settings={"DOWNLOAD_MAXSIZE": 1})

    assert (told["evidence"], told["strained"]) == ("too-large", False)


def test_nobody_at_a_port_is_said_at_once() -> None:
    with socket.socket() as closed:
        closed.bind(("127.1.0.1", 0))
        [told] = fetch({"url": f"http://127.1.0.1:{closed.getsockname()[1]}/"})

    assert (told["evidence"], told["strained"]) == ("refused", False)


def test_an_unknown_name_is_one(inside: ThreadingHTTPServer) -> None:
    [told] = fetch({"url": "http://unknown.invalid/"})

    assert (told["evidence"], told["error"]) == ("unresolved", "NoSuchName")


def test_a_name_of_which_no_server_says_that_there_is_none_may_exist(inside: ThreadingHTTPServer) -> None:
    [told] = fetch({"url": "http://silent.invalid/"}, names={"silent.invalid": [[]]})

    assert (told["evidence"], told["error"]) == ("unresolved", "NameUnknown")


def test_where_no_file_is_left_for_a_connection_nothing_was_asked_and_no_site_is_to_blame(
    inside: ThreadingHTTPServer,
) -> None:
    resolve = [f"*.test=127.1.0.1:{inside.server_port}"]

    before, without, after = fetch(
        {"url": "http://a.test/a"},
        {"url": "http://b.test/b", "without_files": True},
        {"url": "http://b.test/c"},
        resolve=resolve,
    )

    assert (before["status"], after["status"]) == (200, 200)
    assert without["error"] == "NoRoom"
    assert "strained" not in without
    assert asked(inside) == ["/a", "/c"]


def test_where_no_file_is_left_to_look_a_name_up_it_is_not_taken_for_unknown() -> None:
    server = serving("127.0.0.1")
    url = f"http://localhost:{server.server_port}/"
    try:
        without, after = fetch(
            {"url": url, "without_files": True}, {"url": url}, allowed=["127.0.0.0/8"], system_names=True
        )
    finally:
        server.shutdown()
        server.server_close()

    assert without["error"] == "NoRoom"
    assert after["status"] == 200


def test_many_slow_names_do_not_hold_up_another_site(inside: ThreadingHTTPServer) -> None:
    """As many look-ups as there are threads may hang; names that RESOLVE knows need none."""
    assert resolver.THREADS >= 64
    resolve = [f"quick.test=127.1.0.1:{inside.server_port}"]

    answers = fetch(
        *({"url": f"http://slow-{n}.invalid/"} for n in range(100)),
        {"url": "http://quick.test/"},
        resolve=resolve,
        at_once=True,
    )

    assert answers[-1]["status"] == 200
    assert {one["evidence"] for one in answers[:-1]} == {"unresolved"}
