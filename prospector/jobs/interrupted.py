"""Jobs that were under way when the machine, or its servers, stopped: they go on by themselves, and it is said."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Engine

from prospector.core.states import IN_FLIGHT
from prospector.errors import ServerUnreachable
from prospector.frontier.client import Frontier
from prospector.jobs.follow import reconcile
from prospector.jobs.listing import listing
from prospector.store.jobs import Job


@dataclass(frozen=True)
class Interrupted:
    job: Job
    at: datetime


def interrupted(engine: Engine, frontier: Frontier, servers_started_at: datetime) -> list[Interrupted]:
    """Those of which nothing was heard since the servers were started."""
    found = []
    for one in listing(engine, frontier, IN_FLIGHT):
        heard_at = max(filter(None, [one.last_activity, one.job.moved_at]))
        if heard_at < servers_started_at:
            found.append(Interrupted(one.job, heard_at))
    return found


def go_on(engine: Engine, frontier: Frontier, found: list[Interrupted]) -> None:
    for one in found:
        try:
            reconcile(engine, frontier, one.job.id)
        except ServerUnreachable:
            return
