"""All jobs at a glance: each from the frontier where it is known there, else from its last checkpoint."""

from dataclasses import replace

from sqlalchemy import Engine

from prospector.core.job.states import UNDER_WAY, JobState
from prospector.errors import ServerUnreachable
from prospector.frontier import job_calls
from prospector.frontier.client import Frontier
from prospector.frontier.job_calls import Status
from prospector.jobs.status import JobStatus, of_checkpoint, of_counters
from prospector.store import checkpoints, jobs, verdicts
from prospector.store.jobs import Job

NOT_ARCHIVED = frozenset(JobState) - {JobState.ARCHIVED}
MAY_BE_KNOWN = UNDER_WAY | {JobState.FAILED}


def listing(engine: Engine, frontier: Frontier, states: frozenset[JobState] = NOT_ARCHIVED) -> list[JobStatus]:
    """Newest first; why domains failed is not counted, for it would be for all jobs."""
    with engine.connect() as connection:
        found = jobs.listed(connection, states)
        ids = [job.id for job in found]
        last, qualified = checkpoints.last(connection, ids), verdicts.qualified(connection, ids)
    known = _known(frontier, [job for job in found if job.state in MAY_BE_KNOWN])
    counted = (
        of_counters(job, counters) if (counters := known.get(job.id)) else of_checkpoint(job, last.get(job.id))
        for job in found
    )
    return [replace(one, qualified=qualified.get(one.job.id, 0)) for one in counted]


def _known(frontier: Frontier, wanted: list[Job]) -> dict[str, Status]:
    if not wanted:
        return {}
    try:
        answers = frontier.run(job_calls.status([job.id for job in wanted]))
    except ServerUnreachable:
        return {}
    return {one.job: one for one in answers if one and one.filled}
