"""A job's own part of pages and mentions: made with the job, dropped with its results, always used by its own name.

Whoever names the partition takes no lock on the parent, so a long export of one job never stands in the way of another job
that begins or ends.
"""

import re
from functools import cache

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from prospector.errors import Conflict, NotFound
from prospector.store.failures import Failure, failure

JOB_ID = re.compile("[a-z][a-z0-9]{5}")


class ResultsDeleted(NotFound):
    def __init__(self, job: str) -> None:
        super().__init__(
            f"The results of job {job} are deleted.", "prospector job list --include-archived shows what is left of it."
        )


class ResultsInUse(Conflict):
    def __init__(self, job: str) -> None:
        super().__init__(
            f"The results of job {job} are being written or exported.",
            "Try again when that has ended: prospector job export-status " + job,
        )


@cache
def pages_of(job: str) -> str:
    return f"pages_{checked(job)}"


@cache
def mentions_of(job: str) -> str:
    return f"mentions_{checked(job)}"


def checked(job: str) -> str:
    """The id, once it is certain to be one: it becomes part of a statement."""
    if not JOB_ID.fullmatch(job):
        raise NotFound(f"There is no job {job!r}.", "prospector job list shows all.")
    return job


def make(connection: Connection, job: str) -> None:
    """Made twice is made once."""
    connection.execute(text("SELECT make_partitions(:job)"), {"job": checked(job)})


def drop(connection: Connection, job: str) -> None:
    """Waits a quarter of a second for whoever uses them, then raises ResultsInUse. Dropped twice is dropped once."""
    try:
        connection.execute(text("SELECT drop_partitions(:job)"), {"job": checked(job)})
    except DBAPIError as error:
        if failure(error) is Failure.CONFLICT:
            raise ResultsInUse(job) from error
        raise
