"""Real Scrapyds of these tests' own, each with a password, as an operator would run them."""

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import Engine

from prospector import nodes
from prospector.core.job.spec import JobSpec
from prospector.core.visits.methods import Mode
from prospector.demo.web.own_process import running
from prospector.demo.web.serving import Ready
from prospector.errors import ProspectorError
from prospector.frontier import calls
from prospector.frontier.client import Frontier
from prospector.jobs import control
from prospector.store import jobs
from prospector.store.jobs import Keyword, ListedDomain, NewJob
from tests.ports import free_port

Start = Callable[..., "Scrapyd"]
PATIENCE_SECONDS = 90  # of a loaded machine: processes start


class Scrapyd:
    """`installed`: our code is there without an egg and no other is taken, as in the container image. Else it has the
    libraries alone, in an interpreter that knows nothing of this clone."""

    def __init__(self, folder: Path, environment: dict[str, str], *, installed: bool = True) -> None:
        self.folder = folder
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None
        self._groups: list[int] = []  # of processes: each Scrapyd that was started here, with its workers
        port = free_port()
        password = secrets.token_hex(8)
        self.url = f"http://prospector:{password}@127.0.0.1:{port}"
        lines = [
            "[scrapyd]",
            f"http_port = {port}",
            "username = prospector",
            f"password = {password}",
            "poll_interval = 0.1",
            "max_proc = 16",
            "jobs_to_keep = 100",
            "items_dir = items",
        ]
        self._python = sys.executable
        if installed:
            lines += ["[settings]", "default = prospector.settings", "prospector = prospector.settings"]
            lines += ["[services]", "addversion.json =", "delversion.json ="]
            self._environment = environment | {"SCRAPY_SETTINGS_MODULE": "prospector.settings"}
        else:
            libraries = next(path for path in sys.path if path.endswith("site-packages"))
            self._python = sys._base_executable  # type: ignore[attr-defined]  # CPython's own
            self._environment = environment | {"PYTHONPATH": libraries, "PYTHONWARNINGS": "ignore"}
        folder.mkdir()
        (folder / "scrapyd.conf").write_text("\n".join(lines))

    def start(self) -> None:
        with (self.folder / "out").open("a") as out:
            self._process = subprocess.Popen(
                [self._python, "-P", "-m", "scrapyd"],
                cwd=self.folder,
                env=self._environment,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        self._groups.append(self._process.pid)
        until(self._answers, "Scrapyd does not answer")

    def kill(self) -> None:
        """As a machine that is gone: Scrapyd and all its spiders at once, also those that it starts at this moment."""
        for group in self._groups:
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)
        if self._process:
            self._process.wait()

    def kill_scrapyd_alone(self) -> None:
        assert self._process
        self._process.kill()
        self._process.wait()

    def spiders(self) -> list[int]:
        """Process ids."""
        try:
            listed = nodes.call(self.url, "listjobs.json")["running"]
        except ProspectorError:
            return []
        return [one["pid"] for one in listed if one["pid"]]

    def _answers(self) -> bool:
        try:
            return nodes.status(self.url)["status"] == "ok"
        except ProspectorError:
            return False


@pytest.fixture
def start_scrapyd(tmp_path: Path, redis_url: str) -> Iterator[Start]:  # emptied once all workers are gone
    started: list[Scrapyd] = []

    def start(*, installed: bool = True, environment: dict[str, str] | None = None) -> Scrapyd:
        plain = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        one = Scrapyd(tmp_path / f"node{len(started)}", plain | (environment or {}), installed=installed)
        started.append(one)
        one.start()
        return one

    yield start
    for one in started:
        one.kill()


def until(true: Callable[[], object], otherwise: str) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not true():
        if time.monotonic() > end:
            raise AssertionError(otherwise)
        time.sleep(0.05)


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ready]:
    """Sites that take their time: each is asked once a second."""
    with running(tmp_path_factory.mktemp("web") / "log.jsonl", sites=24, kinds=("twenty",)) as ready:
        yield ready


@pytest.fixture
def frontier(redis_url: str) -> Iterator[Frontier]:
    made = Frontier(redis_url)
    made.run(calls.begin(1))
    yield made
    made.close()


@pytest.fixture
def crawls(engine: Engine, redis_url: str, web: Ready) -> dict[str, str]:
    """The environment of nodes whose workers crawl the small web for the test's own record and frontier."""
    return {
        "DATABASE_URL": engine.url.render_as_string(hide_password=False),
        "REDIS_URL": redis_url,
        "WORKER_IDLE_SECONDS": "60",
        **web.settings,
    }


@pytest.fixture
def begin_job(engine: Engine, frontier: Frontier) -> Callable[..., str]:
    """Half a minute of work: twelve sites of twenty pages."""

    def begun(name: str, first_site: int = 0) -> str:
        listed = [ListedDomain(f"twenty-{first_site + row:04}.test", row) for row in range(12)]
        spec = JobSpec(mode=Mode.FREE_ONLY).stored()
        with engine.begin() as connection:
            job = jobs.create(connection, NewJob(name, spec, 0, [Keyword("acme crm")], listed)).job
        control.start(engine, frontier, job)
        return job

    return begun
