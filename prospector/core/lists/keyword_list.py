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
QUOTED = re.compile(r"“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|‘([^‘’]+)’|'([^']+)'")
LEADING_BULLET = re.compile(r"^[-*•–·]\s+(?=\S)")
COMMENT = re.compile(r"\s*#+(?:\s|$)")  # #crm is a keyword
BETWEEN = re.compile(r"\s*[,;|\t]\s*")
SEVERAL_IN_ONE = re.compile(r"[;|\t]|,.*,")  # one comma belongs to the keyword: Smith, Jones
WILDCARD = re.compile(r"\w\*(?!\w)|(?<!\w)\*\w")


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
    rows = [row for row in table.rows if row.filled and not _is_comment(row)]
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


def _is_comment(row: Row) -> bool:
    return COMMENT.match(row.cells[0]) is not None and row.filled == 1


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
    rows = [row for row in table.rows if row.filled and not _is_comment(row)]
    if len(rows) == 1 and (along := _along(rows[0])):
        named = examples([f'"{one.text}"' for one in along])
        listed.warnings.append(
            f"{name} has one line, and was read as {len(along)} keywords: {named}. Write one a line if that is wrong."
        )
        return along
    lines = [_of_line(row) for row in rows]
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


def _along(row: Row) -> list[_Entry]:
    """The keywords of a list that is written along its only line, if it is."""
    text = _text(row)
    if OPTIONS.search(text) or not SEVERAL_IN_ONE.search(text):
        return []
    between = [piece.strip('" ') for piece in BETWEEN.split(text)]
    return [_Entry(row.number, piece) for piece in between if piece]


def _text(row: Row) -> str:
    return "\t".join(cell for cell in row.cells if cell.strip())


def _of_line(row: Row) -> _Entry:
    text = _text(row)  # the further cells of a workbook are options
    options: dict[str, str] = {}
    while found := OPTIONS.search(text):
        options.setdefault(found[1].lower(), found[2].strip())
        text = text[: found.start()]
    return _Entry(
        row.number, text.partition("\t")[0].strip().strip('"'), options.get("case", ""), options.get("label", "")
    )


def _as_searched(text: str) -> str:
    """Without a bullet, quotes, and what Google Ads writes around an exact match and before each word of a broad one."""
    text = LEADING_BULLET.sub("", text.strip())
    if quoted := QUOTED.fullmatch(text):
        return quoted[quoted.lastindex or 0].strip()
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
    texts = [one.text for one in listed.keywords]
    common = [one for one in texts if fold(one).text in entries("common_words")]
    short = [one.text for one in listed.keywords if one.is_short and one.text not in common]
    several = [one for one in texts if SEVERAL_IN_ONE.search(one)]
    wild = [one for one in texts if WILDCARD.search(one)]
    missed = [f'"{keyword}" ({", ".join(ways)})' for keyword, ways in listed.missed_spellings.items()]
    warnings = [
        *_warning(
            common,
            "is a very common word: nearly every page has it.",
            "are very common words: nearly every page has them.",
        ),
        *_warning(
            short,
            "is very short: it will be met in many senses. case=sensitive helps.",
            "are very short: they will be met in many senses. case=sensitive helps.",
        ),
        *_warning(
            several,
            "is one keyword as it stands. Write one a line if several are meant.",
            "are one keyword each as they stand. Write one a line if several are meant.",
        ),
        *_warning(
            wild,
            "is looked for as it stands: an asterisk is no wildcard.",
            "are looked for as they stand: an asterisk is no wildcard.",
        ),
    ]
    if missed:
        warnings.append(f"Other spellings are other keywords: {examples(missed)}. Add what you want found.")
    return warnings


def _warning(keywords: Sequence[str], one: str, several: str) -> list[str]:
    if not keywords:
        return []
    named = examples([f'"{keyword}"' for keyword in keywords])
    return [f"{named} {one if len(keywords) == 1 else several}"]
