"""The web as a process: listens, says where, serves until SIGTERM."""

import asyncio
import os
import secrets
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from prospector.demo.web import tls
from prospector.demo.web.answers import Answers
from prospector.demo.web.kinds.canaries import CANARY_ADDRESS
from prospector.demo.web.names import Names
from prospector.demo.web.plan import Plan
from prospector.demo.web.request_log import Heading, RequestLog
from prospector.demo.web.server import Connection, Shared
from prospector.errors import EnvironmentInvalid

WEB_ADDRESS = "127.1.0.1"
ALLOWED_NETWORKS = "127.1.0.0/16"
OTHER_CANARY_ADDRESSES = ("127.0.0.1", "::1")
FLUSH_SECONDS = 0.2
BACKLOG = 2048


@dataclass(frozen=True)
class Options:
    seed: int = 1
    sites: int = 200
    kinds: tuple[str, ...] = ()
    port: int = 0
    log: Path = Path("web.jsonl")
    ends_with_stdin: bool = False  # for a parent that may be killed: nothing is left running
    token: str = field(default_factory=lambda: secrets.token_hex(16))


@dataclass(frozen=True)
class Ready:
    """Where the web listens and what a crawler must set. The simulator shows `token` in X-Demo-Via and X-Demo-Rendered."""

    port: int
    canaries: tuple[str, ...]  # addresses that must never be asked, on the same port
    token: str
    log: str
    settings: dict[str, str]
    pid: int

    @property
    def address(self) -> str:
        return f"{WEB_ADDRESS}:{self.port}"


def serve(options: Options, ready: Callable[[Ready], None]) -> None:
    asyncio.run(_serve(options, Plan(options.seed, options.sites, options.kinds), ready))


async def _serve(options: Options, plan: Plan, ready: Callable[[Ready], None]) -> None:
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    if options.ends_with_stdin:
        loop.add_reader(sys.stdin.fileno(), stop.set)
    web = _bound(WEB_ADDRESS, options.port)
    port: int = web.getsockname()[1]
    outside = _canary_sockets(port)
    heading = Heading(plan.seed, options.sites, plan.kinds)
    with RequestLog(options.log, heading) as log:
        shared = Shared(Answers(plan, port), log, tls.context(plan), options.token)
        await loop.create_server(lambda: Connection(shared), sock=web, backlog=BACKLOG)
        for one in outside:
            await loop.create_server(lambda: Connection(shared, canary=True), sock=one)
        await loop.create_datagram_endpoint(lambda: Names(plan, WEB_ADDRESS), (WEB_ADDRESS, port))
        ready(_ready(plan, port, tuple(one.getsockname()[0] for one in outside), options))
        while not stop.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), FLUSH_SECONDS)
            log.flush()


def _canary_sockets(port: int) -> list[socket.socket]:
    """On the loopback addresses that must not be asked, as far as this machine has them; on the port of the web."""
    opened = [_bound(CANARY_ADDRESS, port)]
    for address in OTHER_CANARY_ADDRESSES:
        with suppress(EnvironmentInvalid):
            opened.append(_bound(address, port))
    return opened


def _bound(address: str, port: int) -> socket.socket:
    one = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        one.bind((address, port))
    except OSError as error:
        one.close()
        raise EnvironmentInvalid(
            f"The small web cannot listen on {address}:{port}: {error.strerror}.",
            f"Choose another --port. Where only 127.0.0.1 exists (macOS): sudo ifconfig lo0 alias {address}.",
        ) from None
    return one


def _ready(plan: Plan, port: int, canaries: tuple[str, ...], options: Options) -> Ready:
    settings = {
        "ALLOWED_NETWORKS": ALLOWED_NETWORKS,
        "RESOLVE": plan.resolve(f"{WEB_ADDRESS}:{port}", port),
    }
    return Ready(port, canaries, options.token, str(options.log), settings, os.getpid())
