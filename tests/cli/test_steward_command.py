"""The steward as a process, and what looks at the system, as a user runs them."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest
from sqlalchemy import Engine

from prospector.local import attach
from prospector.local.home import Home
from prospector.local.servers import Servers
from tests.ports import free_port

COMMAND = [sys.executable, "-P", "-m", "cli"]


def until(true: Callable[[], object], otherwise: str) -> None:
    end = time.monotonic() + 90
    while not true():
        assert time.monotonic() < end, otherwise
        time.sleep(0.1)


class Stewards:
    """Processes of `prospector steward`, each with an address of its own."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self._environment = environment
        self._folder = folder
        self.started: list[tuple[subprocess.Popen[bytes], str]] = []

    def start(self) -> int:
        address = f"127.0.0.1:{free_port()}"
        with (self._folder / f"steward-{len(self.started)}.log").open("wb") as log:
            process = subprocess.Popen(
                [*COMMAND, "steward"], env=self._environment | {"METRICS_ADDRESS": address}, stdout=log, stderr=log
            )
        self.started.append((process, address))
        return len(self.started) - 1

    def leads(self, number: int) -> bool:
        try:
            with urlopen(f"http://{self.started[number][1]}/healthz", timeout=60) as answer:
                told: dict[str, Any] = json.load(answer)
        except HTTPError as error:  # it is not well yet
            error.close()
            return False
        except URLError:
            return False
        return bool(told["leading"])

    def signal(self, number: int, sign: signal.Signals) -> int:
        process = self.started[number][0]
        process.send_signal(sign)
        return process.wait(60)


@pytest.fixture
def stewards(stack: Servers, engine: Engine, redis_url: str, tmp_path: Path) -> Iterator[Stewards]:
    made = Stewards(
        os.environ
        | {
            "DATABASE_URL": engine.url.render_as_string(hide_password=False),
            "REDIS_URL": redis_url,
            "SCRAPYD_URLS": ",".join(stack.scrapyd_urls),
        },
        tmp_path,
    )
    yield made
    for process, _ in made.started:
        if process.poll() is None:
            process.kill()
            process.wait()


def test_when_the_steward_that_leads_is_killed_another_leads_and_ends_in_good_order(stewards: Stewards) -> None:
    first = stewards.start()
    until(lambda: stewards.leads(first), "nobody leads")
    second = stewards.start()

    stewards.signal(first, signal.SIGKILL)
    until(lambda: stewards.leads(second), "nobody takes over")

    assert stewards.signal(second, signal.SIGTERM) == 0


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., "subprocess.CompletedProcess[str]"]]:
    home = tmp_path_factory.mktemp("home")
    environment = os.environ | {"PROSPECTOR_HOME": str(home), "METRICS_ADDRESS": "127.0.0.1:0"}

    def prospector(*words: str, **more: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([*COMMAND, *words], capture_output=True, text=True, env=environment | more, timeout=120)

    yield prospector
    attach.stop(Home(home))
    shutil.rmtree(home, ignore_errors=True)


Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_without_a_job_there_is_no_worker_and_it_is_said(run: Run) -> None:
    words, found = run("system", "workers"), run("system", "workers", "--json")

    assert "They start with the next job" in words.stderr
    assert json.loads(found.stdout) == {"workers": [], "problems": {}}


def test_every_figure_of_the_requirements_comes_with_its_formula(run: Run) -> None:
    done = run("system", "metrics", "--json")

    figures = json.loads(done.stdout)
    names = [one["name"] for one in figures]
    assert [name[:4] for name in names if name.startswith("PM-")] == [f"PM-{number}" for number in range(1, 8)]
    assert {"domains per minute", "error rate", "database write rate", "queue depth", "requests to ScrapingBee"} <= set(
        names
    )
    assert all(one["formula"] for one in figures)


def test_a_local_stack_needs_no_deployment_and_says_so(run: Run) -> None:
    done = run("deploy")

    assert done.returncode == 0
    assert "Nothing to deploy" in done.stderr


def test_a_node_that_is_away_ends_a_deployment_with_7_and_its_name(run: Run) -> None:
    done = run("deploy", SCRAPYD_URLS="http://me:secret@127.0.0.1:9")

    assert done.returncode == 7
    assert "127.0.0.1:9 does not answer" in done.stdout + done.stderr
    assert "secret" not in done.stdout + done.stderr


def test_a_metrics_address_that_is_none_is_refused_by_name(run: Run, stack: Servers, engine: Engine) -> None:
    done = run(
        "steward",
        DATABASE_URL=engine.url.render_as_string(hide_password=False),
        REDIS_URL=stack.redis_url,
        SCRAPYD_URLS=stack.scrapyd_urls[0],
        METRICS_ADDRESS="nowhere",
    )

    assert done.returncode == 3
    assert "METRICS_ADDRESS (environment): 'nowhere'" in done.stderr
