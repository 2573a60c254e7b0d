"""The money of a job as the ledger has it, where the frontier may have it otherwise. Until it is read nothing is paid for."""

from sqlalchemy import Connection

from prospector.core.visits.ladder import Parked
from prospector.frontier import calls, job_calls, paid_calls
from prospector.frontier.client import Frontier
from prospector.store import spend


def balance(connection: Connection, frontier: Frontier) -> list[str]:
    """Of all running jobs, after a start of Redis. Returns those that were. May be done by any number of processes."""
    jobs = frontier.run(paid_calls.unbalanced())
    return [job for job in jobs if balance_job(connection, frontier, job)]


def balance_job(connection: Connection, frontier: Frontier, job: str) -> bool:
    """False where somebody else is at it, with newer figures."""
    sign = frontier.run(paid_calls.doubt(job))
    # a call that is settled between the two reads counts twice then: too much, until the next time, never too little
    unsettled = spend.unsettled_of(connection, job)
    used = spend.job_totals(connection, job).used
    return frontier.run(paid_calls.balance(job, sign, used, unsettled.items()))


def regain(connection: Connection, frontier: Frontier, job: str) -> bool:
    """Of a job at rest for its budget: did the frontier count more than the ledger? Workers that were killed before they made
    the calls they were granted leave that, and calls that Redis forgot and that cost less. Then its pages go on."""
    known = frontier.run(job_calls.status([job]))[0]
    totals = spend.job_totals(connection, job)
    if known is None or totals.used + totals.reserved >= known.credits_used:
        return False
    if balance_job(connection, frontier, job):
        frontier.run(calls.lift(job, [Parked.BUDGET]))
    return True
