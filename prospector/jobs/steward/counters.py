"""Checkpoints of the counters of jobs under way: what a status shows when Redis is away, and a rebuild is compared with."""

from collections.abc import Iterable

from sqlalchemy import Engine

from prospector.core.job.states import IN_FLIGHT
from prospector.frontier import job_calls
from prospector.frontier.client import Frontier
from prospector.jobs.checkpoint import checkpoint
from prospector.store import jobs
from prospector.store.jobs import Job


class Counters:
    """Remembers at how many finished domains each job had its last checkpoint."""

    def __init__(self, engine: Engine, frontier: Frontier, every_domains: int) -> None:
        self._engine = engine
        self._frontier = frontier
        self._every = every_domains
        self._taken_at: dict[str, int] = {}

    def keep(self) -> list[str]:
        """The jobs of which one was taken now."""
        return self._take(everything=False)

    def keep_all(self) -> list[str]:
        """Before this process ends."""
        return self._take(everything=True)

    def _take(self, *, everything: bool) -> list[str]:
        with self._engine.connect() as connection:
            under_way = jobs.listed(connection, IN_FLIGHT)
        self._forget(one.id for one in under_way)
        return [job.id for job in under_way if self._take_one(job, everything=everything)]

    def _take_one(self, job: Job, *, everything: bool) -> bool:
        (known,) = self._frontier.run(job_calls.status([job.id]))
        if known is None or not known.filled:
            return False
        finished = known.domains_done + known.domains_failed
        if not everything and finished - self._taken_at.get(job.id, -self._every) < self._every:
            return False
        with self._engine.begin() as connection:
            checkpoint(connection, job, known)
        self._taken_at[job.id] = finished
        return True

    def _forget(self, under_way: Iterable[str]) -> None:
        known = set(under_way)
        self._taken_at = {job: count for job, count in self._taken_at.items() if job in known}
