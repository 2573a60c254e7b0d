"""What jobs have cost, for the next one's estimate and beside the account of the provider."""

from datetime import datetime

from sqlalchemy import Connection, func, select

from prospector.core.job.cost import PastJob
from prospector.core.job.states import JobState
from prospector.core.visits.methods import Mode
from prospector.store.tables import jobs, spend

JOBS_MOST = 50  # the newest: prices, sites and our own ways change


def history(connection: Connection, mode: Mode) -> list[PastJob]:
    """Jobs of this mode that were crawled to their end. One that has paid for nothing says nothing about costs: most likely
    it had no key."""
    used = select(func.coalesce(func.sum(spend.c.used_credits), 0)).where(spend.c.job == jobs.c.id).scalar_subquery()
    wanted = (
        select(jobs.c.domains_total, used)
        .where(jobs.c.state.in_([JobState.COMPLETED, JobState.ARCHIVED]), jobs.c.spec["mode"].astext == mode)
        .where(used > 0)
        .order_by(jobs.c.created_at.desc())
        .limit(JOBS_MOST)
    )
    return [PastJob(domains, used_credits) for domains, used_credits in connection.execute(wanted)]


def used_since(connection: Connection, moment: datetime) -> int:
    """Credits of calls that were settled since, of all jobs, deleted ones included."""
    total: int = (
        connection.scalar(select(func.coalesce(func.sum(spend.c.used_credits), 0)).where(spend.c.at >= moment)) or 0
    )
    return total
