"""The log of requests as the web saw them: JSON lines, monotonic nanoseconds, buffered, complete after a SIGTERM."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from pathlib import Path
from types import TracebackType
from typing import Self

from prospector.errors import Conflict, InputInvalid

BUFFERED_LINES = 512


@dataclass(slots=True)
class Entry:
    """One request. `at_ns`: its head had arrived; `end_ns`: its answer was handed over, or the connection was lost."""

    at_ns: int
    end_ns: int
    site: str
    host: str
    scheme: str
    path: str
    status: int
    bytes: int
    agent: str
    via: str  # the paid method; empty: direct
    peer: str
    canary: bool = False
    whole: bool = True  # the answer was handed over to its end
    retry_ms: int = 0  # after the end: how long it was told to wait


_NAMES = tuple(field.name for field in fields(Entry))
_values = attrgetter(*_NAMES)
_line = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True)
class Heading:
    """The first line of a log: which web it is of."""

    seed: int
    sites: int
    kinds: Sequence[str] = ()


class RequestLog:
    """Goes on with a log that is there, if it is of the same web."""

    def __init__(self, path: Path, web: Heading) -> None:
        there = path.exists() and path.stat().st_size
        if there and heading(path) != web:
            raise Conflict(f"{path} is the log of another web.", "Give another --log, or remove it.")
        self._file = path.open("a", encoding="utf-8")
        self._lines: list[str] = [] if there else [_line(vars(web))]
        self._open: dict[int, Entry] = {}
        self.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for entry in list(self._open.values()):
            self.end(entry)
        self.flush()
        self._file.close()

    def begin(self, entry: Entry) -> None:
        """For an answer that takes its time: it is written even if it never ends."""
        self._open[id(entry)] = entry

    def end(self, entry: Entry) -> None:
        self._open.pop(id(entry), None)
        self._lines.append(_line(dict(zip(_NAMES, _values(entry), strict=True))))
        if len(self._lines) >= BUFFERED_LINES:
            self.flush()

    def flush(self) -> None:
        if self._lines:
            self._file.write("\n".join(self._lines) + "\n")
            self._lines.clear()
        self._file.flush()


def heading(path: Path) -> Heading:
    try:
        with path.open(encoding="utf-8") as lines:
            said = json.loads(next(lines, ""))
        return Heading(said["seed"], said["sites"], tuple(said["kinds"]))
    except (ValueError, KeyError, TypeError, OSError):
        raise _no_log(f"{path} is not a log of the small web") from None


def entries(path: Path) -> Iterator[Entry]:
    """In the order of their arrival."""
    return iter(sorted(_entries(path), key=attrgetter("at_ns")))


def _entries(path: Path) -> Iterator[Entry]:
    with path.open(encoding="utf-8") as lines:
        next(lines, None)
        for number, line in enumerate(lines, 2):
            if not line.endswith("\n"):
                return  # its writer was killed in the act, or is writing
            try:
                yield Entry(**json.loads(line))
            except (ValueError, TypeError):
                raise _no_log(f"{path}, line {number}, is not of a log of the small web") from None


def _no_log(problem: str) -> InputInvalid:
    return InputInvalid(f"{problem}.", "Give the file that `demo serve --log` wrote.")
