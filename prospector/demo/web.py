"""The web as a process: listens, says where, serves until SIGTERM."""

import asyncio
import secrets
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from prospector.demo import tls
from prospector.demo.answers import Answers
from prospector.demo.kinds.canaries import CANARY_ADDRESS
from prospector.demo.plan import Plan
from prospector.demo.request_log import Heading, RequestLog
from prospector.demo.server import Connection, Shared
from prospector.errors import EnvironmentInvalid

WEB_ADDRESS = "127.1.0.1"
ALLOWED_NETWORKS = "127.1.0.0/16"
CANARY_ADDRESSES = (CANARY_ADDRESS, "127.0.0.1", "::1")
FLUSH_SECONDS = 0.2
BACKLOG = 2048


@dataclass(frozen=True)
class Options:
    seed: int = 1
    sites: int = 200
    kinds: tuple[str, ...] = ()
    port: int = 0
    log: Path = Path("web.jsonl")
    token: str = field(default_factory=lambda: secrets.token_hex(16))


@dataclass(frozen=True)
class Ready:
    """Where the web listens and what a crawler must set. The simulator shows `token` in X-Demo-Via and X-Demo-Rendered."""

    port: int
    canary_port: int
    token: str
    log: str
    settings: dict[str, str]

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
    outside = _canary_sockets()
    canary_port: int = outside[0].getsockname()[1]
    heading = Heading(plan.seed, options.sites, plan.kinds)
    with RequestLog(options.log, heading) as log:
        shared = Shared(Answers(plan, canary_port), log, tls.context(plan), options.token)
        web = await _listen(lambda: Connection(shared), options.port)
        for one in outside:
            await loop.create_server(lambda: Connection(shared, canary=True), sock=one)
        port: int = web.sockets[0].getsockname()[1]
        ready(_ready(plan, port, canary_port, options))
        while not stop.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), FLUSH_SECONDS)
            log.flush()


def _canary_sockets() -> list[socket.socket]:
    """One port on every loopback address that must not be asked, as far as the machine has them."""
    opened: list[socket.socket] = []
    for address in CANARY_ADDRESSES:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        one = socket.socket(family)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind((address, opened[0].getsockname()[1] if opened else 0))
        except OSError:
            one.close()
        else:
            opened.append(one)
    return opened


def _ready(plan: Plan, port: int, canary_port: int, options: Options) -> Ready:
    settings = {
        "ALLOWED_NETWORKS": ALLOWED_NETWORKS,
        "RESOLVE": plan.resolve(f"{WEB_ADDRESS}:{port}", canary_port),
    }
    return Ready(port, canary_port, options.token, str(options.log), settings)


async def _listen(connection: Callable[[], Connection], port: int) -> asyncio.Server:
    try:
        return await asyncio.get_running_loop().create_server(connection, WEB_ADDRESS, port, backlog=BACKLOG)
    except OSError as error:
        raise EnvironmentInvalid(
            f"The small web cannot listen on {WEB_ADDRESS}:{port}: {error.strerror}.",
            "Choose another --port. Where only 127.0.0.1 exists (macOS): sudo ifconfig lo0 alias 127.1.0.1.",
        ) from None
