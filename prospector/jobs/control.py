"""What an operator can do to a job. The record decides, in one guarded move; then the frontier is made to follow.

`reconcile` alone tells the frontier what to do with a job, and it reads the record for it while nobody can move the job: of
two commands at the same moment the last one to come finds what both have left. A crash between a move and its reconcile is
mended by whoever looks next.
"""

from contextlib import suppress

from sqlalchemy import Connection, Engine

from prospector.blobs import Storage
from prospector.core.job.halts import QUEUED, Halt, halt_of, higher_budget
from prospector.core.job.retention import EXPORT_DAYS
from prospector.core.job.states import ENDED, JobState
from prospector.core.visits.outcomes import DomainState
from prospector.errors import BudgetReached, Conflict, ProspectorError
from prospector.frontier import job_calls
from prospector.frontier.client import Frontier
from prospector.jobs.exports.shelf import forget
from prospector.jobs.follow import prepare, reconcile
from prospector.store import domains, jobs, spend
from prospector.store.jobs import IllegalMove, Job

RESUMABLE = frozenset({JobState.PAUSING, JobState.PAUSED, JobState.FAILED})
NOT_RETRIED = frozenset({JobState.PENDING, JobState.CANCELLED, JobState.ARCHIVED})
REOPENED_AT_ONCE = 1_000


class NotNow(Conflict):
    """The job is in a state that does not allow what was asked."""

    def __init__(self, job_id: str, state: JobState, asked: str) -> None:
        super().__init__(f"Job {job_id} is {state}: {asked}.", WAYS[state].format(job=job_id))
        self.state = state


class FilesLeft(ProspectorError):
    """The job is gone, and its exports could not be deleted with it."""

    def __init__(self, job_id: str, error: ProspectorError) -> None:
        super().__init__(
            f"Job {job_id} is deleted, but not the files of its exports: {error.problem}",
            f"Nothing lists them any more; they are deleted when they are {EXPORT_DAYS} days old.",
        )
        self.exit_code = error.exit_code


# what to do instead, from each state
WAYS = {
    JobState.PENDING: "Start it: prospector job start {job}",
    JobState.RUNNING: "Look at it: prospector job watch {job}",
    JobState.PAUSING: "Go on with it: prospector job resume {job}",
    JobState.PAUSED: "Go on with it: prospector job resume {job}",
    JobState.COMPLETED: "Its results: prospector job export {job}. Its failed domains again: prospector job retry {job}",
    JobState.FAILED: "Why: prospector job errors {job}. Its failed domains again: prospector job retry {job}",
    JobState.CANCELLED: "What it found: prospector job export {job}",
    JobState.ARCHIVED: "Its results are deleted. prospector job list shows the others.",
}


def start(engine: Engine, frontier: Frontier, job_id: str) -> JobState:
    """PENDING still where the system has no room for it: then the steward starts it when there is."""
    prepare(engine, frontier, job_id)
    if why := frontier.run(job_calls.crowded()):
        return _queue(engine, job_id, why)
    _move(engine, job_id, JobState.RUNNING, "started", frozenset({JobState.PENDING}), "it was started before")
    return reconcile(engine, frontier, job_id)


def _queue(engine: Engine, job_id: str, why: str) -> JobState:
    with engine.begin() as connection:
        if not jobs.wait(connection, job_id, f"{QUEUED}: {why}"):
            raise NotNow(job_id, jobs.job(connection, job_id).state, "it was started before")
    return JobState.PENDING


def pause(engine: Engine, frontier: Frontier, job_id: str) -> JobState:
    """PAUSING while requests are in flight: a look at it when they have ended, anybody's, makes it PAUSED."""
    running = frozenset({JobState.RUNNING})
    _move(engine, job_id, JobState.PAUSING, Halt.ASKED, running, "there is nothing to pause")
    return reconcile(engine, frontier, job_id)


