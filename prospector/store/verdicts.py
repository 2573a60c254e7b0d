"""What finished domains are worth, as it was judged once: for a status, which counts and never scores."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, func, select, update

from prospector.core.job.states import JobState
from prospector.core.results.score import Verdict
from prospector.core.visits.outcomes import DomainState
from prospector.store.tables import domains, jobs


def unjudged(connection: Connection, limit: int) -> dict[str, list[int]]:
    """Job -> numbers of domains that are done, have mentions and no verdict; of jobs whose results are there."""
    columns = domains.c
    wanted = (
        select(columns.job, columns.number)
        .join(jobs, jobs.c.id == columns.job)
        .where(columns.state == DomainState.DONE, columns.mentions > 0, columns.verdict.is_(None))
        .where(jobs.c.state != JobState.ARCHIVED)
        .limit(limit)
    )
    found: dict[str, list[int]] = {}
    for job, number in connection.execute(wanted):
        found.setdefault(job, []).append(number)
    return found


def keep(connection: Connection, job: str, judged: Mapping[Verdict, Sequence[int]]) -> None:
    """Of those that are still done: one that is tried again is judged anew."""
    columns = domains.c
    for verdict, numbers in judged.items():
        here = (columns.job == job, columns.number.in_(numbers), columns.state == DomainState.DONE)
        connection.execute(update(domains).where(*here).values(verdict=verdict))


def qualified(connection: Connection, job: str) -> int:
    wanted = select(func.count()).where(domains.c.job == job, domains.c.verdict == Verdict.QUALIFIED)
    return connection.scalar(wanted) or 0
