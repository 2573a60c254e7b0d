"""Other spellings of a keyword that people use as much, and that are other words to a matcher.

Each is to be one that somebody writes: a wrong one costs the trust in all of them.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from prospector.core.reading.folding import fold
from prospector.core.words.keywords import Keyword

# written both ways by everyone; with a hyphen in the keyword the joined way is found by rule
JOINED = {
    "ecommerce": "e-commerce", "email": "e-mail", "ebook": "e-book", "elearning": "e-learning", "startup": "start-up",
    "cybersecurity": "cyber security", "healthcare": "health care", "signup": "sign-up", "login": "log-in",
    "chatbot": "chat bot", "opensource": "open source", "backlink": "back link", "wifi": "wi-fi",
    "followup": "follow-up", "nonprofit": "non-profit",
}  # fmt: skip
JOINED_WORD = re.compile(rf"\b(?:{'|'.join(JOINED)})\b")
HYPHEN = re.compile(r"(?<=\w)(?:(?<!\d)-|-(?!\d))(?=\w)")  # none between figures: 2023-24
NEVER_JOINED = re.compile(r"\w-\w+-\w|\b\d\w*-")  # state-of-the-art, 5-star
AND = re.compile(r"(?<=[a-z]{2}) & (?=[a-z]{2})")
LETTERS = re.compile(r"\b([a-z]) & ([a-z])\b")
INITIALS = re.compile(r"\b([a-z])&([a-z])\b")  # R&D

GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
DANISH = str.maketrans({"æ": "ae", "ø": "oe", "å": "aa"})
IS_DANISH = re.compile("[æø]")
NOT_GERMAN = re.compile("[ışğőűõåñáíóúìòùãčšžřěąęłńśźż]|ää|öö")  # there ä, ö and ü are letters of their own
UNDECOMPOSED = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "œ": "oe", "æ": "ae"})
# where an accent may be left out, in capitals or in haste; elsewhere a mark makes another letter: ガ, й, ी
ACCENTED = frozenset({"LATIN", "GREEK", "ARABIC", "HEBREW"})
YO = ["е", "\u0308"]  # whose dots Russian seldom writes
TURKISH_WORD = re.compile(r"\w*[ışğİŞĞ]\w*")


def missed_spellings(keywords: Sequence[Keyword]) -> dict[str, list[str]]:
    """By keyword, those that the list does not have either. What language a ü is of, the whole list says."""
    have = {fold(one.text).text for one in keywords}
    digraphs = _digraphs(" ".join(have))
    missed = {}
    for keyword in keywords:
        ways: dict[str, str] = {}
        for way in _ways(keyword.text, digraphs):
            ways.setdefault(fold(way).text, way)
        if new := [way for folded, way in ways.items() if folded not in have]:
            missed[keyword.text] = new
    return missed


def _digraphs(folded: str) -> Mapping[int, str]:
    if IS_DANISH.search(folded):
        return DANISH
    return {} if NOT_GERMAN.search(folded) else GERMAN


def _ways(text: str, digraphs: Mapping[int, str]) -> Iterator[str]:
    folded = fold(text).text
    yield JOINED_WORD.sub(lambda word: JOINED[word[0]], folded)
    if not NEVER_JOINED.search(folded):
        yield HYPHEN.sub("", folded)
    yield HYPHEN.sub(" ", folded)
    yield folded.translate(digraphs)
    yield _without_accents(folded)
    if folded.isascii():  # elsewhere an "&" is read as another word
        yield AND.sub(" and ", folded)
    yield LETTERS.sub(r"\1&\2", folded)
    yield INITIALS.sub(r"\1 & \2", folded)
    for cased in (_capitalised, _upper, _lower):
        yield TURKISH_WORD.sub(cased, text)


def _without_accents(folded: str) -> str:
    kept: list[str] = []
    script = ""
    for one in unicodedata.normalize("NFD", folded.translate(UNDECOMPOSED)):
        if not unicodedata.combining(one):
            script = unicodedata.name(one, "").partition(" ")[0]
        elif script in ACCENTED or [*kept[-1:], one] == YO:
            continue
        kept.append(one)
    return unicodedata.normalize("NFC", "".join(kept))


# folding knows one i: to it the I of IŞIK is another letter than its ı
def _lower(word: re.Match[str]) -> str:
    return word[0].replace("I", "ı").replace("İ", "i").lower()


def _upper(word: re.Match[str]) -> str:
    return _lower(word).replace("i", "İ").replace("ı", "I").upper()


def _capitalised(word: re.Match[str]) -> str:
    return _upper(word)[0] + _lower(word)[1:]