def resume(engine: Engine, frontier: Frontier, job_id: str, max_credits: int | None = None) -> JobState:
    """Parked pages are tried again, also those of a running job, which may be given a higher limit for them."""
    waits = _has_parked(frontier, job_id)
    with engine.begin() as connection:
        job = jobs.hold_still(connection, job_id)
        if max_credits is not None:
            jobs.allow(connection, job_id, max_credits)
        if job.state is JobState.FAILED and domains.tally(connection, job_id)[DomainState.FAILED] == job.domains_total:
            raise NotNow(job_id, job.state, "every domain failed, and there is nothing to resume")
        if job.state in RESUMABLE:
            _refuse_used_up(connection, job, job.max_credits if max_credits is None else max_credits)
            jobs.move(connection, job_id, JobState.RUNNING, "resumed")
        elif job.state is not JobState.RUNNING or (max_credits is None and not waits):
            raise NotNow(job_id, job.state, "there is nothing to resume")
    return reconcile(engine, frontier, job_id, lift_again=True)


def cancel(engine: Engine, frontier: Frontier, job_id: str) -> JobState:
    """What is in flight ends by itself and is not counted; what was found stays, and why domains had failed before a retry."""
    _move(engine, job_id, JobState.CANCELLED, "cancelled", frozenset(JobState) - ENDED, "there is nothing to cancel")
    return reconcile(engine, frontier, job_id)


def retry(engine: Engine, frontier: Frontier, job_id: str) -> int:
    """The failed domains again, as new ones. Returns how many; what was found on the others stays as it is."""
    with engine.begin() as connection:
        job = jobs.hold_still(connection, job_id)
        if job.state in NOT_RETRIED:
            raise NotNow(job_id, job.state, "no failed domain can be tried again")
        again = _reopen_failed(connection, job_id)
        if again and job.state in {JobState.COMPLETED, JobState.FAILED}:
            jobs.move(connection, job_id, JobState.RUNNING, f"{again:,} failed domains are tried again")
    reconcile(engine, frontier, job_id, check_domains=True)
    return again


def delete(engine: Engine, frontier: Frontier, job_id: str, files: Storage) -> None:
    """The job and everything of it. One that is under way is cancelled first."""
    with suppress(NotNow):
        cancel(engine, frontier, job_id)
    reconcile(engine, frontier, job_id)
    with engine.begin() as connection:
        job = jobs.hold_still(connection, job_id)
        if job.state not in ENDED:  # somebody has started it again just now
            raise NotNow(job_id, job.state, "it is not deleted")
        jobs.remove(connection, job_id)
    try:
        forget(files, job_id)  # what a crash leaves of them here ends with their links
    except ProspectorError as error:
        raise FilesLeft(job_id, error) from error


def _refuse_used_up(connection: Connection, job: Job, cap_credits: int) -> None:
    """A job that has paused for its budget and is given no more would say that it goes on, and pause at once."""
    totals = spend.job_totals(connection, job.id)
    used = totals.used + totals.reserved
    if halt_of(job.reason) is Halt.BUDGET and used >= cap_credits:
        raise BudgetReached(
            f"Job {job.id} has used {used:,} credits: a limit of {cap_credits:,} pays for nothing more.",
            f"Give it a higher one: prospector job resume {job.id} --max-credits {higher_budget(used)}",
        )


def _reopen_failed(connection: Connection, job_id: str) -> int:
    failed = list(domains.failed(connection, job_id))
    batches = (failed[first : first + REOPENED_AT_ONCE] for first in range(0, len(failed), REOPENED_AT_ONCE))
    return sum(len(domains.reopen(connection, job_id, batch)) for batch in batches)


def _has_parked(frontier: Frontier, job_id: str) -> bool:
    known = frontier.run(job_calls.status([job_id]))[0]
    return known is not None and any(known.parked_pages.values())


def _move(
    engine: Engine, job_id: str, to: JobState, reason: str, only_from: frozenset[JobState], otherwise: str
) -> None:
    with engine.begin() as connection:
        try:
            jobs.move(connection, job_id, to, reason, only_from)
        except IllegalMove as error:
            raise NotNow(job_id, jobs.job(connection, job_id).state, otherwise) from error
