"""A stack of one test's own, for what the shared one must not suffer."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from prospector.local import attach
from prospector.local.home import Home


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """In a folder of a name with all that configurations, shells and URLs read in their own way."""
    home = Home(tmp_path / 'Anna\'s "data" 100% $HOME #1; ü')
    yield home
    attach.detach(home)
    attach.stop(home)
    shutil.rmtree(home.folder)  # 70 MB, of which pytest would keep three runs
