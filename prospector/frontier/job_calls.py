"""The operations of those who look after jobs: domains that are asked for again, what can go on, what has to wait."""

from collections.abc import Iterable
from dataclasses import dataclass

from prospector.core.sites import site_of
from prospector.core.targets import Target
from prospector.core.ticket import Kind, PageState
from prospector.frontier import codec
from prospector.frontier.calls import ENCODER, Call


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
