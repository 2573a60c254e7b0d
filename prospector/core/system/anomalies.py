"""What an operator must hear of: rules over samples of what a job and the system did lately. No clock of their own."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import TypeVar

DROP_SECONDS = 600
DROP_SHARE = 0.5
DROP_LEAST_DOMAINS = 20  # in the earlier ten minutes: below this a rate is chance
ERROR_SECONDS = 300
ERROR_SHARE = 0.2
ERROR_LEAST_PAGES = 50
SLOW_WRITE_MS = 5_000
GROWTH_SECONDS = 600
GROWTH_LEAST_TASKS = 50_000
POOL_SHARE = 0.8
MEMORY_SHARE = 0.8
PROVIDER_SECONDS = 300
KEPT_SECONDS = 2 * DROP_SECONDS + 60


class Kind(StrEnum):
    THROUGHPUT = "throughput"
    ERRORS = "errors"
    WRITES = "slow-writes"
    QUEUE = "queue"
    PROVIDER = "provider"
    CONNECTIONS = "connections"
    REDIS_MEMORY = "redis-memory"
    DEAD_LETTERS = "dead-letters"
    NODE = "node"
    CONCURRENCY = "concurrency"


@dataclass(frozen=True)
class Anomaly:
    """`job` is None where it concerns the whole system; `of` tells two of one kind apart."""

    kind: Kind
    words: str
    job: str | None = None
    of: str = ""


@dataclass(frozen=True)
class JobSample:
    """A running job at one moment; all but `waiting` and `queued` are totals that only grow."""

    at: float
    finished: int
    pages: int
    failed_pages: int
    dead_letters: int
    waiting: int
    queued: int


@dataclass(frozen=True)
class SystemSample:
    at: float
    workers: int
    open_work: int
    writing_ms: int  # the longest write that is under way in any worker
    write_p95_ms: int | None  # of those that ended since the last sample
    connections: int
    connections_allowed: int
    redis_bytes: int
    redis_limit_bytes: int  # 0: none
    provider_open_seconds: float | None
    provider_stopped: str
    paid_in_flight: int
    paid_allowed: int


def of_job(job: str, samples: Sequence[JobSample]) -> list[Anomaly]:
    """`samples` of the same uninterrupted run, oldest first."""
    found = [throughput(job, samples), errors(job, samples), dead_letters(job, samples)]
    return [one for one in found if one]


def of_system(samples: Sequence[SystemSample]) -> list[Anomaly]:
    now = samples[-1]
    found = [writes(now), queue(samples), provider(now), connections(now), redis_memory(now), concurrency(now)]
    return [one for one in found if one]


def throughput(job: str, samples: Sequence[JobSample]) -> Anomaly | None:
    """The last ten minutes against the ten before. Not once the list is at its end: then it only gets slower."""
    now = samples[-1]
    middle, begin = _back(samples, DROP_SECONDS), _back(samples, 2 * DROP_SECONDS)
    if middle is None or begin is None or begin is middle or now.waiting == 0:
        return None
    earlier, later = middle.finished - begin.finished, now.finished - middle.finished
    before_per_hour = earlier * 3600 / (middle.at - begin.at)
    per_hour = later * 3600 / (now.at - middle.at)
    if earlier < DROP_LEAST_DOMAINS or per_hour >= before_per_hour * (1 - DROP_SHARE):
        return None
    words = f"Job {job} throughput dropped from {before_per_hour:,.0f} to {per_hour:,.0f} domains/hour"
    return Anomaly(Kind.THROUGHPUT, words, job)


def errors(job: str, samples: Sequence[JobSample]) -> Anomaly | None:
    begin, now = _back(samples, ERROR_SECONDS), samples[-1]
    if begin is None:
        return None
    pages, failed = now.pages - begin.pages, now.failed_pages - begin.failed_pages
    if pages < ERROR_LEAST_PAGES or failed <= pages * ERROR_SHARE:
        return None
    words = f"High error rate in job {job}: {failed / pages:.0%} of {pages:,} pages failed in 5 minutes. See: prospector job errors {job}"
    return Anomaly(Kind.ERRORS, words, job)


def dead_letters(job: str, samples: Sequence[JobSample]) -> Anomaly | None:
    new = samples[-1].dead_letters - samples[0].dead_letters
    if new <= 0:
        return None
    words = f"Job {job} has {samples[-1].dead_letters:,} pages that ended every worker that took them. See: prospector system queue-status"
    return Anomaly(Kind.DEAD_LETTERS, words, job)


def writes(now: SystemSample) -> Anomaly | None:
    slowest_ms = max(now.writing_ms, now.write_p95_ms or 0)
    if slowest_ms <= SLOW_WRITE_MS:
        return None
    return Anomaly(Kind.WRITES, f"Database write latency high ({slowest_ms / 1000:.1f} s). The crawl waits for it.")


def queue(samples: Sequence[SystemSample]) -> Anomaly | None:
    """Open work a worker grew from sample to sample for ten minutes."""
    begin, now = _back(samples, GROWTH_SECONDS), samples[-1]
    if begin is None or now.open_work < GROWTH_LEAST_TASKS:
        return None
    lately = [one.open_work / max(one.workers, 1) for one in samples if one.at >= begin.at]
    if any(later <= earlier for earlier, later in pairwise(lately)):
        return None
    words = (
        f"Queue depth growing faster than processing rate ({now.open_work:,} pending pages, {now.workers} workers). "
        "New jobs wait until it falls."
    )
    return Anomaly(Kind.QUEUE, words)


def provider(now: SystemSample) -> Anomaly | None:
    if now.provider_stopped:
        why = {"key": "ScrapingBee does not accept the key", "credits": "The ScrapingBee account has no credits left"}
        words = f"{why.get(now.provider_stopped, now.provider_stopped)}. Paid pages wait; free work goes on."
        return Anomaly(Kind.PROVIDER, words, of=now.provider_stopped)
    if now.provider_open_seconds is None or now.provider_open_seconds < PROVIDER_SECONDS:
        return None
    minutes = now.provider_open_seconds / 60
    words = f"ScrapingBee has failed for {minutes:.0f} minutes. Paid pages wait and resume by themselves; free work goes on."
    return Anomaly(Kind.PROVIDER, words)


def connections(now: SystemSample) -> Anomaly | None:
    if now.connections < now.connections_allowed * POOL_SHARE:
        return None
    words = f"{now.connections} of {now.connections_allowed} Postgres connections are in use. Raise max_connections or lower WORKERS_PER_NODE."
    return Anomaly(Kind.CONNECTIONS, words)


def redis_memory(now: SystemSample) -> Anomaly | None:
    if not now.redis_limit_bytes or now.redis_bytes < now.redis_limit_bytes * MEMORY_SHARE:
        return None
    words = f"Redis uses {now.redis_bytes / 1e6:,.0f} of {now.redis_limit_bytes / 1e6:,.0f} MB. Raise maxmemory before it refuses writes."
    return Anomaly(Kind.REDIS_MEMORY, words)


def concurrency(now: SystemSample) -> Anomaly | None:
    if now.paid_in_flight <= now.paid_allowed:
        return None
    words = f"{now.paid_in_flight} paid requests are in flight, {now.paid_allowed} are allowed."
    return Anomaly(Kind.CONCURRENCY, words)


Sample = TypeVar("Sample", JobSample, SystemSample)


class Memory:
    """Which alerts were given when: of one kind, job and thing at most one an hour."""

    QUIET_SECONDS = 3600

    def __init__(self, given: Iterable[tuple[Anomaly, float]] = ()) -> None:
        self._given = {self._key(one): at for one, at in given}

    def new(self, found: Iterable[Anomaly], now: float) -> list[Anomaly]:
        due = [one for one in found if now - self._given.get(self._key(one), float("-inf")) >= self.QUIET_SECONDS]
        self._given.update({self._key(one): now for one in due})
        return due

    @staticmethod
    def _key(one: Anomaly) -> tuple[Kind, str | None, str]:
        return one.kind, one.job, one.of


def recent(samples: Sequence[Sample], now: float) -> list[Sample]:
    return [one for one in samples if now - one.at <= KEPT_SECONDS]


def _back(samples: Sequence[Sample], seconds: float) -> Sample | None:
    """The newest sample that is at least so old; None where the samples do not reach back so far."""
    now = samples[-1].at
    old_enough = [one for one in samples if now - one.at >= seconds]
    return old_enough[-1] if old_enough else None
