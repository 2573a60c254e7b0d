"""Rows that are put in order after all have been seen: on disk, with only their ranks in memory."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Self

from prospector.core.results.score import Verdict
from prospector.jobs.exports.prospect import Prospect

ORDER = {verdict: place for place, verdict in enumerate(Verdict)}


class Spool:
    """The prospects of a job: qualified first, best first; of equals in the order of the list."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / "prospects.jsonl").open("w+b")
        self._ranks: list[tuple[int, int, int, int]] = []

    def add(self, prospect: Prospect) -> None:
        place = self._file.tell()
        self._file.write(json.dumps(asdict(prospect), ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")
        self._ranks.append((ORDER[prospect.verdict], -(prospect.score or 0), prospect.number, place))

    def __iter__(self) -> Iterator[Prospect]:
        """May be read as often as one likes, one reader at a time, when all are added."""
        self._ranks.sort()
        for *_, place in self._ranks:
            self._file.seek(place)
            row = json.loads(self._file.readline().decode("utf-8", "surrogatepass"))
            yield Prospect(**{**row, "verdict": Verdict(row["verdict"])})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
