"""The briefs of the jobs a worker serves, read once from the record, in a thread.

One of 500 keywords takes 8-16 MB: those of jobs that are over are forgotten when another is learnt.
"""

import asyncio
import time
from collections.abc import Collection

from sqlalchemy import Engine

from prospector.core.job.spec import spec_from
from prospector.core.words.keywords import Keyword
from prospector.spiders.brief import Brief, brief
from prospector.store import domains, jobs

USED_SECONDS = 60.0  # a page may still be under way whose lease was lost, or whose job was held


class Briefs:
    """Without an engine only those are known that were given."""

    def __init__(self, engine: Engine | None, *given: Brief) -> None:
        self._engine = engine
        self._known = {one.job: one for one in given}
        self._used = {one.job: time.monotonic() for one in given}

    def __getitem__(self, job: str) -> Brief:
        found = self._known[job]
        self._used[job] = time.monotonic()
        return found

    def __contains__(self, job: str) -> bool:
        return job in self._known

    def __len__(self) -> int:
        return len(self._known)

    async def learn(self, job: str) -> None:
        """Raises NotFound for a job that was deleted."""
        assert self._engine
        self._known[job] = await asyncio.to_thread(_read, self._engine, job)
        self._used[job] = time.monotonic()

    def forget_all_but(self, jobs: Collection[str]) -> None:
        """And those that were just used."""
        before = time.monotonic() - USED_SECONDS
        for job in [one for one in self._known if one not in jobs and self._used[one] < before]:
            del self._known[job], self._used[job]


def _read(engine: Engine, job_id: str) -> Brief:
    with engine.connect() as connection:
        spec = spec_from(jobs.job(connection, job_id).spec)
        stored = jobs.keywords(connection, job_id)
        listed = list(domains.names(connection, job_id))
    keywords = [Keyword(one.keyword, one.case_sensitive, one.label or "") for one in stored]
    return brief(job_id, spec, keywords, listed)
