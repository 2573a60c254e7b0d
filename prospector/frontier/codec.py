"""How tickets and states of pages look in Redis: JSON with a version, data and never code.

A worker leaves what a newer version wrote to workers of that version; what nobody can read becomes a dead letter. It is the
SCHEDULER_SERIALIZER of scrapy-redis: `dumps` a state, `loads` a ticket.
"""

import json
from dataclasses import asdict
from typing import Any

from prospector.core.visits.method_memory import MethodMemory
from prospector.core.visits.methods import Method
from prospector.core.visits.priority import RANK, Priority
from prospector.core.visits.ticket import Found, Kind, PageState, Ticket
from prospector.core.web.urls import fingerprint

VERSION = 2
# a state says the oldest version that understands it, so that workers of that one are not left without work
FIRST = 1
NEWER = {Kind.TARGET: 2}

# of a new page, whose method is decided when it is granted
HINTED = json.dumps({"v": FIRST, "x": {RANK: Priority.HINTED}}, separators=(",", ":"))


def dumps(state: PageState) -> str:
    short = {"m": state.method, "a": state.attempt, "l": state.losses, "k": state.kind, "x": state.extra}
    version = NEWER.get(state.kind, FIRST)
    return json.dumps({"v": version} | {name: value for name, value in short.items() if value}, separators=(",", ":"))


def address(page: Found) -> str:
    """What the record keeps of a page that waits: its address, and its state where it has one."""
    return f"{page.url} {dumps(page.state)}" if page.state else page.url


def found(kept: str) -> Found:
    url, _, state = kept.partition(" ")
    return Found(url, fingerprint(url), state_of(state) if state else None)


def dumps_memory(memory: MethodMemory) -> str:
    return json.dumps(asdict(memory), separators=(",", ":"))


def _memory(raw: str | None) -> MethodMemory:
    if raw is None:
        return MethodMemory()
    known: dict[str, Any] = json.loads(raw)
    return MethodMemory(**known | {name: Method(known[name]) for name in ("method", "last")})


def state_of(encoded: str | bytes) -> PageState:
    return _state(json.loads(encoded))


def _state(raw: dict[str, Any]) -> PageState:
    return PageState(
        method=Method(raw.get("m", Method.DIRECT)),
        attempt=int(raw.get("a", 0)),
        losses=int(raw.get("l", 0)),
        kind=Kind(raw.get("k", Kind.PAGE)),
        extra=raw.get("x") or {},
    )


def loads(encoded: str | bytes) -> Ticket:
    raw: dict[str, Any] = json.loads(encoded)
    return Ticket(
        lease=raw["lease"],
        job=raw["job"],
        domain=raw["domain"],
        number=int(raw["number"]),
        generation=int(raw["generation"]),
        site=raw["site"],
        url=raw["url"],
        price=int(raw["price"]),
        memory=_memory(raw.get("memory")),
        opening=bool(raw["opening"]),
        state=_state(raw["state"]),
    )
