"""The logs of the local stack never fill the disk: one that has grown is set aside, and the one before it goes."""

import os
from contextlib import suppress
from pathlib import Path

BYTES_MOST = 10_000_000
END_BYTES = 100_000  # more than enough for the last words of a server
SET_ASIDE = ".1.log"


def keep_small(folder: Path) -> None:
    """Its processes hold their logs open, to append: what is in them is copied, and they go on at the beginning.

    A line that is written between the two is lost.
    """
    for log in folder.glob("*.log"):
        with suppress(OSError):  # a full disk, or it was deleted just now: the next look sees it again
            if log.stat().st_size > BYTES_MOST and not log.name.endswith(SET_ASIDE):
                _set_aside(log)


def last_lines(log: Path, count: int) -> list[str]:
    if not log.exists():
        return []
    with log.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - END_BYTES))
        lines = file.read().decode("utf-8", errors="replace").splitlines()
    return [line.strip() for line in lines[-count:]]


def _set_aside(log: Path) -> None:
    """At most as much as a log should hold: the end of what has grown while nobody looked."""
    with log.open("rb") as grown:
        grown.seek(-BYTES_MOST, os.SEEK_END)
        descriptor = os.open(log.with_suffix(SET_ASIDE), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as kept:
            kept.write(grown.read(BYTES_MOST))
    os.truncate(log, 0)
