"""Jobs in a record and a frontier of the test's own, and a hand that crawls them without a web."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from sqlalchemy import Engine

from prospector.core.job.spec import JobSpec
from prospector.core.job.states import JobState
from prospector.core.lists.exclusions import exclusions
from prospector.core.lists.intake import take
from prospector.core.lists.keyword_list import read_keywords
from prospector.core.visits.methods import PRICE_CREDITS
from prospector.core.visits.outcomes import DomainState
from prospector.core.visits.ticket import Ticket, Verdict
from prospector.frontier import calls
from prospector.frontier.calls import Fetch, Terms
from prospector.frontier.client import Frontier
from prospector.jobs import control
from prospector.jobs.submit import Submission, submit
from prospector.store import domains, jobs
from prospector.store.domains import Finished

TERMS = Terms(40, 1000, 100, tuple((str(method), price) for method, price in PRICE_CREDITS.items()))


def submission(count: int = 3, **changes: Any) -> Submission:
    data = "\n".join(["domain", *(f"site-{number}.com" for number in range(count))]).encode()
    keywords = read_keywords(b"crm\nAcme CRM,case=sensitive,label=brand\n", "keywords.txt")
    asked = Submission("Acme Q1", JobSpec(), 10_000, take(data, "domains.csv", exclusions()), keywords)
    return replace(asked, **changes)


@dataclass
class Desk:
    """The record and the frontier, with short words for what these tests do over and over."""

    engine: Engine
    frontier: Frontier

    def made(self, count: int = 3, **changes: Any) -> str:
        return submit(self.engine, submission(count, **changes)).job

    def running(self, count: int = 3, **changes: Any) -> str:
        job = self.made(count, **changes)
        control.start(self.engine, self.frontier, job)
        return job

    def state(self, job: str) -> JobState:
        with self.engine.connect() as connection:
            return jobs.job(connection, job).state

    def advance(self, ms: int = 10_000) -> None:
        self.frontier.redis.hincrby("prospector:meta", "skew", ms)

    def claim(self, most: int = 100, worker: str = "node/a") -> Sequence[Ticket]:
        run = str(self.frontier.redis.info("server")["run_id"])
        self.frontier.run(
            calls.claim(worker, 0, TERMS, run)
        )  # after a start of Redis, the delay begins with the first one
        self.advance()
        return self.frontier.run(calls.claim(worker, most, TERMS, run)).tickets

    def finish(self, tickets: Sequence[Ticket], *, failed: bool = False, mentions: int = 2) -> None:
        for ticket in tickets:
            verdict = Verdict.FAILED if failed else Verdict.DONE
            self.frontier.run(calls.release(ticket.lease, Fetch.FINE, 0, 40, 60_000))
            assert self.frontier.run(calls.settle(ticket.lease, verdict, 0 if failed else mentions))

    def close(self, *, failed: bool = False, reason: str = "DNS resolution failed") -> int:
        """As a worker's Closer: the row first, then the frontier forgets."""
        ended = self.frontier.run(calls.ended())
        for one in ended:
            state = DomainState.FAILED if failed else DomainState.DONE
            row = Finished(one.number, one.generation, state, reason if failed else None, attempts=1, pages=1)
            with self.engine.begin() as connection:
                domains.finish(connection, one.job, [row])
            self.frontier.run(calls.close(one, failed=failed))
        return len(ended)

    def crawl(self, most: int = 100, *, failed: bool = False) -> int:
        tickets = self.claim(most)
        self.finish(tickets, failed=failed)
        return self.close(failed=failed)


@pytest.fixture
def desk(engine: Engine, redis_url: str) -> Iterator[Desk]:
    frontier = Frontier(redis_url)
    yield Desk(engine, frontier)
    frontier.close()


@pytest.fixture
def together() -> Callable[..., list[object]]:
    """Runs commands at the same moment; each answer is what it returned or raised."""
    from concurrent.futures import ThreadPoolExecutor
    from threading import Barrier

    from prospector.errors import ProspectorError

    def at_once(*commands: Callable[[], object]) -> list[object]:
        barrier = Barrier(len(commands))

        def one(command: Callable[[], object]) -> object:
            barrier.wait()
            try:
                return command()
            except ProspectorError as error:
                return error

        with ThreadPoolExecutor(len(commands)) as pool:
            return list(pool.map(one, commands))

    return at_once
