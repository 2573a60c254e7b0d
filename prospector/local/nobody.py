"""Postgres refuses to run as root: then it runs as `nobody`. No account is made, and no folder is opened to anyone."""

import os
import pwd
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from prospector.errors import EnvironmentInvalid


@dataclass(frozen=True)
class Way:
    """Folders as a program is told of them, and the descriptors that it inherits for that."""

    folders: list[str]
    descriptors: tuple[int, ...] = ()


def unprivileged() -> tuple[int, int] | None:
    """User and group, when this process is root's."""
    if os.getuid():
        return None
    if sys.platform != "linux":
        raise EnvironmentInvalid("Postgres does not run as root.", "Run prospector as an ordinary user.")
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError:
        raise EnvironmentInvalid(
            "Postgres does not run as root, and this system has no account `nobody`.",
            "Run prospector as an ordinary user, or set DATABASE_URL.",
        ) from None
    return nobody.pw_uid, nobody.pw_gid


def own(folder: Path) -> None:
    """Makes a folder of ours that of the account; those above stay closed to it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if found := unprivileged():
        os.chown(folder, *found)


@contextmanager
def way_into(*folders: Path) -> Iterator[Way]:
    """`nobody` may not walk through the closed folders above (/root), and need not: it inherits these opened."""
    if unprivileged() is None:
        yield Way([str(folder) for folder in folders])
        return
    descriptors = tuple(os.open(folder, os.O_RDONLY | os.O_DIRECTORY) for folder in folders)
    try:
        yield Way([f"/proc/self/fd/{one}" for one in descriptors], descriptors)
    finally:
        for one in descriptors:
            os.close(one)
