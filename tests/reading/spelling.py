"""The normalisation of docs/matching.md, written from its text, one step after the other, with no thought of speed."""

import unicodedata

DELETED = {0xAD, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x200E, 0x200F, 0x61C, 0x34F}
DELETED |= {*range(0x202A, 0x202F), *range(0x2066, 0x206A), *range(0xFE00, 0xFE10)}
APOSTROPHES = {0x2018, 0x2019, 0x201B, 0x2BC, 0x2032, 0xFF07, ord("`"), 0xB4}
DOUBLE_QUOTES = {0x201C, 0x201D, 0x201E, 0x201F, 0x2033, 0xFF02}
HYPHENS = {0x2010, 0x2011, 0x2012, 0x2013, 0x2212, 0xFE63, 0xFF0D}
ASCII_SPACES = {9, 10, 11, 12, 13, 32}


def is_space(one: str) -> bool:
    return ord(one) in ASCII_SPACES or unicodedata.category(one) == "Zs"


def collapsed(text: str) -> str:
    out: list[str] = []
    for one in text:
        if not is_space(one):
            out.append(one)
        elif not out or out[-1] != " ":
            out.append(" ")
    return "".join(out)


def typed(one: str) -> str:
    if ord(one) in APOSTROPHES:
        return "'"
    if ord(one) in DOUBLE_QUOTES:
        return '"'
    return "-" if ord(one) in HYPHENS else one


def compatible(text: str) -> str:
    out = run = ""
    for one in text:
        if 0xFB00 <= ord(one) <= 0xFB06 or 0xFF00 <= ord(one) <= 0xFFEF:
            run += one
        else:
            out += unicodedata.normalize("NFKC", run) + one
            run = ""
    return out + unicodedata.normalize("NFKC", run)


def normalised(text: str, *, keep_case: bool = False) -> str:
    text = "".join(one for one in text if ord(one) not in DELETED)
    text = collapsed("".join(map(typed, text)))
    if not keep_case:
        text = text.replace("\u0130", "i")
    text = compatible(text)
    if not keep_case:
        text = text.casefold()
    return unicodedata.normalize("NFC", text)
