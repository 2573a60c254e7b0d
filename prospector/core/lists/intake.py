"""From the bytes of a list to the domains of a job: every row ends as a domain, a duplicate, excluded, or rejected."""

import gc
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain, zip_longest

from prospector.core.data import entries
from prospector.core.lists import columns
from prospector.core.lists.examples import examples
from prospector.core.lists.exclusions import ExclusionReason, Exclusions
from prospector.core.lists.spreadsheet import read_tables
from prospector.core.lists.table import NoList, Row, Table, titles_note
from prospector.core.web import hosts, sites
from prospector.core.web.hosts import Host, Reason, Refused
from prospector.errors import InputInvalid

MOST_DOMAINS = 50_000
NO_LIST_ROWS = 20  # of so many rows one in twenty is to be something like a domain, or the file is no list of them
RUBBISH_SHARE = 0.95
RUBBISH = frozenset([Reason.EMPTY, Reason.NO_DOT, Reason.NUMBER, Reason.NOT_A_HOST, Reason.TOO_LONG, Reason.UNREADABLE])
RESERVED_ENDINGS = frozenset({"test", "example"})  # of small webs for tests and demonstrations


@dataclass(frozen=True, slots=True)
class Listed:
    """A domain as it was listed: `host` is the first to be asked; `values` are all cells of its row, without passwords."""

    row: int
    value: str
    domain: str
    host: str
    values: list[str]


@dataclass(frozen=True, slots=True)
class Duplicate:
    row: int
    value: str
    domain: str
    first_row: int


@dataclass(frozen=True, slots=True)
class Excluded:
    row: int
    value: str
    domain: str
    reason: ExclusionReason


@dataclass(frozen=True, slots=True)
class Rejected:
    row: int
    value: str
    reason: Reason

    def __str__(self) -> str:
        value = f'"{self.value}"' if self.value else "it"
        return f"Row {self.row}: {value} {self.reason.words}."


@dataclass
class Intake:
    """`rows` + `extra` = domains + duplicates + excluded + rejected; `extra` are further domains in one cell."""

    column: str
    names: tuple[str, ...]  # of all columns, in the order of a domain's values
    rows: int = 0
    domains: list[Listed] = field(default_factory=list)
    duplicates: list[Duplicate] = field(default_factory=list)
    excluded: list[Excluded] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def extra(self) -> int:
        return len(self.domains) + len(self.duplicates) + len(self.excluded) + len(self.rejected) - self.rows

    def other_columns(self, listed: Listed) -> dict[str, str]:
        pairs = zip_longest(self.names, listed.values, fillvalue="")
        return {name: value for name, value in pairs if name != self.column}


def take(data: bytes, name: str, exclusions: Exclusions, column: str | None = None) -> Intake:
    """Raises InputInvalid where the file as a whole cannot be used; a bad row is in `rejected`."""
    with _no_collection():
        return _take(data, name, exclusions, column)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Hundreds of thousands of small records and not one cycle: looking for cycles took a fifth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _take(data: bytes, name: str, exclusions: Exclusions, column: str | None) -> Intake:
    """Of a workbook the first sheet with a domain in it. Where none has one, what is wrong with the first."""
    tables = read_tables(data, name)
    first = next(tables)
    for table in chain([first], tables):
        with suppress(NoList):
            intake = _of_table(table, name, exclusions, column)
            if intake.domains or intake.excluded:
                return intake
    return _of_table(first, name, exclusions, column)


def _of_table(table: Table, name: str, exclusions: Exclusions, column: str | None) -> Intake:
    rows = _meant(table)
    if not rows and not table.too_long:
        raise NoList(f"{name} is empty.", "Give a file with one domain a row.")
    titles = columns.titles(rows, column) if rows else 0
    notes = [*table.notes, *titles_note(rows, titles, name)]
    rows = rows[titles:]
    where = f'sheet "{table.sheet}" of {name}' if table.sheet else name
    choice = columns.choose(rows, where, column) if rows else columns.Choice(0, ("Column A",), has_header=False)
    intake = Intake(choice.name, choice.names, warnings=[*notes, *filter(None, [choice.note])])
    paths = _sort_rows(rows[choice.has_header :], choice.index, exclusions, intake)
    for row in table.too_long:
        intake.rejected.append(Rejected(row.number, hosts.shown(row.cells[0]), Reason.TOO_LONG))
    intake.rows += len(table.too_long)
    _refuse_no_list(intake, name)
    if len(intake.domains) > MOST_DOMAINS:
        over = len(intake.domains) - MOST_DOMAINS
        raise InputInvalid(
            f"{name} has {len(intake.domains):,} domains, the limit is {MOST_DOMAINS:,}.",
            f"Remove {over:,} or split the list.",
        )
    intake.warnings += _warnings(intake, paths)
    return intake


