"""A job to work with, and rows for it; the simulator of ScrapingBee, and a site that is paid for."""

import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from sqlalchemy import Engine

from prospector.core.job.states import JobState
from prospector.core.reading.zones import Zone
from prospector.core.visits.methods import Method
from prospector.core.visits.outcomes import PageOutcome
from prospector.demo.control import Control
from prospector.demo.loop_thread import LoopThread
from prospector.demo.scrapingbee.server import SimulatorConfig, simulator
from prospector.store import jobs
from prospector.store.jobs import Keyword, ListedDomain, NewJob
from prospector.store.pages import MentionRow, PageRow

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
KEY = "k3y-of-the-tests-9f8e7d6c5b4a"


@pytest.fixture
def new_job() -> Callable[..., NewJob]:
    """Three domains and two keywords, unless told otherwise."""

    def made(**changes: Any) -> NewJob:
        facts: dict[str, Any] = {
            "name": "Acme Q1",
            "spec": {"mode": "hybrid"},
            "max_credits": 10_000,
            "keywords": [Keyword("crm"), Keyword("Acme CRM", "brand", case_sensitive=True)],
            "domains": [ListedDomain(f"{name}.example", row) for row, name in enumerate("abc", 2)],
        }
        return NewJob(**facts | changes)

    return made


@pytest.fixture
def job(engine: Engine, new_job: Callable[..., NewJob]) -> str:
    """The id of a running job."""
    with engine.begin() as connection:
        made = jobs.create(connection, new_job()).job
        jobs.move(connection, made, JobState.RUNNING, "started")
    return made


@pytest.fixture
def page() -> Callable[..., PageRow]:
    """A page that was read and says one keyword three times, unless told otherwise."""

    def made(number: int, **changes: Any) -> PageRow:
        facts: dict[str, Any] = {
            "page": number,
            "domain": 0,
            "url": f"https://a.example/{number}",
            "outcome": PageOutcome.READ,
            "settled_at": NOON,
            "method": Method.DIRECT,
            "status": 200,
            "mentions": [MentionRow(0, 3, Zone.MAIN, "we tried a crm last year")],
        }
        return PageRow(**facts | changes)

    return made


class Site(BaseHTTPRequestHandler):
    """/status/N answers N; /moved goes to /end; /slow takes 3 s; hosts named blocked… refuse; anything else is a page."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:  # the library's name
        is_moved = self.path == "/moved"
        if self.path == "/slow":
            time.sleep(3)
        body = b"" if is_moved else f"<html><body>page {self.path}</body></html>".encode()
        self.send_response(self._status())
        if is_moved:
            self.send_header("Location", "/end")
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Retry-After", "77")
        self.send_header("Set-Cookie", "seen=1")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _status(self) -> int:
        head, _, last = self.path.rpartition("/")
        if head == "/status":
            return int(last)
        if self.path == "/moved":
            return 301
        return 403 if self.headers["Host"].startswith("blocked") else 200

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
    """The simulator, with an account of 1,000 credits; every *.test is the site."""
    config = SimulatorConfig(key=KEY, resolve=f"*.test={site}", usage_lag_seconds=0.0, max_credits=1_000)
    thread = LoopThread("simulator")
    serving = simulator(config)
    yield Control(thread.run(serving.__aenter__())["address"], config.control_token)
    thread.run(serving.__aexit__(None, None, None))
    thread.stop()
