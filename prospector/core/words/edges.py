"""Where a word may begin and end: between which characters, in scripts with spaces and in those without."""

import unicodedata
from bisect import bisect_right
from enum import IntFlag


class Kind(IntFlag):
    """What a character is to its neighbour. A mark is a word character that belongs to the one before it."""

    OTHER = 1
    WORD = 2
    SPACELESS = 4
    KATAKANA = 8
    HANGUL = 16
    WORD_MARK = 32
    SPACELESS_MARK = 64


# first code point of a stretch, its last, and its script's kind (Scripts.txt of Unicode; planes beyond 1 are Han)
STRETCHES = (
    (0x0E01, 0x0E5B, Kind.SPACELESS),  # Thai
    (0x0E81, 0x0EDF, Kind.SPACELESS),  # Lao
    (0x1000, 0x109F, Kind.SPACELESS),  # Myanmar
    (0x1100, 0x11FF, Kind.HANGUL),
    (0x1780, 0x17FF, Kind.SPACELESS),  # Khmer
    (0x19E0, 0x19FF, Kind.SPACELESS),
    (0x2E80, 0x2FD5, Kind.SPACELESS),  # Han radicals
    (0x3005, 0x3005, Kind.SPACELESS),
    (0x3007, 0x3007, Kind.SPACELESS),
    (0x3021, 0x3029, Kind.SPACELESS),
    (0x302E, 0x302F, Kind.HANGUL),
    (0x3038, 0x303B, Kind.SPACELESS),
    (0x3041, 0x3096, Kind.SPACELESS),  # Hiragana
    (0x309D, 0x309F, Kind.SPACELESS),
    (0x30A1, 0x30FA, Kind.KATAKANA),
    (0x30FC, 0x30FF, Kind.KATAKANA),  # from the prolonged sound mark on
    (0x3131, 0x318E, Kind.HANGUL),
    (0x31F0, 0x31FF, Kind.KATAKANA),
    (0x3400, 0x4DBF, Kind.SPACELESS),  # Han
    (0x4E00, 0x9FFF, Kind.SPACELESS),
    (0xA960, 0xA97C, Kind.HANGUL),
    (0xA9E0, 0xA9FE, Kind.SPACELESS),
    (0xAA60, 0xAA7F, Kind.SPACELESS),
    (0xAC00, 0xD7FB, Kind.HANGUL),
    (0xF900, 0xFAD9, Kind.SPACELESS),
    (0x116D0, 0x116E3, Kind.SPACELESS),
    (0x16FE2, 0x16FE3, Kind.SPACELESS),
    (0x16FF0, 0x16FF6, Kind.SPACELESS),
    (0x1AFF0, 0x1B000, Kind.KATAKANA),
    (0x1B001, 0x1B11F, Kind.SPACELESS),
    (0x1B120, 0x1B122, Kind.KATAKANA),
    (0x1B132, 0x1B152, Kind.SPACELESS),
    (0x1B155, 0x1B167, Kind.KATAKANA),
    (0x20000, 0x3FFFD, Kind.SPACELESS),
)
STRETCH_STARTS = [start for start, _, _ in STRETCHES]

# sets of kinds are plain numbers: they are looked at wherever a keyword's letters stand in a text
WITHOUT_SPACES = int(Kind.SPACELESS | Kind.SPACELESS_MARK | Kind.KATAKANA)
MARKS = int(Kind.WORD_MARK | Kind.SPACELESS_MARK)
ALL = sum(Kind)
NEVER = 0


class _Kinds(dict[str, int]):
    """The kind of each character that was asked for."""

    def __missing__(self, one: str) -> int:
        self[one] = kind = int(_kind(one))
        return kind


KINDS = _Kinds()


def _kind(one: str) -> Kind:
    category = unicodedata.category(one)
    if category[0] not in "LM" and category not in ("Nd", "Nl") and one != "_":
        return Kind.OTHER
    script = _script(ord(one))
    if category[0] != "M":
        return script
    return Kind.SPACELESS_MARK if script is Kind.SPACELESS else Kind.WORD_MARK


def _script(code: int) -> Kind:
    place = bisect_right(STRETCH_STARTS, code) - 1
    if place >= 0 and code <= STRETCHES[place][1]:
        return STRETCHES[place][2]
    return Kind.WORD


def before(first: str) -> int:
    """What may stand before a keyword that begins with `first`, where there is neither an end nor a soft break."""
    match KINDS[first]:
        case Kind.WORD_MARK | Kind.SPACELESS_MARK:
            return NEVER
        case Kind.SPACELESS:
            return ALL
        case Kind.KATAKANA:
            return ALL & ~Kind.KATAKANA
        case _:
            return WITHOUT_SPACES | Kind.OTHER


def after(last: str) -> int:
    """What may stand after a keyword that ends with `last`, where there is neither an end nor a soft break."""
    match KINDS[last]:
        case Kind.OTHER | Kind.SPACELESS | Kind.SPACELESS_MARK | Kind.HANGUL:
            return ALL & ~MARKS
        case Kind.KATAKANA:
            return ALL & ~MARKS & ~Kind.KATAKANA
        case _:
            return (WITHOUT_SPACES | Kind.OTHER | Kind.HANGUL) & ~MARKS
