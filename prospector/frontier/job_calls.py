"""The operations of those who look after jobs: where they stand, what is asked for again, what can go on, what has to wait."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from prospector.core.results.targets import Target
from prospector.core.visits.ticket import Kind, PageState
from prospector.core.web.sites import site_of
from prospector.frontier import codec
from prospector.frontier.calls import ENCODER, Call

TOLD_REMEMBERED = 500  # events; a transaction that commits a smaller id than these is never told of


@dataclass(frozen=True)
class Recently:
    """How many there were in the last 1, 5 and 15 minutes."""

    in_1_minute: int
    in_5_minutes: int
    in_15_minutes: int


@dataclass(frozen=True)
class Status:
    """Where a job stands. `domains_parked`: open ones of which a page waits for money, key or provider, and
    `parked_pages` those pages by reason. `overdue_ms`: how long the site that may be asked longest has waited for a worker. `running_ms`: how
    long it has been handed out without a break, from which on `…_recently` counts; None: it is held. `domains_stalled` wait for
    a far Retry-After, the last one `stalled_until`. Not `filled`: some of the job is not here yet, and it is not to be lifted.
    `mentions`: keyword and page. `newest_find`: a page, by its address. `clients_open`: domains of the client's of which
    addresses are being asked for, and that count among no others; `clients_asked` is 1 once that has begun."""

    job: str
    held: bool
    filled: bool
    last_activity: datetime | None
    pages_recently: Recently
    domains_recently: Recently
    parked_pages: Mapping[str, int]
    paid_line: int
    overdue_ms: int
    running_ms: int | None
    domains_stalled: int
    stalled_until: datetime | None
    newest_find: str | None
    domains_total: int
    domains_waiting: int
    domains_open: int
    domains_done: int
    domains_failed: int
    domains_parked: int
    pages: int
    mentions: int
    dead_letters: int
    queued: int
    in_flight: int
    credits_used: int
    credits_reserved: int
    credits_cap: int
    pages_failed: int
    pages_wanting_key: int
    clients_open: int
    clients_asked: int


@dataclass(frozen=True)
class Depths:
    """Over all jobs. `suspects`: pages that lost their worker. `later`: pages whose back-off runs. `ending`: domains with
    nothing left whose final row is to be written."""

    leases: int
    oldest_lease_ms: int
    workers: int
    suspects: int
    later: int
    ending: int
    dead_letters_unrecorded: int


COUNTERS = (
    "total", "waiting", "open", "done", "failed", "parked", "pages", "mentions", "dead", "queued", "flying", "spent",
    "reserved", "cap", "unread", "key_wanted", "asking", "asked",
)  # fmt: skip


def status(jobs: Sequence[str]) -> Call[list[Status | None]]:
    """In the order given; None for a job that is not known here. The same work whatever the size of the jobs."""

    def read_one(job: str, raw: list[Any]) -> Status | None:
        if not raw:
            return None
        (
            (state, filled, last, find, *counters),
            pages, domains, parked, paid_line, overdue_ms, running_ms, stalled, until,
        ) = raw  # fmt: skip
        reasons = {reason.decode(): count for reason, count in zip(parked[::2], parked[1::2], strict=True)}
        return Status(
            job, state == b"held", filled is not None, _moment(last), Recently(*pages), Recently(*domains), reasons, paid_line,
            overdue_ms, running_ms if running_ms >= 0 else None, stalled, _moment(until) if stalled else None,
            find.decode() if find else None, *(int(one or 0) for one in counters),
        )  # fmt: skip

    names = json.dumps(["state", "filled", "last", "find", *COUNTERS])
    return Call("status", (names, *jobs), lambda raw: [read_one(*both) for both in zip(jobs, raw, strict=True)])


def _moment(ms: bytes | None) -> datetime | None:
    return datetime.fromtimestamp(int(ms) / 1000, UTC) if ms else None


def depths() -> Call[Depths]:
    return Call("depths", (), lambda raw: Depths(*raw))


def jobs_here(place: str = "0") -> Call[tuple[str, list[str]]]:
    """Jobs, handed out or held, and the place to go on from; "0": these were the last."""

    def read(raw: list[bytes]) -> tuple[str, list[str]]:
        place, *jobs = (str(one, "ascii") for one in raw)
        return place, jobs

    return Call("jobs_here", (place,), read)


def reopened(job: str, *, failed: int, done: int) -> Call[bool]:
    """So many domains that had failed, and that were done, were seeded again."""
    return Call("reopened", (job, failed, done), bool)


@dataclass(frozen=True)
class Client:
    """A domain of the client's, with a number beyond those of the list, and what is to be asked of it."""

    domain: str
    number: int
    targets: tuple[Target, ...]

    def encoded(self) -> str:
        state = codec.dumps(PageState(kind=Kind.TARGET))
        pages = [{"url": one.url, "fingerprint": str(one.page), "state": state} for one in self.targets]
        return ENCODER.encode(
            {"domain": self.domain, "number": self.number, "site": site_of(self.domain), "pages": pages}
        )


def ask(job: str, clients: Iterable[Client]) -> Call[bool]:
    """Once in the life of a job here. False: it was done before."""
    return Call("ask", (job, *(one.encoded() for one in clients)), bool)


def stuck(job: str) -> Call[str]:
    """Why nothing of the job can go on before somebody acts: 'budget', 'key', 'credits', or '' where something can."""
    return Call("stuck", (job,), lambda raw: str(raw, "ascii"))


def crowd(why: str, for_ms: int) -> Call[bool]:
    """New jobs have to wait; not, where `why` is empty."""
    return Call("crowd", (why, for_ms), bool)


def crowded() -> Call[str]:
    """Why new jobs have to wait, or ''."""
    return Call("crowded", (), lambda raw: str(raw, "utf-8"))


def requeue(entry: str) -> Call[bool]:
    return Call("requeue", (entry,), bool)


def drop(job: str, domains_a_call: int = 200) -> Call[bool]:
    """True when nothing of the job is left; until then call again."""
    return Call("drop", (job, domains_a_call), bool)


def due(within_ms: int) -> Call[bool]:
    """Whether any running job has work now or soon."""
    return Call("due", (within_ms,), bool)


def told() -> Call[list[int]]:
    """The newest events of the record that were told, oldest first. None: nobody ever looked."""
    return Call("told", (), lambda raw: [int(event) for event in raw])


def tell(events: Iterable[int]) -> Call[int]:
    """These are told now. Gives how many of them nobody had been told."""
    return Call("tell", (TOLD_REMEMBERED, *events), int)
