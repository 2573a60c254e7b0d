"""One look at everything that runs: what /metrics, `system metrics`, `system workers` and the alerts are made from."""

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Engine

from prospector.core.job.states import IN_FLIGHT, JobState
from prospector.core.system import latency
from prospector.core.system.anomalies import JobSample, SystemSample
from prospector.frontier import calls, job_calls, paid_calls
from prospector.frontier.calls import Alive
from prospector.frontier.client import Frontier
from prospector.frontier.job_calls import Status
from prospector.frontier.paid_calls import Provider
from prospector.store import jobs, server


@dataclass(frozen=True)
class Figures:
    """`statuses`: of the jobs under way that the frontier knows. `writes`: of all live workers, since each began."""

    at: float
    states: Mapping[JobState, int]
    statuses: tuple[Status, ...]
    workers: tuple[Alive, ...]
    writes: tuple[int, ...]
    provider: Provider
    connections: int
    connections_allowed: int
    redis_bytes: int
    redis_limit_bytes: int

    @property
    def queued(self) -> int:
        return sum(one.queued for one in self.statuses)

    @property
    def open_work(self) -> int:
        """What is found and not fetched, whatever it waits for."""
        return sum(one.queued + one.paid_line + sum(one.parked_pages.values()) for one in self.statuses)

    @property
    def workers_on(self) -> Mapping[str, int]:
        counted: defaultdict[str, int] = defaultdict(int)
        for one in self.workers:
            counted[one.node] += 1
        return counted


def look(engine: Engine, frontier: Frontier) -> Figures:
    with engine.connect() as connection:
        counted = jobs.tally(connection)
        under_way = [one.id for one in jobs.listed(connection, IN_FLIGHT)]
        used, allowed = server.connections(connection)
    statuses, workers, provider = frontier.run_all(
        [job_calls.status(under_way), calls.workers(), paid_calls.provider()]
    )
    memory = frontier.memory()
    return Figures(
        at=time.time(),
        states=counted,
        statuses=tuple(one for one in statuses if one),
        workers=tuple(workers),
        writes=latency.added([writes_of(one) for one in workers]),
        provider=provider,
        connections=used,
        connections_allowed=allowed,
        redis_bytes=memory.used_bytes,
        redis_limit_bytes=memory.limit_bytes,
    )


def writes_of(worker: Alive) -> tuple[int, ...]:
    return latency.read(worker.about.get("writes", ""))


def job_sample(at: float, status: Status) -> JobSample:
    return JobSample(
        at=at,
        finished=status.domains_done + status.domains_failed,
        pages=status.pages,
        failed_pages=status.pages_failed,
        dead_letters=status.dead_letters,
        waiting=status.domains_waiting,
        queued=status.queued,
    )


def system_sample(now: Figures, before: Figures | None, paid_most: int) -> SystemSample:
    opened = now.provider.open_ms
    return SystemSample(
        at=now.at,
        workers=len(now.workers),
        open_work=now.open_work,
        writing_ms=max((int(one.about.get("writing_ms", 0)) for one in now.workers), default=0),
        write_p95_ms=latency.percentile_ms(new_writes(now, before), 0.95),
        connections=now.connections,
        connections_allowed=now.connections_allowed,
        redis_bytes=now.redis_bytes,
        redis_limit_bytes=now.redis_limit_bytes,
        provider_open_seconds=None if opened is None else opened / 1000,
        provider_stopped=now.provider.stopped,
        paid_in_flight=now.provider.in_flight,
        paid_allowed=min(paid_most, now.provider.allowed or paid_most),
    )


def new_writes(now: Figures, before: Figures | None) -> Sequence[int]:
    """Those that ended between two looks; a worker that was not there before counts from its beginning."""
    earlier = {one.worker: writes_of(one) for one in before.workers} if before else {}
    grown = []
    for one in now.workers:
        past = earlier.get(one.worker, (0,) * latency.BUCKETS)
        grown.append(tuple(max(0, later - then) for later, then in zip(writes_of(one), past, strict=True)))
    return latency.added(grown)
