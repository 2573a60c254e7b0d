"""The sum that stands first in every output: what became of each row of the user's file. It adds up, or it is an error."""

from collections.abc import Mapping
from dataclasses import dataclass

from prospector.core.results.score import Verdict
from prospector.errors import ProspectorError


class SumWrong(ProspectorError):
    """Something was lost or counted twice, and nobody may be given such a file."""


@dataclass(frozen=True)
class Sum:
    """`rows` are entries of the user's file: a cell with two domains in it is two."""

    rows: int
    duplicates: int
    excluded: int
    unusable: int
    domains: int
    done: int
    failed: int
    waiting: int
    verdicts: Mapping[Verdict, int]

    @property
    def is_partial(self) -> bool:
        return self.waiting > 0

    def check(self) -> None:
        self._equal("rows", self.rows, self.duplicates + self.excluded + self.unusable + self.domains)
        self._equal("domains", self.domains, self.done + self.failed + self.waiting)
        self._equal("done", self.done, sum(self.verdicts.get(verdict, 0) for verdict in DONE))

    def _equal(self, name: str, whole: int, parts: int) -> None:
        if whole != parts:
            raise SumWrong(
                f"The sum does not add up: {whole:,} {name}, but its parts are {parts:,}.",
                "This is a defect of Prospector: please report it with the id of the job.",
            )

    def lines(self) -> tuple["Line", ...]:
        """The three sums, each whole before its parts."""
        return (
            Line("rows in your list", self.rows, 0),
            Line("duplicates", self.duplicates, 1),
            Line("excluded", self.excluded, 1),
            Line("unusable", self.unusable, 1),
            Line("domains", self.domains, 1),
            Line("failed", self.failed, 2),
            Line("waiting", self.waiting, 2),
            Line("done", self.done, 2),
            *(Line(str(verdict), self.verdicts.get(verdict, 0), 3) for verdict in DONE),
        )


@dataclass(frozen=True)
class Line:
    """`level`: how deep below the rows of the list; the lines of one level add up to the last line of the level above."""

    name: str
    count: int
    level: int


DONE = (
    Verdict.NO_MENTION,
    Verdict.LINKING,
    Verdict.MENUS_ONLY,
    Verdict.REJECTED,
    Verdict.REVIEW,
    Verdict.QUALIFIED,
)
