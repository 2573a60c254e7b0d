"""After a start of Redis: the money of each running job as the ledger has it. Until then nothing is paid for."""

from sqlalchemy import Connection

from prospector.frontier import paid_calls
from prospector.frontier.client import Frontier
from prospector.store import spend


def balance(connection: Connection, frontier: Frontier) -> list[str]:
    """Returns the jobs that were. May be done by any number of processes, and again: the newest figures hold."""
    jobs = frontier.run(paid_calls.unbalanced())
    for job in jobs:
        # a call that is settled between the two reads counts twice then: too much, until the next time, never too little
        unsettled = spend.unsettled_of(connection, job)
        used = spend.job_totals(connection, job).used
        frontier.run(paid_calls.balance(job, used, unsettled.items()))
    return jobs
