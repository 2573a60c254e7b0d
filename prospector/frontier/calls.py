"""Each operation on the frontier as a value: which script, with what, and how its answer is read.

A call does nothing by itself: `client.py` runs it, alone or many in one round trip, blocking or not.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

from prospector.core.visits.methods import Method
from prospector.core.visits.ticket import Found, PageState, Ticket, Verdict
from prospector.core.web import robots
from prospector.core.web.robots import Robots
from prospector.frontier import codec
from prospector.frontier.moments import Ago

T = TypeVar("T")
ENCODER = json.JSONEncoder(separators=(",", ":"))  # made once: json.dumps with options makes one a call
LEASE_MS = 60_000
LOSSES_MOST = 3  # the third loss of a page makes it a dead letter
REAPED_A_CALL = 200  # then the rest waits for the next one; a worker's leases are taken back all at once


@dataclass(frozen=True)
class Call(Generic[T]):
    script: str
    arguments: tuple[str | int | bytes | Ago, ...]
    read: Callable[[Any], T]

    def told(self) -> Iterator[str | int | bytes]:
        """The arguments as they leave now."""
        return (one.told_ms() if isinstance(one, Ago) else one for one in self.arguments)


@dataclass(frozen=True)
class Terms:
    """What is granted under: the same for every claim of a worker, and the deployment's but for `only_job`."""

    delay_ms: int
    open_domains_per_worker: int
    paid_most: int
    prices: tuple[tuple[str, int], ...]
    lease_ms: int = LEASE_MS
    only_job: str = ""  # '' for all that run


@dataclass(frozen=True)
class Limits:
    """One job's limits, as the frontier enforces them."""

    cap_credits: int
    threshold_pages: int = 500
    top_pages: int = 50
    max_pages: int = 100_000
    max_queued: int = 1_000
    max_ms: int = 3_600_000
    first_method: Method = Method.DIRECT


@dataclass(frozen=True)
class Seed:
    """A domain to open: its homepage is its first page."""

    domain: str
    number: int
    site: str
    url: str
    fingerprint: int
    generation: int = 1

    def encoded(self) -> str:
        # a fingerprint is text in Lua: its numbers are doubles
        return ENCODER.encode(vars(self) | {"fingerprint": str(self.fingerprint)})


@dataclass(frozen=True)
class Claim:
    """`wait_ms` is the time until another claim can give more, or None; `changes` moves with each hold and lift. With another
    `epoch` than before, nothing that was claimed before is known."""

    tickets: tuple[Ticket, ...]
    wait_ms: int | None
    changes: int
    epoch: int
    lost: bool = False  # Redis is empty: it must be rebuilt from the record


class Fetch(StrEnum):
    """How a fetch went, as the site's delay sees it."""

    FINE = "fine"
    STRAINED = "strained"
    UNSENT = "unsent"


@dataclass(frozen=True)
class Ended:
    """A domain that has nothing left, with the counters its final row is made of."""

    job: str
    domain: str
    number: int
    generation: int
    counters: dict[str, str]


@dataclass(frozen=True)
class Alive:
    """A worker, `node/id`, with what it said in its last beat."""

    worker: str
    since_ms: int
    about: dict[str, str]

    @property
    def node(self) -> str:
        return self.worker.partition("/")[0]

    @property
    def id(self) -> str:
        return self.worker.partition("/")[2]


def claim(worker: str, n: int, terms: Terms, run: str) -> Call[Claim]:
    """`run` is the server's own id of its run."""

    def read(raw: list[Any]) -> Claim:
        if raw[0] == b"empty":
            return Claim((), None, 0, 0, lost=True)
        wait_ms, changes, epoch, *tickets = raw
        made = tuple(codec.loads(one) for one in tickets)
        return Claim(made, int(wait_ms) if int(wait_ms) >= 0 else None, int(changes), int(epoch))

    arguments = (
        worker, n, terms.lease_ms, terms.delay_ms, run, codec.VERSION, terms.open_domains_per_worker, terms.paid_most,
        json.dumps(dict(terms.prices)), terms.only_job,
    )  # fmt: skip
    return Call("claim", arguments, read)


def add(lease: str, pages: Sequence[Found], site_pages: int = 0) -> Call[list[Found] | None]:
    """Gives those that were new, or None if the lease is lost. `site_pages`: how many pages the site says it has."""

    def read(raw: list[Any]) -> list[Found] | None:
        return [pages[int(place) - 1] for place in raw[1:]] if raw[0] else None

    arguments: list[str | int] = [lease, site_pages]
    for page in pages:
        state = codec.dumps(page.state) if page.state else codec.HINTED if page.hinted else ""
        arguments += [page.url, str(page.fingerprint), state]
    return Call("add", tuple(arguments), read)


