"""The steward of the local stack: a job needs nothing else to run to its end, whoever is killed meanwhile."""

import os
import signal
import socket
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.request import urlopen

import pytest

from prospector.core.job.spec import JobSpec
from prospector.core.job.states import JobState
from prospector.core.visits.methods import Mode
from prospector.demo.web.own_process import running
from prospector.frontier.client import Frontier
from prospector.jobs import control
from prospector.local import attach, locks, options, overview, state
from prospector.local.home import Home
from prospector.local.overview import Standing
from prospector.local.servers import Servers, with_home
from prospector.store import jobs, schema, server
from prospector.store.jobs import Keyword, ListedDomain, NewJob

PATIENCE_SECONDS = 120  # of a loaded machine; every wait ends with its condition


def until(true: Callable[[], object], otherwise: str) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < end, otherwise
        time.sleep(0.1)


def steward_pid(home: Home) -> int:
    until(lambda: locks.held(home.lock("steward")), "the steward does not begin")
    signed: list[str] = []
    until(lambda: signed.extend(home.lock("steward").read_text().split()) or signed, "it does not sign")
    return int(signed[0])


def begin_job(servers: Servers) -> Callable[[], JobState]:
    """Gives what tells its state."""
    engine = server.engine(servers.database_url, connections=2)
    frontier = Frontier(servers.redis_url)
    listed = [ListedDomain(f"company-{number:04}.test", number) for number in range(3)]
    with engine.begin() as connection:
        spec = JobSpec(mode=Mode.FREE_ONLY).stored()
        job = jobs.create(connection, NewJob("one", spec, 0, [Keyword("acme crm")], listed)).job
    control.start(engine, frontier, job)

    def told() -> JobState:
        with engine.connect() as connection:
            return jobs.job(connection, job).state

    return told


def test_a_job_runs_to_its_end_although_the_steward_is_killed(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(tmp_path / "web.jsonl", sites=3, kinds=("company",)) as web:
        for name, value in web.settings.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(
            options, "given", lambda: web.settings | {"DELAY_MS": "100", "METRICS_ADDRESS": "127.0.0.1:0"}
        )
        servers = with_home(home)
        schema.migrate(server.engine(servers.database_url))
        job_state = begin_job(servers)

        os.kill(steward_pid(home), signal.SIGKILL)

        until(lambda: job_state() is JobState.COMPLETED, "the job does not end")
        found = state.read(home)
        assert found
        assert found.servers["steward"].restarts == 1
        assert overview.of(home).steward.state is Standing.RUNNING
        until(lambda: overview.of(home).steward.url, "it does not say where its figures are")
        with urlopen(overview.of(home).steward.url or "") as answer:
            assert b"prospector_leading" in answer.read()


def test_without_a_record_there_is_no_steward_and_with_new_options_it_is_begun_again(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers = with_home(home)
    assert not locks.held(home.lock("steward"))
    schema.migrate(server.engine(servers.database_url))
    first = steward_pid(home)

    monkeypatch.setattr(options, "given", lambda: {"WORKERS_PER_NODE": "3"})
    with_home(home)

    until(lambda: steward_pid(home) != first, "it is not begun again")
    found = state.read(home)
    assert found
    assert found.servers["steward"].restarts == 0


def test_an_address_that_another_stack_has_is_not_told_as_its_own(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = f"127.0.0.1:{other.getsockname()[1]}"
        monkeypatch.setattr(options, "given", lambda: {"METRICS_ADDRESS": taken})

        servers = with_home(home)
        schema.migrate(server.engine(servers.database_url))

        until(lambda: overview.of(home).steward.url is not None, "it does not say whether they are served")
        assert overview.of(home).steward.url == ""


def test_a_stack_knows_when_the_one_before_it_stopped(home: Home) -> None:
    with_home(home)
    first = state.read(home)
    attach.detach(home)
    began = datetime.now(UTC)
    attach.stop(home)
    with_home(home)
    second = state.read(home)

    assert first
    assert second
    assert first.stopped_at is None
    assert datetime.fromisoformat(second.stopped_at or "") > began - timedelta(minutes=1)
