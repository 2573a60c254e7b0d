"""Jobs that were under way when the servers of this machine stopped: they go on by themselves, and it is said, once."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, Engine

from prospector.core.job.states import IN_FLIGHT
from prospector.errors import ServerUnreachable
from prospector.frontier.client import Frontier
from prospector.jobs.follow import reconcile
from prospector.store import events, jobs
from prospector.store.jobs import Job
from prospector.store.kinds import EventKind

FACT = "interrupted_at"


@dataclass(frozen=True)
class Interruption:
    job: Job
    at: datetime


def newly_interrupted(engine: Engine, stopped_at: datetime) -> list[Interruption]:
    """Those that the stop at that moment has interrupted and of which nobody was told: the record notes who was.

    A job that was started, resumed or paused since is none of them.
    """
    with engine.connect() as connection:
        under_way = [one for one in jobs.listed(connection, IN_FLIGHT) if one.moved_at < stopped_at]
    found = []
    for one in under_way:
        with engine.begin() as connection:
            if _noted(connection, one, stopped_at):
                found.append(Interruption(one, stopped_at))
    return found


def go_on(engine: Engine, frontier: Frontier, found: list[Interruption]) -> None:
    for one in found:
        try:
            reconcile(engine, frontier, one.job.id)
        except ServerUnreachable:
            return


def _noted(connection: Connection, job: Job, stopped_at: datetime) -> bool:
    """False: it was before. Of two commands at once the second waits for the first."""
    facts = {FACT: stopped_at.isoformat()}
    if events.has(connection, EventKind.NOTE, job.id, facts):  # no command waits for whoever is at that job now
        return False
    jobs.hold_still(connection, job.id)
    if events.has(connection, EventKind.NOTE, job.id, facts):
        return False
    words = f"interrupted at {stopped_at:%Y-%m-%d %H:%M} UTC, when its servers stopped; it goes on"
    events.record(connection, EventKind.NOTE, words, job.id, facts)
    return True
