"""Which column of a table has the domains, and whether its first row is a header."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from prospector.core.lists.examples import examples
from prospector.core.lists.table import NoList, Row, title_rows
from prospector.core.web import hosts
from prospector.errors import InputInvalid

# as tools and people head them; the earlier wins where a file has several
NAMES = (
    "domain", "domains", "domain name", "root domain", "root domains", "referring domain", "referring domains",
    "source domain", "linking domain", "website", "websites", "site", "sites", "url", "urls", "link", "links", "address",
    "source url", "sourceurl", "source page", "source", "referring page url", "linking from", "linking page",
    "linking site", "top linking sites", "host", "hosts", "hostname", "hostnames", "homepage", "web site", "web",
    "website url", "site url", "domain url", "web address", "item", "webseite", "domäne", "domaine", "dominio",
    "site web", "sitio web", "sito web", "sito",
    "target",  # the last: in a list of links it is the client's own page
)  # fmt: skip
PRIORITY = {name: place for place, name in enumerate(NAMES)}
REASONS_OF_WORDS = (hosts.Reason.NO_DOT, hosts.Reason.EMPTY)
NUMBER = re.compile(r"[\W\d_]*\d[\W\d_]*")
SAMPLE_ROWS = 300
ENOUGH = 0.2  # share of a column's cells that must be domains, where no name says which column it is
NAMES_SHOWN = 12


@dataclass(frozen=True)
class Choice:
    index: int
    names: tuple[str, ...]  # of all columns
    has_header: bool
    note: str = ""

    @property
    def name(self) -> str:
        return self.names[self.index]


def choose(rows: Sequence[Row], file: str, wanted: str | None = None) -> Choice:
    """`rows` without the empty ones; `wanted` is a header name, a letter as in a spreadsheet, or a number from 1."""
    sample = _sample(rows)
    width = max(len(row.cells) for row in rows)
    header = rows[0].cells
    if wanted is not None:
        return _wanted(wanted, sample, width, file)
    if fitting := _fitting(sample, width):
        return Choice(fitting[0], _names(header, width), has_header=True, note=_of_several(header, fitting))
    named = named_column(sample)
    if named is not None and (width == 1 or len(rows) == 1):
        return Choice(named, _names(header, width), has_header=True)
    return Choice(0, _names([], 1), has_header=False) if width == 1 else _fullest(sample, width, file)


def _sample(rows: Sequence[Row]) -> Sequence[Row]:
    """The first row, and others from all over the list: lists are sorted, and one site may have the first thousand rows."""
    return [rows[0], *rows[1 :: len(rows) // SAMPLE_ROWS + 1]]


def named_column(rows: Sequence[Row]) -> int | None:
    """That of the most telling name in the first row, and with domains, if any has some."""
    fitting = _fitting(_sample(rows), len(rows[0].cells))
    return next(iter(fitting or _named(rows[0])), None)


def _named(header: Row) -> list[int]:
    named = sorted((PRIORITY[key], at) for at, cell in enumerate(header.cells) if (key := normal(cell)) in PRIORITY)
    return [at for _, at in named]


def _fitting(sample: Sequence[Row], width: int) -> list[int]:
    """The named ones with domains, but one that has less than half as many as another; none, where all that they have is one
    domain, and a column of no known name has several: it is a list of links to that one, or from it."""
    different = [len(_domains(sample[1:], at)) for at in range(width)]
    named = [at for at in _named(sample[0]) if different[at]]
    most = max((different[at] for at in named), default=0)
    if most == 1 and max(different) > 2:
        return []
    return [at for at in named if 2 * different[at] >= most]


def titles(rows: Sequence[Row], wanted: str | None = None) -> int:
    """How many rows stand above the header."""
    names = {*PRIORITY, normal(wanted or NAMES[0])}

    def is_named(row: Row) -> bool:
        return any(normal(cell) in names for cell in row.cells) and not _has_host(row)

    if is_named(rows[0]):
        return 0
    if above := title_rows(rows, is_named):
        return above
    above = title_rows(rows, _is_of_words)
    # a domain alone is no title
    return 0 if any(hosts.PLAIN.fullmatch(cell.strip()) for row in rows[:above] for cell in row.cells) else above


def normal(name: str) -> str:
    return re.sub(r"[\s_-]+", " ", name.strip(" \t\r\n\ufeff\u200b\u00a0:*#\"'")).casefold().replace("(s)", "s")


def _wanted(wanted: str, sample: Sequence[Row], width: int, file: str) -> Choice:
    header = sample[0].cells
    at = place(wanted, header)
    if at is not None and normal(wanted) == normal(header[at]):
        return Choice(at, _names(header, width), has_header=True)
    at = place(wanted, [""] * width)
    if at is None:
        raise missing("--column", wanted, _names(header, width), file)
    has_header = _is_header(sample, at)
    return Choice(at, _names(header if has_header else [], width), has_header)


def place(wanted: str, names: Sequence[str]) -> int | None:
    """Of a column by its name, else by its letter as in a spreadsheet, else by its number from 1."""
    keys = [normal(name) for name in names]
    if normal(wanted) and normal(wanted) in keys:
        return keys.index(normal(wanted))
    at = _place(wanted)
    return at if at is not None and at < len(names) else None


def missing(option: str, wanted: str, names: Sequence[str], file: str) -> InputInvalid:
    by_key = {normal(name): name for name in names}
    near = get_close_matches(normal(wanted), by_key, n=1)
    return NoList(
        f"There is no column {wanted!r} in {file}. Its columns: {listed(names)}.",
        f'Did you mean {option} "{by_key[near[0]]}"?'
        if near
        else f"Give {option} one of these, a letter (B), or a number (2).",
    )


def _place(wanted: str) -> int | None:
    if wanted.isdecimal():
        return int(wanted) - 1 if 0 < len(wanted) < 6 and int(wanted) else None
    if re.fullmatch("[A-Za-z]{1,2}", wanted):
        *tens, ones = (ord(letter) - ord("A") for letter in wanted.upper())
        return (tens[0] + 1) * 26 + ones if tens else ones
    return None


def _fullest(sample: Sequence[Row], width: int, file: str) -> Choice:
    at = max(range(width), key=lambda one: _worth(sample, one))
    has_header = _is_header(sample, at)
    names = _names(sample[0].cells if has_header else [], width)
    if _share_of_hosts(sample, at) < ENOUGH:
        shown = names if has_header else _names(sample[0].cells, width)
        raise NoList(
            f"I could not find a column with domains in {file}. I looked at: {listed(shown)}.",
            f'Add --column "{_suggested(shown)}" or rename one column to "domain".',
        )
    return Choice(
        at, names, has_header, f'No column of {file} is named "domain"; "{names[at]}" has most domains and was used.'
    )


def _worth(sample: Sequence[Row], at: int) -> tuple[bool, int, float]:
    """Different domains, each alone in its cell: a title may name some, and all links of a list may lead to one."""
    alone = [row for row in sample if at < len(row.cells) and " " not in row.cells[at].strip()]
    share = _share_of_hosts(sample, at)
    return share >= ENOUGH, len(_domains(alone, at)), share


def _domains(rows: Sequence[Row], at: int) -> set[str]:
    outcomes = [one for row in rows if at < len(row.cells) for one in hosts.read(row.cells[at])]
    return {one.domain for one in outcomes if isinstance(one, hosts.Host)}


def _share_of_hosts(sample: Sequence[Row], at: int) -> float:
    filled = sum(1 for row in sample if at < len(row.cells) and row.cells[at].strip())
    return sum(_is_host(row, at) for row in sample) / filled if filled else 0.0


def _is_host(row: Row, at: int) -> bool:
    outcomes = hosts.read(row.cells[at]) if at < len(row.cells) else []
    return any(isinstance(one, hosts.Host) for one in outcomes)


def _has_host(row: Row) -> bool:
    return any(_is_host(row, at) for at in range(len(row.cells)))


def _is_header(sample: Sequence[Row], at: int) -> bool:
    """Words above a column of domains; "localhost" or "10.0.0.1" above it is a bad row, not a header."""
    cells = sample[0].cells
    if len(sample) < 2 or at >= len(cells) or not any(_is_host(row, at) for row in sample[1:]):
        return False
    return _is_words(cells[at]) and not has_number(sample[0])


def _is_of_words(row: Row) -> bool:
    return row.filled > 1 and all(map(_is_words, row.cells)) and not has_number(row)


def _is_words(cell: str) -> bool:
    return all(isinstance(one, hosts.Refused) and one.reason in REASONS_OF_WORDS for one in hosts.read(cell))


def has_number(row: Row) -> bool:
    return any(NUMBER.fullmatch(cell.strip()) for cell in row.cells)


def _names(header: Sequence[str], width: int) -> tuple[str, ...]:
    """Every column gets a name, none twice: the values of the others come back in the results under it."""
    names: dict[str, None] = {}
    times: Counter[str] = Counter()
    for at in range(width):
        name = hosts.shown(header[at]) if at < len(header) else ""
        unique = name = name or f"Column {letters(at)}"
        while unique in names:
            times[name] += 1
            unique = f"{name} ({times[name] + 1})"
        names[unique] = None
    return tuple(names)


def letters(at: int) -> str:
    return chr(ord("A") + at) if at < 26 else f"{letters(at // 26 - 1)}{letters(at % 26)}"


def _of_several(header: Sequence[str], fitting: Sequence[int]) -> str:
    used, *others = (f'"{header[at].strip()}"' for at in fitting)
    return f"{used} was used, not {', '.join(others)}. --column decides otherwise." if others else ""


def listed(names: Sequence[str]) -> str:
    return examples(names, NAMES_SHOWN)


def _suggested(names: Sequence[str]) -> str:
    return next((name for name in names if re.search("web|site|url|domain|link|host", name, re.IGNORECASE)), "Website")
