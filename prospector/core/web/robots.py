"""robots.txt by RFC 9309: which of its rules are ours, and what they say."""

import json
import re
import zlib
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from protego import Protego

TOKEN = "backlinkprospector"  # noqa: S105  # the name robots.txt calls us by
MOST_BYTES = 500 * 1024
MOST_HOPS = 5
MOST_SITEMAPS = 50
KEPT_SECONDS = 86_400
DELAY = "crawl-delay: "
SKIPPED_ABOVE_SECONDS = 60  # a Crawl-delay longer than this: the site is skipped, and that is said

_NAMES = re.compile(r"[a-z0-9_*-]+")
_SECONDS = re.compile(r"\d{1,9}(?:[.,]\d{1,9})?", re.ASCII)  # "10s" and "1,5" are plain enough to be kept
_RULES = {
    "allow": "allow",
    "crawl-delay": "crawl-delay",
    # misspelt often enough that other crawlers obey them too
    **dict.fromkeys(("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"), "disallow"),
}


class Stance(StrEnum):
    """What stands where robots.txt should be."""

    RULES = "rules"
    NONE = "none"  # 4xx: everything is allowed
    UNREACHABLE = "unreachable"  # 5xx, 429, no answer: nothing is, for now


@dataclass(frozen=True)
class Robots:
    """Of one authority. `rules` holds only the lines that are about us."""

    stance: Stance
    rules: str = ""
    sitemaps: tuple[str, ...] = ()
    delay_seconds: float = 0.0

    def allows(self, url: str) -> bool:
        if self.stance is not Stance.RULES:
            return self.stance is Stance.NONE
        return self._parsed.can_fetch(url, TOKEN)

    @cached_property
    def _parsed(self) -> Protego:
        return Protego.parse(self.rules)

    def encoded(self) -> bytes:
        """Packed, for rules repeat themselves: those of a shop become a tenth."""
        plain = json.dumps([self.stance, self.rules, self.sitemaps, self.delay_seconds])
        return zlib.compress(plain.encode(), 1)


def decoded(raw: bytes) -> Robots:
    stance, rules, sitemaps, delay_seconds, *_ = json.loads(zlib.decompress(raw))  # an older one ends with an address
    return Robots(Stance(stance), rules, tuple(sitemaps), float(delay_seconds))


def of_status(status: int, body: bytes) -> Robots:
    """What an answer that is no redirect means."""
    if 200 <= status < 300:
        return read(body)
    if 400 <= status < 500 and status != 429:
        return Robots(Stance.NONE)
    return Robots(Stance.UNREACHABLE)


def read(body: bytes) -> Robots:
    """Our group if there is one, else the one for all; records that are no rules drop out, so that they split no group."""
    text = body[:MOST_BYTES].decode("utf-8", "replace").removeprefix("\ufeff")
    ours: list[str] = []
    everyone: list[str] = []
    sitemaps: list[str] = []
    named: set[str] = set()
    mentioned = in_rules = False
    for name, value in _records(text):
        if name == "user-agent":
            named = set() if in_rules else named
            in_rules = False
            named.add(_token(value))
            mentioned = mentioned or TOKEN in named
        elif name == "sitemap":
            sitemaps.append(value)
        elif name in _RULES:
            in_rules = True
            line = f"{_RULES[name]}: {value}"
            if TOKEN in named:
                ours.append(line)
            if "*" in named:
                everyone.append(line)
    rules = ours if mentioned else everyone
    text = "\n".join(["user-agent: *", *rules])
    return Robots(Stance.RULES, text, tuple(sitemaps[:MOST_SITEMAPS]), _delay(rules))


def _records(text: str) -> list[tuple[str, str]]:
    records = []
    for line in text.splitlines():
        name, separator, value = line.partition("#")[0].partition(":")
        if separator:
            records.append((name.strip().lower(), value.strip()))
    return records


def _token(value: str) -> str:
    found = _NAMES.match(value.lower())
    return found[0] if found else ""


def _delay(rules: list[str]) -> float:
    """The longest. The other rules are parsed when they are asked: thousands of them take 10 ms and a megabyte."""
    said = (_SECONDS.match(line.removeprefix(DELAY)) for line in rules if line.startswith(DELAY))
    return max((float(found[0].replace(",", ".")) for found in said if found), default=0.0)
