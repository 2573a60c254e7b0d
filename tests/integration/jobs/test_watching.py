"""A job is watched until it comes to rest, whatever becomes of its servers meanwhile."""

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress

import pytest

from cli.deployment import Deployment
from cli.job import watching
from prospector.demo.proxy.faults import ProxyFault
from prospector.demo.proxy.proxy import FaultProxy
from prospector.errors import ServerUnreachable
from prospector.jobs import control
from prospector.local.servers import Servers
from prospector.store import server

from .conftest import Desk

SAID_WITHIN_SECONDS = 60


@pytest.fixture
def proxy(desk: Desk) -> Iterator[FaultProxy]:
    """In front of Postgres."""
    with FaultProxy(f"{desk.engine.url.query['host']}/.s.PGSQL.5432") as made:
        yield made


@contextmanager
def watched(desk: Desk, job: str, proxy: FaultProxy, stack: Servers) -> Iterator["Future[int]"]:
    url = desk.engine.url.set(host="127.0.0.1", port=proxy.port, query={})
    engine = server.engine(url.render_as_string(hide_password=False), connections=2)
    try:
        with ThreadPoolExecutor(1) as pool:
            try:
                yield pool.submit(watching.watch, Deployment(stack, engine, desk.frontier), job, as_json=True)
            finally:
                proxy.lift(ProxyFault.DOWN)
                with suppress(control.NotNow):
                    control.cancel(desk.engine, desk.frontier, job)
    finally:
        engine.dispose()


def await_words(capsys: pytest.CaptureFixture[str], words: str) -> str:
    said, end = "", time.monotonic() + SAID_WITHIN_SECONDS
    while words not in said:
        assert time.monotonic() < end, f"{words!r} is not said: {said}"
        time.sleep(0.05)
        said += "".join(capsys.readouterr())
    return said


def test_the_last_words_of_a_job_have_its_bill(desk: Desk, stack: Servers, capsys: pytest.CaptureFixture[str]) -> None:
    job = desk.running()
    desk.crawl()

    code = watching.watch(Deployment(stack, desk.engine, desk.frontier), job, as_json=False)

    bill, breakdown, completed, *_ = capsys.readouterr().err.splitlines()[1:]
    assert (code, bill) == (0, "ScrapingBee credits used: 0 ($0.00)")
    assert breakdown.startswith("Breakdown: Direct (free): 3 domains | ScrapingBee (standard): 0 domains")
    assert completed.endswith("is completed: 3 succeeded.")


def test_a_postgres_that_restarts_ends_no_watching(
    desk: Desk, proxy: FaultProxy, stack: Servers, capsys: pytest.CaptureFixture[str]
) -> None:
    job = desk.running()

    with watched(desk, job, proxy, stack) as watch:
        await_words(capsys, '"state": "running"')
        proxy.order(ProxyFault.DOWN)
        await_words(capsys, "Waiting for it ...")
        control.cancel(desk.engine, desk.frontier, job)
        proxy.lift(ProxyFault.DOWN)
        assert watch.result(SAID_WITHIN_SECONDS) == 1

    assert "is cancelled" in capsys.readouterr().err


def test_a_postgres_that_stays_away_ends_the_watching_with_its_words(
    desk: Desk,
    proxy: FaultProxy,
    stack: Servers,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watching, "AWAY_SECONDS", 0.0)
    job = desk.running()

    with watched(desk, job, proxy, stack) as watch:
        await_words(capsys, '"state": "running"')
        proxy.order(ProxyFault.DOWN)

        with pytest.raises(ServerUnreachable, match="Postgres"):
            watch.result(SAID_WITHIN_SECONDS)