def release(
    lease: str,
    how: Fetch,
    latency_ms: int,
    least_ms: int,
    most_ms: int,
    retry_after_ms: int = 0,
    crawl_delay_ms: int = 0,
    ended: Ago | int = 0,
) -> Call[tuple[int, int] | None]:
    """Gives the site's new delay and the moment it is blocked until (0: it is not); None if the lease is lost or freed.

    `ended`: how long ago the last byte came; the delay counts from there.
    """
    arguments = (lease, latency_ms, how, retry_after_ms, crawl_delay_ms, least_ms, most_ms, ended)
    return Call("release", arguments, lambda raw: (int(raw[0]), int(raw[1])) if raw else None)


def settle(
    lease: str,
    verdict: Verdict,
    mentions: int = 0,
    state: PageState | None = None,
    wait_ms: int = 0,
    reason: str = "",
    facts: Mapping[str, str | int] | None = None,
    *,
    after_add: bool = False,
) -> Call[bool]:
    """False if the lease was lost: then nothing has changed. `facts` are kept for the domain's final row. `after_add`: what
    was found on the page is in the frontier, or else the page is fetched again: a Redis that was killed may have forgotten it."""
    known = json.dumps(facts) if facts else ""
    kept = codec.dumps(state) if state else ""
    return Call("settle", (lease, verdict, mentions, kept, wait_ms, reason, known, int(after_add)), bool)


def bind(lease: str, address: str) -> Call[int]:
    """0: send now; more: give the ticket back for so many ms; -1: the lease is lost."""
    return Call("bind", (lease, address), int)


def beat(worker: str, about: dict[str, str | int], lease_ms: int = LEASE_MS) -> Call[bool]:
    """False if the worker was taken for dead meanwhile: what it has not sent must not be sent."""
    words = [word for pair in about.items() for word in pair]
    return Call("beat", (worker, lease_ms, *words), bool)


def leave(worker: str) -> Call[bool]:
    """The goodbye of a worker that holds nothing any more."""
    return Call("leave", (worker,), bool)


def workers() -> Call[list[Alive]]:
    def read(raw: list[Any]) -> list[Alive]:
        return [Alive(name.decode(), int(since_ms), _words(flat)) for name, since_ms, flat in raw]

    return Call("workers", (), read)


def running() -> Call[list[str]]:
    """The jobs whose pages are handed out."""
    return Call("running", (), lambda raw: [job.decode() for job in raw])


def reap(lease_ms: int = LEASE_MS) -> Call[tuple[int, int]]:
    """Gives the leases taken back and the dead letters made."""
    return Call("reap", (REAPED_A_CALL, LOSSES_MOST, lease_ms), lambda raw: (int(raw[0]), int(raw[1])))


def begin(epoch: int) -> Call[bool]:
    return Call("begin", (epoch,), bool)


def create(job: str, limits: Limits, spent: int = 0) -> Call[bool]:
    """The job is known but held: seed it, then lift it."""
    arguments = (
        job, limits.cap_credits, limits.threshold_pages, limits.top_pages, limits.max_pages, limits.max_queued,
        limits.max_ms, spent, limits.first_method,
    )  # fmt: skip
    return Call("create", arguments, bool)


def seed(job: str, seeds: Iterable[Seed]) -> Call[int]:
    return Call("seed", (job, *(one.encoded() for one in seeds)), int)


def hold(job: str) -> Call[int]:
    """Gives the number of its requests in flight: they end and count."""
    return Call("hold", (job,), int)


def lift(job: str, reasons: Sequence[str] = (), cap_credits: int | None = None) -> Call[int]:
    """Gives the number of parked pages queued anew."""
    return Call("lift", (job, -1 if cap_credits is None else cap_credits, *reasons), int)


def ended(most: int = 100, for_ms: int = 30_000) -> Call[list[Ended]]:
    def read(raw: list[Any]) -> list[Ended]:
        found = []
        for job, domain, flat in raw:
            counters = _words(flat)
            found.append(
                Ended(job.decode(), domain.decode(), int(counters["number"]), int(counters["generation"]), counters)
            )
        return found

    return Call("ended", (most, for_ms), read)


def close(ended_: Ended, *, failed: bool) -> Call[tuple[bool, int]]:
    """Gives whether this call closed it, and how many domains the job has left."""
    arguments = (ended_.job, ended_.domain, ended_.generation, "failed" if failed else "done")
    return Call("close", arguments, lambda raw: (bool(raw[0]), int(raw[1])))


def robots_of(authorities: Sequence[str]) -> Call[list[Robots | None]]:
    return Call("robots_of", tuple(authorities), lambda raw: [robots.decoded(one) if one else None for one in raw])


def keep_robots(authority: str, read: Robots) -> Call[bool]:
    return Call("keep_robots", (authority, read.encoded(), robots.KEPT_SECONDS), bool)


def _words(flat: list[bytes]) -> dict[str, str]:
    return {name.decode(): value.decode() for name, value in zip(flat[::2], flat[1::2], strict=True)}
