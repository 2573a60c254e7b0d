"""What a request carries: which page, how, under which lease."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from prospector.core.visits.method_memory import MethodMemory
from prospector.core.visits.methods import Method


class Kind(StrEnum):
    """What a request is for. Only pages count as fetched."""

    PAGE = "page"
    SITEMAP = "sitemap"
    TARGET = "target"  # an address of the client's, which is asked whether it still answers


class Verdict(StrEnum):
    """How a lease ends."""

    DONE = "done"
    FAILED = "failed"
    ASIDE = "aside"  # done, and not counted: a sitemap, a hop
    AGAIN = "again"  # queued anew, with a new state and perhaps a wait
    PARK = "park"  # until a lift for its reason
    UNSENT = "unsent"  # nothing was asked of the site


COUNTED = frozenset({Verdict.DONE, Verdict.FAILED})  # as a page fetched


@dataclass(frozen=True)
class PageState:
    """What is remembered of a page between two tickets. `extra` belongs to the crawl: hops, evidence, the like."""

    method: Method = Method.DIRECT
    attempt: int = 0
    losses: int = 0
    kind: Kind = Kind.PAGE
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Ticket:
    """`number` is the domain's in its job; `price` is reserved while the lease lasts; `memory` is the domain's;
    `opening`: no page of the domain was read yet."""

    lease: str
    job: str
    domain: str
    number: int
    generation: int
    site: str
    url: str
    state: PageState
    price: int
    memory: MethodMemory = field(default_factory=MethodMemory)
    opening: bool = False


@dataclass(frozen=True)
class Found:
    """A page that another one named. `fingerprint` is that of its canonical address; `hinted`: a keyword is in its
    address or in the anchor, so that it is paid for before others."""

    url: str
    fingerprint: int
    state: PageState | None = None
    hinted: bool = False
