"""The operations that keep the frontier and the record in step: filling one that has lost something, and what is only here."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from prospector.core.visits.ticket import Found
from prospector.frontier import codec
from prospector.frontier.calls import Call, Seed

BURIED_A_CALL = 100
SEPARATOR = "\x1f"


@dataclass(frozen=True)
class Lost:
    """What Redis does not have: all of it, or jobs (`unfilled`), or the word that a filled job may go (`unlifted`)."""

    everything: bool
    unfilled: tuple[str, ...]
    unlifted: tuple[str, ...]

    @property
    def anything(self) -> bool:
        return bool(self.everything or self.unfilled or self.unlifted)


@dataclass(frozen=True)
class Counts:
    """What the record counts of a job; `done` without those that failed."""

    done: int
    failed: int
    pages: int
    mentions: int
    dead_letters: int
    pages_failed: int


@dataclass(frozen=True)
class RecalledSite:
    """What is remembered of a site."""

    site: str
    delay_ms: int
    blocked_until: datetime | None
    strikes: int


@dataclass(frozen=True)
class Buried:
    """A dead letter as the frontier made it."""

    job: str
    domain: str
    url: str
    number: int
    generation: int
    reason: str
    attempts: int
    at: datetime

    @property
    def entry(self) -> str:
        return entry(self.job, self.domain, self.url)


def entry(job: str, domain: str, url: str) -> str:
    """One string for a page outside of its domain's queue (entry.lua)."""
    return SEPARATOR.join((job, domain, url))


def look() -> Call[bool]:
    """For whoever looks after the server while no worker may claim. False: there is no frontier on it."""
    return Call("look", (), bool)


def lost(jobs: Sequence[str]) -> Call[Lost]:
    """`jobs`: those that the record has as under way."""

    def read(raw: list[Any]) -> Lost:
        begun, count, *names = raw
        found = tuple(name.decode() for name in names)
        return Lost(not begun, found[:count], found[count:])

    return Call("unfilled", tuple(jobs), read)


def filled(job: str) -> Call[bool]:
    return Call("filled", (job,), bool)


def restore(
    job: str, seed: Seed, open_ms: int, facts: Mapping[str, str | int], seen: Sequence[int], waiting: Sequence[Found]
) -> Call[bool]:
    """An open domain as the record has it: pages seen, and those of them that wait to be fetched."""
    arguments: list[str | int] = [job, seed.encoded(), open_ms, json.dumps(facts), len(seen), *map(str, seen)]
    for page in waiting:
        arguments += [page.url, codec.dumps(page.state) if page.state else ""]
    return Call("restore", tuple(arguments), bool)


def recount(job: str, counts: Counts) -> Call[bool]:
    numbers = (
        counts.done, counts.failed, counts.pages, counts.mentions, counts.dead_letters, counts.pages_failed,
    )  # fmt: skip
    return Call("recount", (job, *numbers), bool)


def recall(sites: Iterable[RecalledSite]) -> Call[int]:
    arguments: list[str | int] = []
    for one in sites:
        blocked_ms = int(one.blocked_until.timestamp() * 1000) if one.blocked_until else 0
        arguments += [one.site, one.delay_ms, blocked_ms, one.strikes]
    return Call("recall", tuple(arguments), int)


def buried(most: int = BURIED_A_CALL) -> Call[list[Buried]]:
    """Dead letters that are not in the record yet; told again and again until `recorded`."""

    def read(raw: list[Any]) -> list[Buried]:
        return [_buried(raw[place], raw[place + 1]) for place in range(0, len(raw), 2)]

    return Call("buried", (most,), read)


def _buried(of: bytes, told: bytes) -> Buried:
    job, domain, url = of.decode().split(SEPARATOR, 2)
    facts = json.loads(told)
    at = datetime.fromtimestamp(facts["at"] / 1000, UTC)
    return Buried(
        job, domain, url, int(facts["number"]), int(facts["generation"]), facts["reason"], int(facts["attempts"]), at
    )


def recorded(letters: Iterable[Buried]) -> Call[int]:
    return Call("recorded", tuple(one.entry for one in letters), int)
