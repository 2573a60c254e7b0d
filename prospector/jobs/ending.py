"""Whether a job is over, or can only rest, and saying so."""

from sqlalchemy import Connection

from prospector.core.job.halts import Halt
from prospector.core.job.states import JobState
from prospector.core.visits.ladder import Parked
from prospector.core.visits.outcomes import DomainState
from prospector.frontier import job_calls
from prospector.frontier.client import Frontier
from prospector.jobs.balance import regain
from prospector.store import domains, jobs
from prospector.store.jobs import Job

HALTS = {Parked.BUDGET: Halt.BUDGET, Parked.KEY: Halt.KEY, Parked.CREDITS: Halt.CREDITS}


def has_left(connection: Connection, job: Job) -> bool:
    """Domains that are not finished, as the record has it."""
    found = domains.tally(connection, job.id)
    return bool(found[DomainState.WAITING] or found[DomainState.OPEN])


def end(connection: Connection, job: Job) -> JobState:
    """Of a job that has no domain left: how it is over."""
    found = domains.tally(connection, job.id)
    done, failed = found[DomainState.DONE], found[DomainState.FAILED]
    state = JobState.COMPLETED if done else JobState.FAILED
    jobs.move(connection, job.id, state, in_words(done, failed))
    return state


def in_words(done: int, failed: int) -> str:
    if not done:
        return f"every domain failed ({failed:,})"
    return f"{done:,} succeeded, {failed:,} failed (see error report)" if failed else f"{done:,} succeeded"


def rest(connection: Connection, frontier: Frontier, job: Job) -> bool:
    """Pauses a job that has nothing left but pages that somebody has to let go on."""
    parked = frontier.run(job_calls.stuck(job.id))
    if not parked or (parked == Parked.BUDGET and regain(connection, frontier, job.id)):
        return False
    jobs.move(connection, job.id, JobState.PAUSED, _why(HALTS[Parked(parked)], job))
    return True


def _why(halt: Halt, job: Job) -> str:
    return f"{halt} ({job.max_credits:,} credits)" if halt is Halt.BUDGET else halt
