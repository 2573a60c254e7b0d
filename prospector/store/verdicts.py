"""What finished domains are worth, as it was judged once: for a status, which counts and never scores."""

from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import Connection, func, select, update

from prospector.core.job.states import JobState
from prospector.core.results.score import Verdict
from prospector.core.visits.outcomes import DomainState
from prospector.store.tables import domains, jobs


def unjudged(connection: Connection, limit: int, job: str | None = None) -> dict[str, list[int]]:
    """Job -> numbers of domains that are done, have mentions and no verdict; of jobs, or of this one, whose results are there."""
    columns = domains.c
    wanted = (
        select(columns.job, columns.number)
        .join(jobs, jobs.c.id == columns.job)
        .where(columns.state == DomainState.DONE, columns.mentions > 0, columns.verdict.is_(None))
        .where(jobs.c.state != JobState.ARCHIVED)
        .limit(limit)
    )
    if job is not None:
        wanted = wanted.where(columns.job == job)
    found: dict[str, list[int]] = {}
    for of, number in connection.execute(wanted):
        found.setdefault(of, []).append(number)
    return found


def keep(connection: Connection, job: str, judged: Mapping[Verdict, Sequence[int]]) -> None:
    """Of those that are still done: one that is tried again is judged anew."""
    columns = domains.c
    for verdict, numbers in judged.items():
        here = (columns.job == job, columns.number.in_(numbers), columns.state == DomainState.DONE)
        connection.execute(update(domains).where(*here).values(verdict=verdict))


def qualified(connection: Connection, jobs_: Collection[str]) -> dict[str, int]:
    """Job -> how many; a job that has none is not there."""
    columns = domains.c
    wanted = select(columns.job, func.count()).where(columns.job.in_(jobs_), columns.verdict == Verdict.QUALIFIED)
    return {row[0]: row[1] for row in connection.execute(wanted.group_by(columns.job))}
