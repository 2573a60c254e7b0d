"""The briefs of the jobs a worker serves, read once from the record, in a thread."""

import asyncio

from sqlalchemy import Engine

from prospector.core.keywords import Keyword
from prospector.core.spec import spec_from
from prospector.spiders.brief import Brief, brief
from prospector.store import domains, jobs


class Briefs:
    """Without an engine only those are known that were given."""

    def __init__(self, engine: Engine | None, *given: Brief) -> None:
        self._engine = engine
        self._known = {one.job: one for one in given}

    def __getitem__(self, job: str) -> Brief:
        return self._known[job]

    def __contains__(self, job: str) -> bool:
        return job in self._known

    def __len__(self) -> int:
        return len(self._known)

    async def learn(self, job: str) -> None:
        """Raises NotFound for a job that was deleted."""
        assert self._engine
        self._known[job] = await asyncio.to_thread(_read, self._engine, job)

    def forget(self, job: str) -> None:
        self._known.pop(job, None)


def _read(engine: Engine, job_id: str) -> Brief:
    with engine.connect() as connection:
        spec = spec_from(jobs.job(connection, job_id).spec)
        stored = jobs.keywords(connection, job_id)
        listed = list(domains.names(connection, job_id))
    keywords = [Keyword(one.keyword, one.case_sensitive, one.label or "") for one in stored]
    return brief(job_id, spec, keywords, listed)
