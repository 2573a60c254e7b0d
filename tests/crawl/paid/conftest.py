"""A stage for each test; see stage.py."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import Engine

from ...integration.frontier.conftest import Server, own_server  # noqa: F401, TID252  # a Redis of this test's own
from .stage import Stage


@pytest.fixture
def stage(engine: Engine, own_server: Server, tmp_path: Path) -> Iterator[Stage]:  # noqa: F811  # a fixture and its use
    with ExitStack() as stack:
        made = Stage(engine, own_server, tmp_path, stack)
        try:
            yield made
        finally:
            made.kill()
            made.frontier.close()
