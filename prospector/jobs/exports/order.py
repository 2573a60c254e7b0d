"""What somebody asked for, and the files that makes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from prospector.errors import InputInvalid

Kind = TypeVar("Kind", bound=StrEnum)


class Format(StrEnum):
    CSV = "csv"
    JSON = "json"
    XLSX = "xlsx"
    HTML = "html"


class Part(StrEnum):
    RESULTS = "results"
    PROSPECTS = "prospects"
    ERRORS = "errors"
    COST = "cost"


class FileKind(StrEnum):
    """The name of each file, as documented in docs/exports.md."""

    RESULTS_CSV = "results.csv"
    PROSPECTS_CSV = "prospects.csv"
    ERRORS_CSV = "errors.csv"
    FAILED_CSV = "failed_domains.csv"
    COST_CSV = "cost.csv"
    RESULTS_JSON = "results.json"
    WORKBOOK = "results.xlsx"
    REPORT = "report.html"


CSV_PARTS: Mapping[Part, Sequence[FileKind]] = {
    Part.RESULTS: [FileKind.RESULTS_CSV],
    Part.PROSPECTS: [FileKind.PROSPECTS_CSV],
    Part.ERRORS: [FileKind.ERRORS_CSV, FileKind.FAILED_CSV],
    Part.COST: [FileKind.COST_CSV],
}
WHOLE: Mapping[Format, FileKind] = {
    Format.JSON: FileKind.RESULTS_JSON,
    Format.XLSX: FileKind.WORKBOOK,
    Format.HTML: FileKind.REPORT,
}
CONTENT_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "html": "text/html; charset=utf-8",
}


@dataclass(frozen=True)
class Order:
    """`parts` narrows the csv files; `raw` is csv for machines: no byte order mark, no guard, LF."""

    formats: tuple[Format, ...]
    parts: tuple[Part, ...] = tuple(Part)
    raw: bool = False

    @property
    def files(self) -> list[FileKind]:
        listed = [kind for part in self.parts for kind in CSV_PARTS[part]] if Format.CSV in self.formats else []
        return listed + [WHOLE[one] for one in self.formats if one in WHOLE]

    @property
    def options(self) -> dict[str, object]:
        """As a row of exports keeps them."""
        return {"only": [str(part) for part in self.parts], "raw": self.raw}


def order(formats: Sequence[str], options: Mapping[str, object]) -> Order:
    """From what a row of exports holds; raises InputInvalid for what there is not."""
    only = options.get("only") or list(Part)
    assert isinstance(only, list)
    return Order(
        tuple(_one(Format, name) for name in formats or [Format.CSV]),
        tuple(_one(Part, name) for name in only),
        bool(options.get("raw")),
    )


def _one(kinds: type[Kind], name: str) -> Kind:
    try:
        return kinds(name)
    except ValueError as error:
        raise InputInvalid(
            f"There is no {kinds.__name__.lower()} {name!r}.", f"Choose of: {', '.join(kinds)}."
        ) from error


def download_name(job_name: str, job: str, kind: FileKind) -> str:
    """What a person finds in the downloads folder: `Acme Q1 2025 - results - a1b2c3.csv`."""
    stem, _, ending = kind.rpartition(".")
    kept = "".join(letter if letter.isalnum() or letter in " ._-()&+" else " " for letter in job_name)
    name = " ".join(kept.split()).strip(". ")[:60]
    return f"{name or 'job'} - {stem} - {job}.{ending}"
