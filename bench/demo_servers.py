"""How far out of the way the fault proxy is, and what the simulator carries: `.venv/bin/python bench/demo_servers.py`.

Both beside the same thing without them, in one run: bytes a second straight and through the proxy; pages a second
straight from a site and through the simulator.
"""

import asyncio
import socket
import sys
import threading
import time

import aiohttp
from aiohttp import web

from prospector.demo.loop_thread import LoopThread
from prospector.demo.proxy import server as proxy_server
from prospector.demo.proxy.server import ProxyConfig
from prospector.demo.scrapingbee import server as scrapingbee_server
from prospector.demo.scrapingbee.server import SimulatorConfig

MEGABYTE = 1024 * 1024
MEGABYTES = 1_000
PAGE = b"<!doctype html>" + b"x" * 20_000
CALLERS = 32
SECONDS = 4


def swallow(listener: socket.socket) -> None:
    """Reads each connection to its end, then says so."""
    while True:
        own, _ = listener.accept()
        with own:
            room = bytearray(MEGABYTE)
            while own.recv_into(room):
                pass
            own.sendall(b".")


def megabytes_per_second(address: tuple[str, int]) -> float:
    block = bytes(MEGABYTE)
    with socket.create_connection(address) as own:
        began = time.perf_counter()
        for _ in range(MEGABYTES):
            own.sendall(block)
        own.shutdown(socket.SHUT_WR)
        own.recv(1)
        return MEGABYTES / (time.perf_counter() - began)


async def site() -> str:
    async def page(_request: web.Request) -> web.Response:
        return web.Response(body=PAGE, content_type="text/html")

    application = web.Application()
    application.router.add_get("/{path:.*}", page)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.1.0.1", 0).start()
    return f"127.1.0.1:{runner.addresses[0][1]}"


async def pages_per_second(url: str, parameters: dict[str, str], headers: dict[str, str]) -> float:
    done = 0

    async def ask(session: aiohttp.ClientSession) -> None:
        nonlocal done
        while time.perf_counter() < began + SECONDS:
            async with session.get(url, params=parameters, headers=headers) as response:
                assert response.status == 200
                await response.read()
                done += 1

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        began = time.perf_counter()
        await asyncio.gather(*(ask(session) for _ in range(CALLERS)))
        return done / (time.perf_counter() - began)


def main() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=swallow, args=(listener,), daemon=True).start()
    host, port = listener.getsockname()
    with proxy_server.start(ProxyConfig(f"{host}:{port}")) as proxy:
        straight = megabytes_per_second((host, port))
        through = megabytes_per_second((host, int(proxy.listens.rpartition(":")[2])))
    print(f"proxy: {through:,.0f} MB/s of {straight:,.0f} straight ({through / straight:.2f})")

    address = LoopThread("site").run(site())
    with scrapingbee_server.start(SimulatorConfig(resolve=f"*.test={address}", max_credits=10**9)) as bee:
        straight = asyncio.run(pages_per_second(f"http://{address}/", {}, {}))
        parameters = {"url": "http://a.test/", "render_js": "false"}
        key = {"Authorization": "Bearer demo-key"}
        through = asyncio.run(pages_per_second(f"http://{bee.address}/api/v1/", parameters, key))
        peak = bee.truth(10**9)["peak_concurrency"]
    print(
        f"simulator: {through:,.0f} calls/s of {straight:,.0f} pages/s straight ({through / straight:.2f}), peak {peak}"
    )


if __name__ == "__main__":
    sys.exit(main())
