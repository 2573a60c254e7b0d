"""A Redis that has lost everything, or a job, is filled from the record. Any number of processes may try at any time."""

from dataclasses import dataclass

from sqlalchemy import Connection, Engine

from prospector import logs
from prospector.core.job.states import UNDER_WAY, JobState
from prospector.frontier import calls, rebuild_calls
from prospector.frontier.client import Frontier
from prospector.frontier.rebuild_calls import Lost, RecalledSite
from prospector.jobs.fill import fill
from prospector.store import jobs, locks, rebuild, schema, sites
from prospector.store.failures import each
from prospector.store.locks import Lock

LOG = logs.named(__name__)
SITES_A_CALL = 1_000


@dataclass(frozen=True)
class Rebuilt:
    """`everything`: Redis was empty. `jobs`: those that were filled."""

    everything: bool
    jobs: tuple[str, ...]


def rebuild_if_lost(engine: Engine, frontier: Frontier) -> Rebuilt | None:
    """None where nothing was lost, or where another process is mending it. Cheap enough to ask every second.

    Workers wait for the frontier to begin, and for each job to be lifted. A process that dies on the way leaves a job that is
    not `filled`, which the next one fills again.
    """
    with engine.connect() as connection:
        lost = _lost(connection, frontier)
        if not lost.anything:
            return None
        with locks.alone(connection, Lock.REBUILD) as alone:
            lost = _lost(connection, frontier)  # perhaps another has just done it
            if not alone or not lost.anything:
                return None
            _mend(connection, frontier, lost)
    return Rebuilt(lost.everything, lost.unfilled)


def forget_all(engine: Engine, frontier: Frontier) -> None:
    """After another record was put in place: the frontier knows of pages as read that this one lacks. So it is lost on purpose,
    and whoever looks next fills it as after any loss."""
    with engine.begin() as connection:
        locks.await_turn(connection, Lock.REBUILD)
        had = frontier.forget()
        if had and schema.revision(connection):
            while rebuild.next_epoch(connection) < had:  # the older record counts from its own: no lease may come twice
                pass


def _lost(connection: Connection, frontier: Frontier) -> Lost:
    under_way = [one.id for one in jobs.listed(connection, UNDER_WAY)]
    return frontier.run(rebuild_calls.lost(under_way))


def _mend(connection: Connection, frontier: Frontier, lost: Lost) -> None:
    if lost.everything:
        _recall_sites(connection, frontier)
        frontier.run(calls.begin(rebuild.next_epoch(connection)))
    connection.commit()
    each((*lost.unfilled, *lost.unlifted), lambda job: _mend_job(connection, frontier, job))


def _mend_job(connection: Connection, frontier: Frontier, job: str) -> None:
    with connection.begin():
        _fill(connection, frontier, job)


def _fill(connection: Connection, frontier: Frontier, job: str) -> None:
    """Whoever had the job before may have filled it, or ended it."""
    state = jobs.hold_still(connection, job).state
    if state not in UNDER_WAY:
        return
    if frontier.run(rebuild_calls.lost([job])).unfilled:
        LOG.info("job_filled", job=job, waiting=fill(connection, frontier, job))
    if state is JobState.RUNNING:
        frontier.run(calls.lift(job))


def _recall_sites(connection: Connection, frontier: Frontier) -> None:
    paces = [RecalledSite(one.site, one.delay_ms, one.blocked_until, one.strikes) for one in sites.recall(connection)]
    for start in range(0, len(paces), SITES_A_CALL):
        frontier.run(rebuild_calls.recall(paces[start : start + SITES_A_CALL]))
