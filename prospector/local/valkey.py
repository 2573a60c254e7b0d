"""The local Redis: Valkey on a Unix socket, its log of writes flushed every second, and nothing ever evicted."""

import signal
import time
from pathlib import Path

from prospector.errors import ServerUnreachable
from prospector.frontier import server
from prospector.local import children
from prospector.local.children import Child, Program
from prospector.local.providers import Provider
from prospector.local.remedies import failure

READY_SECONDS = 600  # a crash may leave gigabytes to recover; a server that ended is noticed at once
STOP_SECONDS = 20
DATABASES = 1024  # they cost nothing until used; every test has its own


def url(sockets: Path) -> str:
    return f"unix://{_socket(sockets)}"


def start(provider: Provider, data: Path, sockets: Path, log: Path, lock: Path, generation: str) -> Child:
    options = {
        "port": "0",
        "unixsocket": str(_socket(sockets)),
        "unixsocketperm": "700",
        "dir": str(data),
        "databases": str(DATABASES),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory-policy": "noeviction",
        "set-max-intset-entries": str(server.INTSET_ENTRIES),
    }
    program = Program(
        name="redis",
        command=[str(provider.programs), *(word for name, value in options.items() for word in (f"--{name}", value))],
        folder=data,
        log=log,
        stop_signal=signal.SIGTERM,
        stop_seconds=STOP_SECONDS,
        sudden_signal=signal.SIGTERM,
    )
    return children.start(program, lock, generation)


def await_ready(child: Child, sockets: Path) -> None:
    until = time.monotonic() + READY_SECONDS
    while True:
        try:
            return server.ping(url(sockets))
        except ServerUnreachable:
            if child.ended() or time.monotonic() > until:
                raise failure("Redis did not start", child) from None
        time.sleep(0.005)


def _socket(sockets: Path) -> Path:
    return sockets / "redis.sock"
