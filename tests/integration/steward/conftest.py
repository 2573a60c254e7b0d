"""A steward's post on a record and a frontier of the test's own, and a receiver of webhooks."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from prospector.blobs import storage
from prospector.core.web.addresses import Policy
from prospector.frontier import calls
from prospector.frontier.client import Frontier
from prospector.jobs.steward.post import Post

LOOPBACK = Policy((ip_network("127.0.0.0/8"),))


@pytest.fixture
def frontier(redis_url: str) -> Iterator[Frontier]:
    made = Frontier(redis_url)
    made.run(calls.begin(1))
    yield made
    made.close()


class Receiver(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Hook)
        self.got: list[dict[str, Any]] = []
        self.answers = 200

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/secret-part"


class _Hook(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append(json.loads(body))
        self.send_response(self.server.answers)
        self.send_header("Location", self.server.url)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *words: object) -> None: ...


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


@pytest.fixture
def post(engine: Engine, frontier: Frontier, receiver: Receiver, tmp_path: Path) -> Callable[..., Post]:
    def made(**changes: Any) -> Post:
        facts: dict[str, Any] = {
            "engine": engine,
            "frontier": frontier,
            "scrapyd_urls": (),
            "workers_per_node": 2,
            "checkpoint_domains": 2,
            "retention_days": 90,
            "paid_most": 10,
            "scrapingbee_url": "https://scrapingbee.test/",
            "files": storage((tmp_path / "files").as_uri()),
            "runner_environment": {},
            "webhook_url": receiver.url,
            "webhook_policy": LOOPBACK,
        }
        return Post(**facts | changes)

    return made
