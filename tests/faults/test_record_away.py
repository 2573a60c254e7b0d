"""Postgres goes away under a steward that leads: the crawl is held, and goes on by itself when it is back."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Engine

from prospector.blobs import storage
from prospector.core.job.spec import JobSpec
from prospector.demo.proxy.faults import ProxyFault
from prospector.demo.proxy.proxy import FaultProxy
from prospector.frontier import calls
from prospector.frontier.client import Frontier
from prospector.jobs import control
from prospector.jobs.steward import duties
from prospector.jobs.steward.gauges import Gauges
from prospector.jobs.steward.post import Post
from prospector.store import events, jobs, server
from prospector.store.jobs import Keyword, ListedDomain, NewJob


def until(true: Callable[[], object], otherwise: str) -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end, otherwise
        time.sleep(0.05)


@pytest.fixture
def job(engine: Engine, redis_url: str) -> str:
    frontier = Frontier(redis_url)
    frontier.run(calls.begin(1))
    with engine.begin() as connection:
        new = NewJob("one", JobSpec().stored(), 0, [Keyword("crm")], [ListedDomain("a.example", 1)])
        made = jobs.create(connection, new).job
    control.start(engine, frontier, made)
    frontier.close()
    return made


def rounds_of(gauges: Gauges, duty: str) -> bool:
    """Whether it was done."""
    return gauges.registry.get_sample_value("prospector_duty_seconds", {"duty": duty}) is not None


def test_what_is_running_is_held_while_postgres_is_away_and_goes_on_by_itself(
    engine: Engine, redis_url: str, job: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duties, "AWAY_SECONDS", 1.0)
    folder = engine.url.query["host"]
    frontier = Frontier(redis_url)
    with FaultProxy(f"{folder}/.s.PGSQL.5432") as proxy:
        url = engine.url.set(host="127.0.0.1", port=proxy.port, query={})
        own = server.engine(url.render_as_string(hide_password=False), "prospector steward", connections=4)
        stop, gauges = threading.Event(), Gauges()
        post = Post(own, frontier, (), 1, 100, 90, 10, "https://scrapingbee.test/", storage(tmp_path.as_uri()), {})
        steward = duties.steward(post, gauges, stop)
        thread = threading.Thread(target=steward.run)
        thread.start()
        try:
            until(lambda: steward.leading, "it does not lead")
            until(lambda: rounds_of(gauges, "jobs"), "it does not follow the jobs")

            proxy.order(ProxyFault.DOWN)
            until(lambda: frontier.run(calls.running()) == [], "the job is not held")
            away = steward.health()
            proxy.lift(ProxyFault.DOWN)
            until(lambda: frontier.run(calls.running()) == [job], "the job does not go on")
        finally:
            stop.set()
            thread.join()
            own.dispose()
            frontier.close()

    assert (away["healthy"], away["postgres"]) == (False, "away")
    with engine.connect() as connection:
        assert jobs.job(connection, job).state == "running"
        until(lambda: "resumed by itself" in events.of_job(connection, job)[0].reason, "it is not said")
