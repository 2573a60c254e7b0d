"""A site and the simulator in front of it, both on real sockets, each in a thread of its own."""

import asyncio
import http.client
import json
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from email.message import Message
from functools import partial
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlencode

import pytest
from aiohttp import web

from prospector.demo.control import Control
from prospector.demo.loop_thread import LoopThread
from prospector.demo.resets import reset
from prospector.demo.scrapingbee.server import SimulatorConfig, simulator

T = TypeVar("T")
KEY = "the-key-of-the-tests"
CONTROL_TOKEN = "the-control-of-the-tests"


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Message
    body: bytes

    @property
    def words(self) -> dict[str, object]:
        return json.loads(self.body)


class Bee:
    """A caller of the simulator, with the key in the header."""

    def __init__(self, address: str, control_token: str = CONTROL_TOKEN) -> None:
        self.address = address
        self.control = Control(address, control_token)

    def call(self, url: str, key: str = KEY, headers: dict[str, str] | None = None, **parameters: str) -> Reply:
        query = urlencode({"url": url, "render_js": "false", **parameters})
        return self.get(f"/api/v1/?{query}", {"Authorization": f"Bearer {key}", **(headers or {})})

    def usage(self, key: str = KEY) -> Reply:
        return self.get("/api/v1/usage", {"Authorization": f"Bearer {key}"})

    def get(self, target: str, headers: dict[str, str]) -> Reply:
        connection = http.client.HTTPConnection(self.address, timeout=60)
        try:
            connection.request("GET", target, headers=headers)
            response = connection.getresponse()
            return Reply(response.status, response.headers, response.read())
        finally:
            connection.close()


@dataclass
class Site:
    """`reached` has every request; `gate` holds /held back until it is set; nobody may connect to `canary`."""

    canary: socket.socket
    address: str = ""
    reached: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    thread: LoopThread | None = None

    def open_gate(self) -> None:
        async def opened() -> None:
            self.gate.set()

        assert self.thread is not None
        self.thread.run(opened())


@contextmanager
def in_thread(serving: AbstractAsyncContextManager[T]) -> Iterator[tuple[T, LoopThread]]:
    thread = LoopThread("test-server")
    try:
        yield thread.run(serving.__aenter__()), thread
        thread.run(serving.__aexit__(None, None, None))
    finally:
        thread.stop()


async def answer(site: Site, request: web.Request) -> web.StreamResponse:
    site.reached.append((str(request.rel_url), dict(request.headers)))
    path, _, last = request.path.rpartition("/")
    match path or last:
        case "/status":
            return web.Response(status=int(last), text="as asked", headers={"X-Own": "site"})
        case "/hops":
            raise web.HTTPMovedPermanently(f"/hops/{int(last) - 1}" if int(last) else "/echo")
        case "to-inside":
            raise web.HTTPFound(f"http://127.0.0.1:{site.canary.getsockname()[1]}/metadata")
        case "held":
            await site.gate.wait()
        case "reset":
            assert request.transport is not None
            reset(request.transport)
        case "gzip":
            response = web.Response(text="zipped " * 100)
            response.enable_compression(web.ContentCoding.gzip)
            return response
        case "bytes":
            return web.Response(body=bytes(range(256)), content_type="application/octet-stream")
        case "endless":
            endless = web.StreamResponse()
            await endless.prepare(request)
            while True:
                await endless.write(b"x" * 65536)
    return web.json_response({"path": str(request.rel_url), "headers": dict(request.headers)})


@asynccontextmanager
async def site_server(site: Site) -> AsyncIterator[Site]:
    application = web.Application()
    application.router.add_get("/{path:.*}", partial(answer, site))
    runner = web.AppRunner(application, max_line_size=65536, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.1.0.1", 0).start()
    site.address = f"127.1.0.1:{runner.addresses[0][1]}"
    yield site
    await runner.cleanup()


@pytest.fixture
def site() -> Iterator[Site]:
    with (
        socket.create_server(("127.0.0.1", 0)) as canary,
        in_thread(site_server(Site(canary))) as (served, thread),
    ):
        served.thread = thread
        yield served
        served.open_gate()


@pytest.fixture
def config(site: Site, tmp_path: Path) -> SimulatorConfig:
    return SimulatorConfig(
        key=KEY,
        control_token=CONTROL_TOKEN,
        via_token="the-via-of-the-tests",
        resolve=f"*.test={site.address}",
        allowed_networks="127.1.0.0/16",
        usage_lag_seconds=0.0,
        max_credits=1_000,
        truth_file=str(tmp_path / "truth.jsonl"),
    )


@pytest.fixture
def serve(config: SimulatorConfig) -> Iterator[Callable[..., Bee]]:
    """Starts a simulator with some fields of its configuration changed."""
    with ExitStack() as running:

        def started(**changes: object) -> Bee:
            addresses, _ = running.enter_context(in_thread(simulator(replace(config, **changes))))
            return Bee(addresses["address"])

        yield started


@pytest.fixture
def bee(serve: Callable[..., Bee]) -> Bee:
    return serve()
