"""The frontier follows the record: whatever was interrupted between the two is mended here."""

from dataclasses import replace

from sqlalchemy import Connection, Engine

from prospector.core.job.states import ENDED, JobState
from prospector.core.visits.ladder import Parked
from prospector.core.visits.outcomes import DomainState
from prospector.errors import NotFound
from prospector.frontier import calls, job_calls
from prospector.frontier.client import Frontier
from prospector.frontier.job_calls import Status
from prospector.jobs import ending, fill, targets
from prospector.jobs.checkpoint import checkpoint
from prospector.jobs.rebuild import rebuild_if_lost
from prospector.store import domains, jobs
from prospector.store.jobs import Job

ALL_REASONS = tuple(Parked)
TURNS_MOST = 4  # a job may pause, and end, within one look


def reconcile(
    engine: Engine, frontier: Frontier, job_id: str, *, lift_again: bool = False, check_domains: bool = False
) -> JobState:
    """Makes the frontier do what the record says of this job, and moves the job where its work is over. Returns its state.

    Done again, by anybody and at any time, it changes nothing: commands, whoever looks at a job, and the steward call it.
    `lift_again`: parked pages of a running job are tried again. `check_domains`: some may be missing, look at once.
    """
    if _known(frontier, job_id) is None:
        rebuild_if_lost(engine, frontier)
    for _ in range(TURNS_MOST):
        with engine.begin() as connection:
            job = jobs.hold_still(connection, job_id)
            state = _follow(connection, frontier, job, lift_again, check_domains)
        if state is job.state:
            break
    return state


def bring_on(engine: Engine, frontier: Frontier, job_id: str) -> None:
    """As reconcile, for whoever only looks: what somebody else is at, a rebuild for example, is not waited for."""
    if _known(frontier, job_id) is None:
        rebuild_if_lost(engine, frontier)
    for _ in range(TURNS_MOST):
        with engine.begin() as connection:
            job = jobs.hold_if_free(connection, job_id)
            if job is None or _follow(connection, frontier, job, False, False) is job.state:
                return


def follow(engine: Engine, frontier: Frontier, job_id: str) -> None:
    """Reconciles also a job that the frontier has and the record, by now, has not."""
    try:
        reconcile(engine, frontier, job_id)
    except NotFound:  # it was deleted
        drop(frontier, job_id)


def drop_ended(engine: Engine, frontier: Frontier) -> list[str]:
    """What the frontier still has of jobs that have ended while it could not be told. Returns them."""
    with engine.connect() as connection:
        under_way = {one.id for one in jobs.listed(connection, frozenset(JobState) - ENDED)}
    ended = sorted(_all_here(frontier) - under_way)
    for job in ended:
        follow(engine, frontier, job)
    return ended


def prepare(engine: Engine, frontier: Frontier, job_id: str) -> None:
    """Fills in a job that is about to be started: nobody else fills it meanwhile, because it does not run yet."""
    if _known(frontier, job_id) is None:
        rebuild_if_lost(engine, frontier)
    with engine.begin() as connection:
        if jobs.hold_still(connection, job_id).state is JobState.PENDING:
            fill.fill(connection, frontier, job_id)


def _follow(connection: Connection, frontier: Frontier, job: Job, lift_again: bool, check_domains: bool) -> JobState:
    """The state that it has then."""
    here = _here(frontier, job.id)
    known = here if here and here.filled else None
    match job.state:
        case JobState.RUNNING:
            _run(connection, frontier, job, known, lift_again or known is None or known.held, check_domains)
        case JobState.PAUSING:
            _pause(connection, frontier, job, known)
        case JobState.PAUSED:
            if here and not here.held:
                frontier.run(calls.hold(job.id))
            if check_domains and known:
                _add_missing(connection, frontier, job, known)
        case JobState.PENDING:
            pass
        case _:
            if job.state is JobState.CANCELLED:
                domains.fail_again(connection, job.id)
            if known:
                checkpoint(connection, job, _as_recorded(connection, job, known))
            if here:
                drop(frontier, job.id)
    return jobs.job(connection, job.id).state


def _run(
    connection: Connection, frontier: Frontier, job: Job, known: Status | None, lift: bool, check_domains: bool
) -> None:
    if known is None:
        fill.fill(connection, frontier, job.id)
    elif check_domains or known.held or left(known) == 0 or known.domains_total > job.domains_total:
        _add_missing(connection, frontier, job, known)
    if lift:
        frontier.run(calls.lift(job.id, ALL_REASONS, job.max_credits))
    now = _known(frontier, job.id)
    if now and _is_through(now):
        _end(connection, frontier, job, now)
    elif ending.rest(connection, frontier, job):
        frontier.run(calls.hold(job.id))


def _pause(connection: Connection, frontier: Frontier, job: Job, known: Status | None) -> None:
    if known and _is_through(known) and _end(connection, frontier, job, known):
        return
    if frontier.run(calls.hold(job.id)) == 0:
        jobs.move(connection, job.id, JobState.PAUSED, job.reason)
        if known:
            checkpoint(connection, job, known, JobState.PAUSED)


def _add_missing(connection: Connection, frontier: Frontier, job: Job, known: Status) -> None:
    """Domains that the record has left and the frontier has not: a fill was interrupted, or finished ones were asked for again."""
    tally = domains.tally(connection, job.id)
    total = known.domains_total
    if tally[DomainState.WAITING] + tally[DomainState.OPEN] > left(known):
        total += fill.add_missing(connection, frontier, job.id)
    again = total - job.domains_total
    if again > 0:  # they are counted as ended as well, most of them as failed; perhaps by one that died right here
        failed = min(again, max(0, known.domains_failed - tally[DomainState.FAILED]))
        frontier.run(job_calls.reopened(job.id, failed=failed, done=again - failed))


def _as_recorded(connection: Connection, job: Job, known: Status) -> Status:
    """What the frontier still had open of a cancelled job may have an end in the record: of an earlier try, or just now."""
    tally = domains.tally(connection, job.id)
    return replace(known, domains_done=tally[DomainState.DONE], domains_failed=tally[DomainState.FAILED])


def _end(connection: Connection, frontier: Frontier, job: Job, known: Status) -> JobState | None:
    """None: the record has domains left, or the client's own addresses are asked for now that the list is done."""
    if ending.has_left(connection, job):
        return None
    if not known.clients_asked and targets.ask(connection, frontier, job):
        return None
    targets.mark_dead(connection, job)
    return ending.end(connection, job)


def _is_through(known: Status) -> bool:
    """A client's site that asks for a far moment is not waited for: its other addresses stay unknown."""
    return left(known) == 0 and known.clients_open <= known.domains_stalled


def left(known: Status) -> int:
    """Of the list."""
    return known.domains_waiting + known.domains_open


def _known(frontier: Frontier, job_id: str) -> Status | None:
    """None also where its filling was interrupted: what is here of it is not all, and it is filled again."""
    here = _here(frontier, job_id)
    return here if here and here.filled else None


def _here(frontier: Frontier, job_id: str) -> Status | None:
    return frontier.run(job_calls.status([job_id]))[0]


def _all_here(frontier: Frontier) -> set[str]:
    place, found = frontier.run(job_calls.jobs_here())
    here = set(found)
    while place != "0":
        place, found = frontier.run(job_calls.jobs_here(place))
        here.update(found)
    return here


def drop(frontier: Frontier, job_id: str) -> None:
    while not frontier.run(job_calls.drop(job_id)):
        pass
