"""A stack of one test's own, for what the shared one must not suffer."""

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
