"""Languages as users name them (en, German) and as pages say theirs (en-US, de_AT): one code for each."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache

from prospector.core.data import entries
from prospector.errors import InputInvalid

TAG = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9_-]*)?")
# what is the same to a reader: both written forms of Norwegian, old codes, codes of three letters beside those of two
SAME = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "ji": "yi", "tl": "fil", "eng": "en", "deu": "de", "fra": "fr"}
# ends of domains that are taken for languages
COUNTRIES = {
    "at": "de", "br": "pt", "cn": "zh", "cz": "cs", "dk": "da", "gb": "en", "gr": "el", "jp": "ja", "kr": "ko",
    "mx": "es", "ua": "uk", "us": "en",
}  # fmt: skip


@cache
def names() -> dict[str, str]:
    """Code -> English name."""
    return {parts[0]: parts[1] for parts in map(str.split, entries("languages"))}


def code(tag: str) -> str:
    """Of what a page says of itself; empty where that names no language."""
    found = TAG.fullmatch(tag.strip().lower())
    if found is None:
        return ""
    plain = SAME.get(found[1], found[1])
    return plain if plain in names() else ""


def wanted(listed: Iterable[str]) -> tuple[str, ...]:
    """Of what a user lists, with commas or one by one; raises InputInvalid for what is no language."""
    given = [one.strip() for several in listed for one in several.split(",") if one.strip()]
    return tuple(dict.fromkeys(_one(one) for one in given))


def _one(given: str) -> str:
    by_name = {name.lower(): known for known, name in names().items()}
    found = by_name.get(given.lower()) or code(given)
    if not found:
        raise InputInvalid(f"{given!r} is not a language.", _hint(given.lower(), by_name))
    return SAME.get(found, found)


def _hint(given: str, by_name: dict[str, str]) -> str:
    near = get_close_matches(given, by_name, n=1)
    meant = COUNTRIES.get(given) or (by_name[near[0]] if near else "")
    if meant:
        return f"Did you mean {meant} ({names()[meant]})?"
    return "Give codes as web pages have them, with commas between: --language en,de"
