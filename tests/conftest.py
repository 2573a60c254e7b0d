"""What every suite may ask for. Real servers: the local stack itself, one for the whole run."""

import shutil
from pathlib import Path

import pytest

from prospector.local import attach
from prospector.local.home import Home
from prospector.local.servers import Servers, with_home

IDLE_SECONDS = "2"  # should the run be killed, its stack ends by itself this much later


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Servers:
    """The URLs of one stack for all processes of the run: the first one that asks starts it, pytest_unconfigure stops it.

    A DATABASE_URL, REDIS_URL or SCRAPYD_URLS of the environment is used instead, as everywhere.
    """
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("LOCAL_IDLE_SECONDS", IDLE_SECONDS)
        return with_home(Home(_run_folder(request.config, tmp_path_factory) / "stack"))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Also after Ctrl-C. Workers of xdist have only used the stack; it ends with the process that started them."""
    factory = getattr(config, "_tmp_path_factory", None)
    if factory is None:
        return
    home = Home(_run_folder(config, factory) / "stack")
    attach.detach(home)
    if not hasattr(config, "workerinput") and home.folder.exists():
        attach.stop(home)
        shutil.rmtree(home.folder)


def _run_folder(config: pytest.Config, factory: pytest.TempPathFactory) -> Path:
    """Where a worker of xdist has a folder of its own below that of the run."""
    own = factory.getbasetemp()
    return own.parent if hasattr(config, "workerinput") else own
