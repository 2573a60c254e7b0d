"""What is equal for a reader is made equal for the matcher, text and keyword alike, with a way back to the original.

The rules and their order are those of docs/matching.md. White space is not touched by `fold`: a page's text and a keyword
come collapsed, and in a page's text a line feed is a hard break.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

INVISIBLE = "\xad\u034f\u061c\u200c-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufe00-\ufe0f\ufeff"  # a character class
APOSTROPHES = "\u2018\u2019\u201b\u02bc\u2032\uff07`\xb4"
QUOTES = "\u201c\u201d\u201e\u201f\u2033\uff02"
HYPHENS = "\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d"
TYPED = {
    **dict.fromkeys(APOSTROPHES, "'"),
    **dict.fromkeys(QUOTES, '"'),
    **dict.fromkeys(HYPHENS, "-"),
}
COMPATIBLE = re.compile("[\ufb00-\ufb06\uff00-\uffef]+")
DELETED = re.compile(f"[{INVISIBLE}][{INVISIBLE} ]*")
LENGTH_CHANGES = re.compile(f"[{INVISIBLE}\ufb00-\ufb06\uff00-\uffef]")
# every character that case folding makes longer is in these ranges (Unicode promises that there will be no more)
LENGTHENED = re.compile("[\xdf\u0149\u01f0\u0390\u03b0\u0587\u1e96-\u1e9e\u1f50-\u1fff\ufb00-\ufb06\ufb13-\ufb17]")
MARKS_AT_MOST = (
    30  # in a row; canonical ordering is quadratic in their number, Unicode's stream-safe format has this limit
)

LAST_OF_PLANE_0 = "\uffff"

# str.split takes these for white space too; here they are not
NOT_SPACE = "\x1c\x1d\x1e\x1f\x85\u2028\u2029"
SPACE = re.compile("[\t-\r \xa0\u1680\u2000-\u200a\u202f\u205f\u3000]+")


Edit = tuple[int, int, str]  # from, to, and what stands there now


@dataclass(frozen=True, slots=True)
class Shifts:
    """Where one step changed the length: the edits' ends, in the new text and in the old."""

    new_starts: list[int]
    new_ends: list[int]
    old_starts: list[int]
    old_ends: list[int]

    def start(self, at: int) -> int:
        edit = bisect_right(self.new_starts, at) - 1
        if edit < 0:
            return at
        if at < self.new_ends[edit]:
            return self.old_starts[edit]
        return self.old_ends[edit] + at - self.new_ends[edit]

    def end(self, at: int) -> int:
        edit = bisect_right(self.new_ends, at - 1) if at else 0
        if edit == len(self.new_ends) or at <= self.new_starts[edit]:
            before = edit - 1
            return at if before < 0 else self.old_ends[before] + at - self.new_ends[before]
        return self.old_ends[edit]


@dataclass(frozen=True, slots=True)
class Folded:
    """Folded text and the way back: `start` and `end` turn its positions into those of the original."""

    text: str
    steps: tuple[Shifts, ...] = ()

    def places(self, starts: list[int], length: int) -> list[tuple[int, int]]:
        """In the original, from where to where each of these stretches of `length` characters goes."""
        if not self.steps:
            return [(start, start + length) for start in starts]
        return [(self.start(start), self.end(start + length)) for start in starts]

    def start(self, at: int) -> int:
        for step in reversed(self.steps):
            at = step.start(at)
        return at

    def end(self, at: int) -> int:
        for step in reversed(self.steps):
            at = step.end(at)
        return at


def collapse(text: str) -> str:
    """Every run of white space is one space; none at the ends."""
    if any(one in text for one in NOT_SPACE):
        return SPACE.sub(" ", text).strip(" ")
    return " ".join(text.split())


def fold(text: str) -> Folded:
    text = _typed(text)
    if text.isascii():
        return Folded(text.lower())
    text, steps = _unified(text)
    return _composed(*_case_folded(text.replace("\u0130", "i"), steps))


