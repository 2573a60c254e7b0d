"""A snippet: a mention in its words, in one line, in the original spelling."""

import re
from dataclasses import dataclass

from prospector.core.reading.visible import BREAK
from prospector.core.words.edges import KINDS, MARKS

CHARACTERS_EACH_SIDE = 150
LONGEST_WORD = 40  # a cut goes back to white space, unless it is so far away: in scripts without spaces, in addresses
SEPARATOR = " | "
CUT = "…"
MENTION = "x"  # stands for the mention where white space beside it has to stay
# what has no place in a line: controls, directions, soft hyphens, line and paragraph separators
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]")


@dataclass(frozen=True, slots=True)
class Snippet:
    """`before` and `after` have at most the characters asked for, the ellipsis of a cut included."""

    before: str
    found: str
    after: str

    def __str__(self) -> str:
        return f"{self.before}{self.found}{self.after}"


def cut(text: str, start: int, end: int, characters_each_side: int = CHARACTERS_EACH_SIDE) -> Snippet:
    # a break is longer in the text than in the snippet, or one character for three
    reach = 2 * characters_each_side + LONGEST_WORD
    first, last = max(0, start - reach), end + reach
    before = _in_one_line(text[first:start] + MENTION)[:-1]
    after = _in_one_line(MENTION + text[end:last])[1:]
    return Snippet(
        _end(before, characters_each_side, whole=not first),
        _in_one_line(text[start:end]),
        _beginning(after, characters_each_side, whole=last >= len(text)),
    )


def _in_one_line(text: str) -> str:
    line = text
    if BREAK in text:
        line = SEPARATOR.join(filter(None, [piece.strip(" ") for piece in text.split(BREAK)]))
    return line if line.isprintable() else CONTROLS.sub("", line)


def _end(text: str, characters: int, *, whole: bool) -> str:
    text = text.lstrip(" ")
    if whole and len(text) <= characters:
        return text
    kept = text[-characters + 1 :] if characters > 1 else ""
    space = kept.find(" ", 0, LONGEST_WORD)
    if len(kept) < len(text) and text[-len(kept) - 1 : -len(kept)] == " ":
        space = -1
    kept = kept[space + 1 :]
    while kept and KINDS[kept[0]] & MARKS:
        kept = kept[1:]
    return f"{CUT}{kept.removeprefix('| ')}"


def _beginning(text: str, characters: int, *, whole: bool) -> str:
    text = text.rstrip(" ")
    if whole and len(text) <= characters:
        return text
    kept = text[: max(0, characters - 1)]
    while kept and len(kept) < len(text) and KINDS[text[len(kept)]] & MARKS:
        kept = kept[:-1]
    space = kept.rfind(" ", max(0, len(kept) - LONGEST_WORD))
    if space >= 0 and text[len(kept) : len(kept) + 1] != " ":
        kept = kept[:space]
    return f"{kept.rstrip(' ').removesuffix(' |')}{CUT}"
