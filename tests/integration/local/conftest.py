"""A stack of one test's own, for what the shared one must not suffer."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from prospector.local import attach
from prospector.local.home import Home


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path / "home")
    yield home
    attach.detach(home)
    attach.stop(home)
    shutil.rmtree(home.folder)  # 70 MB, of which pytest would keep three runs