def unify(text: str) -> Folded:
    """As `fold`, with the case kept: for case-sensitive keywords."""
    text = _typed(text)
    return Folded(text) if text.isascii() else _composed(*_unified(text))


def _typed(text: str) -> str:
    """As on a keyboard. Twenty replacements are faster than one pass of a regular expression."""
    if text.isascii():
        return text.replace("`", "'")
    for written, plain in TYPED.items():
        text = text.replace(written, plain)
    return text


def _unified(text: str) -> tuple[str, tuple[Shifts, ...]]:
    if not LENGTH_CHANGES.search(text):
        return text, ()
    text, steps = _rewrite(text, _edits(DELETED, text, _without), ())
    return _rewrite(text, _edits(COMPATIBLE, text, lambda run: unicodedata.normalize("NFKC", run[0])), steps)


def _without(deleted: re.Match[str]) -> str:
    """A deleted character between two spaces leaves one."""
    spaced = deleted.start() and deleted.string[deleted.start() - 1] == " "
    return " " if " " in deleted[0] and not spaced else ""


def _case_folded(text: str, steps: tuple[Shifts, ...]) -> tuple[str, tuple[Shifts, ...]]:
    folded = text.casefold()
    if len(folded) != len(text):
        text, steps = _rewrite(text, _edits(LENGTHENED, text, lambda one: one[0].casefold()), steps)
        folded = text.casefold()
    return folded, steps


def _composed(text: str, steps: tuple[Shifts, ...]) -> Folded:
    if unicodedata.is_normalized("NFC", text):
        return Folded(text, steps)
    return Folded(*_rewrite(text, _compositions(text), steps))


def _edits(pattern: re.Pattern[str], text: str, replace: Callable[[re.Match[str]], str]) -> Iterator[Edit]:
    for found in pattern.finditer(text):
        yield found.start(), found.end(), replace(found)


def _compositions(text: str) -> Iterator[Edit]:
    done = 0
    for found in _unstable(astral=max(text) > LAST_OF_PLANE_0).finditer(text):
        start = max(done, found.start() - 1)
        done = found.end()
        run = text[start:done]
        if not unicodedata.is_normalized("NFC", run):
            yield start, done, unicodedata.normalize("NFC", run)


def _rewrite(text: str, edits: Iterable[Edit], steps: tuple[Shifts, ...]) -> tuple[str, tuple[Shifts, ...]]:
    shifts = Shifts([], [], [], [])
    pieces: list[str] = []
    done = length = 0
    for start, end, new in edits:
        pieces += text[done:start], new
        length += start - done
        if len(new) != end - start:
            shifts.new_starts.append(length)
            shifts.new_ends.append(length + len(new))
            shifts.old_starts.append(start)
            shifts.old_ends.append(end)
        length += len(new)
        done = end
    pieces.append(text[done:])
    return "".join(pieces), (*steps, shifts) if shifts.new_starts else steps


@cache
def _unstable(*, astral: bool) -> re.Pattern[str]:
    """What NFC may change together with the character before: it composes, decomposes or changes places.

    A character class is a table as long as nothing in it is outside plane 0, and a list to search where something is.
    """
    unstable = {*map(chr, range(0x1161, 0x1176)), *map(chr, range(0x11A8, 0x11C3))}  # Hangul, composed by arithmetic
    for code in (*range(0xA0, 0x3400), *range(0xA000, 0xAC00), *range(0xF900, 0x20000), *range(0x2F800, 0x2FA20)):
        one = chr(code)
        if unicodedata.combining(one) or not unicodedata.is_normalized("NFC", one):
            unstable.add(one)
        parts = unicodedata.decomposition(one).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            unstable.add(chr(int(parts[1], 16)))
    near = "".join(one for one in sorted(unstable) if one <= LAST_OF_PLANE_0)
    far = "".join(one for one in sorted(unstable) if one > LAST_OF_PLANE_0)
    either = f"(?:[{near}]|[{far}])" if astral else f"[{near}]"
    return re.compile(f"{either}{{1,{MARKS_AT_MOST}}}")
