"""From the bytes of a keyword list to the keywords of a job, with what the user should know about them."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from prospector.core import columns
from prospector.core.data import entries
from prospector.core.folding import fold
from prospector.core.hosts import shown
from prospector.core.keywords import Keyword, is_letter_or_digit
from prospector.core.spreadsheet import ONE_COLUMN, read_table
from prospector.core.table import Row
from prospector.errors import InputInvalid

MOST_KEYWORDS = 500
LONGEST_KEYWORD = 200  # characters
NAMES = frozenset(
    {"keyword", "keywords", "phrase", "phrases", "term", "terms", "search term", "search terms", "query", "brand"}
)
CASE_NAMES = frozenset({"case", "case sensitive", "casesensitive"})
LABEL_NAMES = frozenset({"label", "labels", "group", "tag", "category"})
SENSITIVE = frozenset({"sensitive", "yes", "true", "1", "x"})
INSENSITIVE = frozenset({"insensitive", "no", "false", "0", ""})

OPTIONS = re.compile(r"\s*[,;|\t]\s*(case|label)\s*=\s*([^,;|\t]*?)\s*$", re.IGNORECASE)
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa", "æ": "ae", "œ": "oe"})
# written both ways by everyone; with a hyphen in the keyword the joined way is found by rule
JOINED = {
    "ecommerce": "e-commerce", "email": "e-mail", "ebook": "e-book", "elearning": "e-learning", "startup": "start-up",
    "cybersecurity": "cyber security", "healthcare": "health care", "signup": "sign-up", "login": "log-in",
    "chatbot": "chat bot", "opensource": "open source", "website": "web site", "backlink": "back link",
    "fintech": "fin-tech", "wifi": "wi-fi", "followup": "follow-up", "nonprofit": "non-profit",
}  # fmt: skip


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
    listed.warnings += advice(listed)
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
    rows = [row for row in table.rows if any(cell.strip() for cell in row.cells)]
    header = [columns.normal(cell) for cell in rows[0].cells] if rows else []
    at = next((place for place, key in enumerate(header) if key in NAMES), None)
    if at is not None:
        listed.warnings += table.notes
        return [_of_row(row, header, at) for row in rows[1:] if at < len(row.cells) and row.cells[at].strip()]
    # without a header a comma belongs to the keyword ("Smith, Jones"), so the lines are read anew as they are
    table = read_table(data, name, delimiter=ONE_COLUMN)
    listed.warnings += table.notes
    listed.rejected += [
        RejectedKeyword(row.number, shown(row.cells[0]), KeywordReason.TOO_LONG) for row in table.too_long
    ]
    return [_of_line(row) for row in table.rows if any(cell.strip() for cell in row.cells)]


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


def _keyword(entry: _Entry) -> Keyword | RejectedKeyword:
    case = entry.case.lower().removeprefix("case=")
    if case not in SENSITIVE | INSENSITIVE:
        return RejectedKeyword(entry.row, shown(f"{entry.text}, case={entry.case}"), KeywordReason.BAD_OPTION)
    if len(entry.text) > LONGEST_KEYWORD:
        return RejectedKeyword(entry.row, shown(entry.text), KeywordReason.TOO_LONG)
    if not any(map(is_letter_or_digit, entry.text)):
        return RejectedKeyword(entry.row, shown(entry.text), KeywordReason.NO_LETTER)
    return Keyword(entry.text, case in SENSITIVE, entry.label.removeprefix("label="))


def advice(listed: KeywordList) -> list[str]:
    """What will disappoint: words met everywhere, and spellings that the list does not have."""
    common = entries("common_words")
    have = {fold(one.text).text for one in listed.keywords}
    warnings = []
    for one in listed.keywords:
        if fold(one.text).text in common:
            warnings.append(f'"{one.text}" is a very common word: nearly every page has it.')
        elif one.is_short:
            warnings.append(f'"{one.text}" is very short: it will be met in many senses. case=sensitive helps.')
        if missed := [spelling for spelling in other_spellings(one) if spelling not in have]:
            shown = " or ".join(f'"{spelling}"' for spelling in missed)
            warnings.append(f'"{one.text}" is not found where it is written {shown}. Add what you want found.')
    return warnings


def other_spellings(keyword: Keyword) -> list[str]:
    """Folded ways to write it that people use as much, and that are other words to a matcher."""
    folded = fold(keyword.text).text
    ways = [JOINED[folded]] if folded in JOINED else []
    if re.search(r"\w-\w", folded):
        ways += [re.sub(r"(?<=\w)-(?=\w)", glue, folded) for glue in ("", " ")]
    ways += [way for way in (folded.translate(UMLAUTS), _without_accents(folded)) if way != folded]
    if " & " in folded:
        ways.append(folded.replace(" & ", " and "))
    return list(dict.fromkeys(ways))


def _without_accents(text: str) -> str:
    letters = (one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one))
    return unicodedata.normalize("NFC", "".join(letters))