def _refuse_no_list(intake: Intake, name: str) -> None:
    """A thousand rejections say less than this one line."""
    rubbish = len({one.row for one in intake.rejected if one.reason in RUBBISH})
    if intake.rows < NO_LIST_ROWS or rubbish <= RUBBISH_SHARE * intake.rows:
        return
    raise NoList(
        f"{name} does not look like a list of domains: {rubbish:,} of {intake.rows:,} rows have none in column "
        f'"{intake.column}".',
        "Give a file with one domain a row, or name its column with --column.",
    )


def _meant(table: Table) -> list[Row]:
    """Rows with something in them, comments left out; a file of one line is a list written along it."""
    rows = [row for row in table.rows if any(row.cells) and not _is_blank(row)]
    if len(rows) == 1 and _is_list_along(rows[0]):
        return [Row(rows[0].number, [cell]) for cell in rows[0].cells if cell.strip()]
    return rows


def _is_list_along(row: Row) -> bool:
    cells = [cell for cell in row.cells if cell.strip()]
    return sum(isinstance(hosts.read(cell)[0], Host) for cell in cells) > max(1, len(cells) // 2)


def _is_blank(row: Row) -> bool:
    first, *others = row.cells
    if first.lstrip(" \ufeff").startswith("#"):
        return not any(other.strip() for other in others)
    return not first.strip() and not any(other.strip() for other in others)


def _sort_rows(rows: Sequence[Row], column: int, exclusions: Exclusions, intake: Intake) -> list[Host]:
    """Fills the intake; returns the hosts to crawl whose path was dropped."""
    first_rows: dict[str, int] = {}
    paths = []
    for row in rows:
        cell = row.cells[column] if column < len(row.cells) else ""
        for outcome in hosts.read(cell):
            if isinstance(outcome, Refused):
                intake.rejected.append(Rejected(row.number, outcome.value, outcome.reason))
                continue
            _place(row, outcome, exclusions, intake, first_rows)
            if outcome.path and outcome.domain in first_rows:
                paths.append(outcome)
    intake.rows = len(rows)
    return paths


def _place(row: Row, host: Host, exclusions: Exclusions, intake: Intake, first_rows: dict[str, int]) -> None:
    if host.domain in first_rows:
        intake.duplicates.append(Duplicate(row.number, host.value, host.domain, first_rows[host.domain]))
    elif reason := exclusions.why(host.domain):
        intake.excluded.append(Excluded(row.number, host.value, host.domain, reason))
    else:
        first_rows[host.domain] = row.number
        values = list(map(hosts.without_password, row.cells))
        intake.domains.append(Listed(row.number, host.value, host.domain, host.host, values))


def _warnings(intake: Intake, paths: Sequence[Host]) -> list[str]:
    warnings = []
    shared = [
        one.domain for one in intake.domains if one.domain in entries("shared_hosts") or sites.is_suffix(one.domain)
    ]
    if paths:
        # the path of a shared host was the whole point of its row: medium.com/@name
        telling = sorted(paths, key=lambda one: one.domain not in shared)
        warnings.append(
            f"{_entries(len(paths))} a path, which was dropped; the whole domain is crawled: "
            f"{examples([f'{one.value} as {one.domain}' for one in telling])}."
        )
    if shared:
        warnings.append(
            f"The subdomains of a shared host belong to other people, so only the host itself is crawled: {examples(shared)}."
        )
    if unknown := _unknown_endings(intake):
        warnings.append(f"No registry of these endings is known; perhaps they are mistyped: {examples(unknown)}.")
    return warnings


def _unknown_endings(intake: Intake) -> list[str]:
    endings = Counter(one.domain.rpartition(".")[2] for one in intake.domains)
    odd = {ending for ending in endings if ending not in RESERVED_ENDINGS and not sites.is_known_ending(ending)}
    return (
        [f"{one.domain} (row {one.row})" for one in intake.domains if one.domain.rpartition(".")[2] in odd]
        if odd
        else []
    )


def _entries(count: int) -> str:
    return "1 entry has" if count == 1 else f"{count:,} entries have"
