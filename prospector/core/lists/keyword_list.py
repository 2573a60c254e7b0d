"""From the bytes of a keyword list to the keywords of a job, with what the user should know about them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from prospector.core.data import entries
from prospector.core.lists import columns
from prospector.core.lists.examples import examples
from prospector.core.lists.spreadsheet import ONE_COLUMN, read_table
from prospector.core.lists.table import Row, Table, title_rows, titles_note
from prospector.core.reading.folding import fold
from prospector.core.web.hosts import shown
from prospector.core.words.keywords import Keyword, is_letter_or_digit
from prospector.core.words.other_spellings import missed_spellings
from prospector.errors import InputInvalid

MOST_KEYWORDS = 500
LONGEST_KEYWORD = 200  # characters
NAMES = frozenset({
    "keyword", "keywords", "phrase", "phrases", "term", "terms", "search term", "search terms", "query", "queries",
    "top queries", "search query", "search queries", "brand", "brands", "suchbegriff", "suchbegriffe", "mot clé",
    "mots clés", "palabra clave", "palabras clave", "parola chiave", "parole chiave",
})  # fmt: skip
CASE_NAMES = frozenset({"case", "case sensitive", "casesensitive"})
LABEL_NAMES = frozenset({"label", "labels", "group", "tag", "category"})
SENSITIVE = frozenset({"sensitive", "yes", "true", "1", "x"})
INSENSITIVE = frozenset({"insensitive", "no", "false", "0", ""})

OPTIONS = re.compile(r"\s*[,;|\t]\s*(case|label)\s*=\s*([^,;|\t]*?)\s*$", re.IGNORECASE)
SEVERAL = 3
WITH_NUMBER = re.compile(r"[,;]\s*[\d.,%]+$")
EXACT = re.compile(r"\[([^\[\]]+)\]")
BROAD = re.compile(r"\+[^\W\d][^+]*(?: \+[^\W\d][^+]*)+")


class KeywordReason(StrEnum):
    NO_LETTER = "no letter or digit"
    TOO_LONG = "too long"
    BAD_OPTION = "unknown option"

    @property
    def words(self) -> str:
        return _WORDS[self]


_WORDS = {
    KeywordReason.NO_LETTER: "has no letter and no digit",
    KeywordReason.TOO_LONG: f"is longer than {LONGEST_KEYWORD} characters",
    KeywordReason.BAD_OPTION: "has an option that is not known: case=sensitive and label=... are",
}


@dataclass(frozen=True, slots=True)
class RejectedKeyword:
    row: int
    value: str
    reason: KeywordReason

    def __str__(self) -> str:
        return f'Row {self.row}: "{self.value}" {self.reason.words}.'


@dataclass(frozen=True, slots=True)
class MergedKeyword:
    row: int
    value: str
    kept: Keyword


@dataclass
class KeywordList:
    keywords: list[Keyword] = field(default_factory=list)
    merged: list[MergedKeyword] = field(default_factory=list)
    rejected: list[RejectedKeyword] = field(default_factory=list)
    missed_spellings: dict[str, list[str]] = field(default_factory=dict)  # by keyword
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Entry:
    row: int
    text: str
    case: str = ""
    label: str = ""


def read_keywords(data: bytes, name: str) -> KeywordList:
    """One keyword a line, or a table with a column of them. Raises InputInvalid where none is usable or too many are."""
    listed = KeywordList()
    kept: dict[tuple[str, bool], Keyword] = {}
    for entry in _entries(data, name, listed):
        outcome = _keyword(entry)
        if isinstance(outcome, RejectedKeyword):
            listed.rejected.append(outcome)
        elif outcome.key in kept:
            listed.merged.append(MergedKeyword(entry.row, outcome.text, kept[outcome.key]))
        else:
            kept[outcome.key] = outcome
    listed.keywords = list(kept.values())
    _refuse_count(listed, name)
    listed.missed_spellings = missed_spellings(listed.keywords)
    listed.warnings += _advice(listed)
    return listed


def _refuse_count(listed: KeywordList, name: str) -> None:
    count = len(listed.keywords)
    if count > MOST_KEYWORDS:
        raise InputInvalid(
            f"The keyword list has {count:,} keywords, the limit is {MOST_KEYWORDS}.",
            f"Remove {count - MOST_KEYWORDS:,} or split the job.",
        )
    if not count:
        why = f" {listed.rejected[0]}" if listed.rejected else ""
        raise InputInvalid(f"{name} has no keyword that can be used.{why}", "Write one keyword a line.")


def _entries(data: bytes, name: str, listed: KeywordList) -> list[_Entry]:
    table = read_table(data, name)
    rows = [row for row in table.rows if row.filled]
    titles = title_rows(rows, lambda row: _named_column(row) is not None)
    at = _named_column(rows[titles]) if rows else None
    if at is not None:
        listed.warnings += [*table.notes, *titles_note(rows, titles, name)]
        return _of_column(rows[titles:], at)
    if (at := _column_beside_numbers(rows)) is not None:
        header = rows[0].cells[at].strip()
        listed.warnings += [*table.notes, f'No column of {name} is named "keyword"; "{header}" was used.']
        return _of_column(rows, at)
    # without a header a comma belongs to the keyword ("Smith, Jones"), so the lines are read anew as they are
    return _of_lines(read_table(data, name, delimiter=ONE_COLUMN), name, listed)


def _named_column(row: Row) -> int | None:
    return next((at for at, cell in enumerate(row.cells) if columns.normal(cell) in NAMES), None)


def _column_beside_numbers(rows: Sequence[Row]) -> int | None:
    """Where the first row has words, and all others numbers below one of them: the first column that has words below."""
    header, *others = rows or [Row(0, [])]
    width = len(header.cells)
    if len(others) < 2 or columns.has_number(header) or any(len(row.cells) != width for row in others):
        return None
    is_number = [all(columns.NUMBER.fullmatch(row.cells[at].strip()) for row in others) for at in range(width)]
    return is_number.index(False) if any(is_number) and not all(is_number) else None


def _of_column(rows: Sequence[Row], at: int) -> list[_Entry]:
    header = [columns.normal(cell) for cell in rows[0].cells]
    return [_of_row(row, header, at) for row in rows[1:] if at < len(row.cells) and row.cells[at].strip()]


def _of_lines(table: Table, name: str, listed: KeywordList) -> list[_Entry]:
    listed.warnings += table.notes
    listed.rejected += [
        RejectedKeyword(row.number, shown(row.cells[0]), KeywordReason.TOO_LONG) for row in table.too_long
    ]
    lines = [_of_line(row) for row in table.rows if row.filled]
    if len(lines) >= SEVERAL and all(WITH_NUMBER.search(one.text) for one in lines):
        listed.warnings.append(
            f'Every keyword of {name} ends with a number, as "{lines[0].text}" does. If that is a column of its own, '
            'write a header with "Keyword" above.'
        )
    return lines


def _of_row(row: Row, header: Sequence[str], at: int) -> _Entry:
    others = {key: cell.strip() for key, cell in zip(header, row.cells, strict=False)}
    case = next((value for key, value in others.items() if key in CASE_NAMES), "")
    label = next((value for key, value in others.items() if key in LABEL_NAMES), "")
    return _Entry(row.number, row.cells[at], case, label)


def _of_line(row: Row) -> _Entry:
    cells = [cell for cell in row.cells if cell.strip()]
    text = cells[0] if len(cells) == 1 else "\t".join(cells)  # the further cells of a workbook are options
    options: dict[str, str] = {}
    while found := OPTIONS.search(text):
        options.setdefault(found[1].lower(), found[2].strip())
        text = text[: found.start()]
    return _Entry(
        row.number, text.partition("\t")[0].strip().strip('"'), options.get("case", ""), options.get("label", "")
    )


def _as_searched(text: str) -> str:
    """Without what Google Ads writes around an exact match and before each word of a broad one."""
    text = text.strip()
    if exact := EXACT.fullmatch(text):
        return exact[1]
    return text.replace("+", "") if BROAD.fullmatch(text) else text


def _keyword(entry: _Entry) -> Keyword | RejectedKeyword:
    case = entry.case.lower().removeprefix("case=")
    if case not in SENSITIVE | INSENSITIVE:
        return RejectedKeyword(entry.row, shown(f"{entry.text}, case={entry.case}"), KeywordReason.BAD_OPTION)
    if len(entry.text) > LONGEST_KEYWORD:
        return RejectedKeyword(entry.row, shown(entry.text), KeywordReason.TOO_LONG)
    if not any(map(is_letter_or_digit, entry.text)):
        return RejectedKeyword(entry.row, shown(entry.text), KeywordReason.NO_LETTER)
    return Keyword(_as_searched(entry.text), case in SENSITIVE, entry.label.removeprefix("label="))


def _advice(listed: KeywordList) -> list[str]:
    """What will disappoint: words met everywhere, and spellings that the list does not have."""
    common = [one.text for one in listed.keywords if fold(one.text).text in entries("common_words")]
    short = [one.text for one in listed.keywords if one.is_short and one.text not in common]
    missed = [f'"{keyword}" ({", ".join(ways)})' for keyword, ways in listed.missed_spellings.items()]
    warnings = []
    if common:
        which = examples([f'"{one}"' for one in common])
        are, them = ("are very common words", "them") if len(common) > 1 else ("is a very common word", "it")
        warnings.append(f"{which} {are}: nearly every page has {them}.")
    if short:
        which = examples([f'"{one}"' for one in short])
        are, they = ("are", "they") if len(short) > 1 else ("is", "it")
        warnings.append(f"{which} {are} very short: {they} will be met in many senses. case=sensitive helps.")
    if missed:
        warnings.append(f"Other spellings are other keywords: {examples(missed)}. Add what you want found.")
    return warnings
