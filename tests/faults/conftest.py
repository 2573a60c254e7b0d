"""A crawl of the small web with a Redis of its own."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from .crawl import Crawl, crawling


@pytest.fixture
def folder() -> Iterator[Path]:
    """Short, because a Unix socket's path is bounded."""
    with tempfile.TemporaryDirectory(prefix="fault-") as made:
        yield Path(made)


@pytest.fixture
def crawl(folder: Path, engine: Engine) -> Iterator[Crawl]:
    with crawling(folder, engine) as made:
        yield made
