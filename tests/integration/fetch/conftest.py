"""The simulator of ScrapingBee, a site behind it, and a process with Scrapy's reactor that makes paid calls."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from prospector.core.methods import Method
from prospector.demo.control import Control
from prospector.demo.loop_thread import LoopThread
from prospector.demo.scrapingbee_server import SimulatorConfig, simulator

KEY = "key-of-the-tests-0123456789"
CALLER = Path(__file__).with_name("caller.py")


class Site(BaseHTTPRequestHandler):
    """/status/N answers N; /moved goes to /end; /slow takes 3 s; anything else is a page."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:  # the library's name
        head, _, last = self.path.rpartition("/")
        if self.path == "/slow":
            time.sleep(3)
        body = b"" if last == "moved" else f"<html><body>page {self.path}</body></html>".encode()
        self.send_response(int(last) if head == "/status" else 301 if last == "moved" else 200)
        if last == "moved":
            self.send_header("Location", "/end")
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Retry-After", "77")
        self.send_header("Set-Cookie", "seen=1")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the library's name
        pass


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """Its address."""
    server = ThreadingHTTPServer(("127.1.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"127.1.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def bee(site: str) -> Iterator[Control]:
    config = SimulatorConfig(key=KEY, resolve=f"*.test={site}", usage_lag_seconds=0.0, max_credits=1_000)
    thread = LoopThread("simulator")
    serving = simulator(config)
    yield Control(thread.run(serving.__aenter__())["address"], config.control_token)
    thread.run(serving.__aexit__(None, None, None))
    thread.stop()


class Caller:
    """Makes calls at once with the others of the same list, and tells of each what came of it."""

    def __init__(self, process: subprocess.Popen[str], api_url: str) -> None:
        self._process = process
        self.api_url = api_url

    def call(self, path: str = "/", method: Method = Method.STANDARD, **more: Any) -> dict[str, Any]:
        return self.calls([path], method, **more)[0]

    def calls(self, paths: list[str], method: Method = Method.STANDARD, **more: Any) -> list[dict[str, Any]]:
        common = {"api_url": self.api_url, "key": KEY, "method": method}
        wishes = [{**common, "url": f"http://a.test{path}", **more} for path in paths]
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(wishes) + "\n")
        self._process.stdin.flush()
        answers: list[dict[str, Any]] = json.loads(self._process.stdout.readline())
        return answers


@pytest.fixture(scope="session")
def caller_process() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, CALLER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        assert process.stdin
        process.stdin.close()
        assert process.wait(30) == 0


@pytest.fixture
def caller(caller_process: subprocess.Popen[str], bee: Control) -> Caller:
    return Caller(caller_process, f"http://{bee.address}/api/v1/")
