"""Logs that grow while their servers run: what is kept, and that the servers write on."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from prospector.local import log_files


@pytest.fixture
def server_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, int]]:
    """A log, and the descriptor by which its server appends to it."""
    monkeypatch.setattr(log_files, "BYTES_MOST", 1_000)
    path = tmp_path / "redis.log"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    yield path, descriptor
    os.close(descriptor)


def test_what_is_small_stays(server_log: tuple[Path, int]) -> None:
    path, descriptor = server_log
    os.write(descriptor, b"x" * 1_000)

    log_files.keep_small(path.parent)

    assert path.stat().st_size == 1_000
    assert not (path.parent / "redis.1.log").exists()


def test_a_log_that_has_grown_is_set_aside_and_its_server_writes_on(server_log: tuple[Path, int]) -> None:
    path, descriptor = server_log
    os.write(descriptor, b"lost" + b"x" * 996 + b"last")

    log_files.keep_small(path.parent)
    os.write(descriptor, b"next")

    aside = path.parent / "redis.1.log"
    assert aside.read_bytes() == b"x" * 996 + b"last"
    assert aside.stat().st_mode & 0o777 == 0o600
    assert path.read_bytes() == b"next"


def test_the_one_set_aside_before_goes_and_is_itself_left_alone(server_log: tuple[Path, int]) -> None:
    path, descriptor = server_log
    aside = path.parent / "redis.1.log"
    aside.write_bytes(b"old" * 1_000)
    log_files.keep_small(path.parent)
    assert aside.stat().st_size == 3_000

    os.write(descriptor, b"x" * 1_001)
    log_files.keep_small(path.parent)

    assert aside.read_bytes() == b"x" * 1_000
    assert {one.name for one in path.parent.iterdir()} == {"redis.log", "redis.1.log"}


def test_the_last_lines_are_read_from_the_end_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_files, "END_BYTES", 12)
    log = tmp_path / "redis.log"
    assert log_files.last_lines(log, 3) == []

    log.write_bytes(b"first\n" * 1_000 + b"a \nlast\xff\n")

    assert log_files.last_lines(log, 3) == ["st", "a", "last\N{REPLACEMENT CHARACTER}"]
    assert log_files.last_lines(log, 1) == ["last\N{REPLACEMENT CHARACTER}"]
