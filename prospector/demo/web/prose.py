"""Words: filler text that holds no keyword, the spellings that count, and the decoys that do not."""

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from random import Random
from typing import Any

from prospector.demo.web.site import Phrase

PARAGRAPHS = 64
SENTENCES = 5


@dataclass(frozen=True)
class Language:
    code: str
    keyword: str
    charsets: tuple[str, ...]
    gap: str  # what stands between two words: nothing in scripts without spaces
    words: tuple[str, ...]
    phrases: tuple[Phrase, ...]
    decoys: tuple[str, ...]
    paragraphs: tuple[str, ...]


@dataclass(frozen=True)
class Stock:
    """Phrases of every language: inline text, inline markup, whole blocks; and decoys, inline and unseen."""

    keywords: tuple[str, ...]
    phrases: tuple[Phrase, ...]
    marked_up: tuple[Phrase, ...]
    blocks: tuple[Phrase, ...]
    glued: tuple[str, ...]
    unseen: tuple[str, ...]


@cache
def stock() -> Stock:
    raw = _packaged("phrases.json")
    return Stock(
        keywords=tuple(raw["keywords"]),
        phrases=_phrases(raw["phrases"]),
        marked_up=_phrases(raw["marked_up"]),
        blocks=_phrases(raw["blocks"]),
        glued=tuple(raw["glued"]),
        unseen=tuple(raw["unseen"]),
    )


@cache
def languages() -> dict[str, Language]:
    return {code: _language(code, raw) for code, raw in _packaged("languages.json").items()}


def keywords() -> tuple[str, ...]:
    return stock().keywords + tuple(language.keyword for language in languages().values())


def sentence(language: Language, rng: Random, length: int = 8) -> str:
    return language.gap.join(rng.choice(language.words) for _ in range(length))


def _language(code: str, raw: dict[str, Any]) -> Language:
    words = tuple(raw["words"].split())
    rng = Random(code)  # noqa: S311  # text, not a secret
    paragraphs = tuple(
        ". ".join(raw["gap"].join(rng.choices(words, k=rng.randint(8, 16))) for _ in range(SENTENCES)) + "."
        for _ in range(PARAGRAPHS)
    )
    return Language(
        code=code,
        keyword=raw["keyword"],
        charsets=tuple(raw["charsets"]),
        gap=raw["gap"],
        words=words,
        phrases=tuple(Phrase(html, {raw["keyword"]: 1}) for html in raw["phrases"]),
        decoys=tuple(raw["decoys"]),
        paragraphs=paragraphs,
    )


def _phrases(raw: list[dict[str, Any]]) -> tuple[Phrase, ...]:
    return tuple(Phrase(one["html"], one["counts"]) for one in raw)


def _packaged(name: str) -> Any:
    return json.loads(resources.files("prospector.demo.web").joinpath(name).read_text(encoding="utf-8"))
