"""Liveness is a held flock, never a pid: getting a dead process's lock proves its death, zombies and reused pids included.

A lock belongs to the open file, so a child that inherits the descriptor holds it until the last of its own children ends.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def take(path: Path) -> int | None:
    """The descriptor of the exclusive lock, or None if another process holds the lock, or probes it just now."""
    return _locked(path, fcntl.LOCK_EX | fcntl.LOCK_NB)


def share(path: Path) -> int:
    """The descriptor of a shared lock, held until it is closed or the process ends."""
    descriptor = _locked(path, fcntl.LOCK_SH)
    assert descriptor is not None
    return descriptor


def held(path: Path) -> bool:
    """Whether a process holds the exclusive lock. Probes are shared locks, so that they never see each other."""
    descriptor = _locked(path, fcntl.LOCK_SH | fcntl.LOCK_NB)
    if descriptor is None:
        return True
    os.close(descriptor)
    return False


def shared(path: Path) -> bool:
    """Whether any process holds a shared lock."""
    descriptor = take(path)
    if descriptor is None:
        return True
    os.close(descriptor)
    return False


@contextmanager
def turn(path: Path) -> Iterator[None]:
    """Waits for the exclusive lock and holds it for the block."""
    descriptor = _locked(path, fcntl.LOCK_EX)
    assert descriptor is not None
    try:
        yield
    finally:
        os.close(descriptor)


def _locked(path: Path, kind: int) -> int | None:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, kind)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
