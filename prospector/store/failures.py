"""What a failed statement means for the caller, and the one kind that is simply run again."""

import random
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import TypeVar

from sqlalchemy.exc import DBAPIError

from prospector.errors import EnvironmentInvalid, ProspectorError, ServerUnreachable

T = TypeVar("T")
TRIES = 6
UNDEFINED_TABLE = "42P01"
LONGEST_PAUSE_SECONDS = 0.05


class Failure(Enum):
    CONFLICT = "lost against another transaction: the same again will do"
    REFUSED = "a value cannot be stored: the same again fails again"
    AWAY = "the server is away, full or overloaded: wait for it"
    MISSING = "the schema or a right is missing: an operator has to act"


# SQLSTATE, or its first two characters for a whole class; the longest that fits decides
MEANINGS = {
    "40": Failure.CONFLICT,  # serialization failure, deadlock
    "55P03": Failure.CONFLICT,  # lock_timeout
    "22": Failure.REFUSED,  # data
    "23": Failure.REFUSED,  # constraints
    "54": Failure.REFUSED,  # too long for an index, too many columns
    "08": Failure.AWAY,  # connection
    "53": Failure.AWAY,  # disk full, out of memory, too many connections
    "57": Failure.AWAY,  # shutdown, crash, starting up, statement_timeout
    "58": Failure.AWAY,  # the server's own files
    "25006": Failure.AWAY,  # read-only: a standby that is being promoted
    "XX": Failure.AWAY,
}


def is_without_table(error: DBAPIError) -> bool:
    return getattr(error.orig, "pgcode", None) == UNDEFINED_TABLE


def failure(error: DBAPIError) -> Failure:
    code = getattr(error.orig, "pgcode", None)
    if code is None:  # the connection broke before the server could say anything
        return Failure.AWAY
    return MEANINGS.get(code) or MEANINGS.get(code[:2]) or Failure.MISSING


@contextmanager
def in_our_words() -> Iterator[None]:
    """For a process that does not run the same again by itself."""
    try:
        yield
    except DBAPIError as error:
        words = " ".join(str(error.orig).split())
        if getattr(error.orig, "pgcode", None) is None and "out of memory" in words:
            # libpq's own: it reports the limit of this process as its server's fault
            raise MemoryError(words) from error
        raise _told(failure(error), words) from error


def _told(failure: Failure, words: str) -> ProspectorError:
    match failure:
        case Failure.REFUSED:
            remedy = "This is a defect of Prospector: run it again with --debug and report the output."
            return ProspectorError(f"Postgres refuses a value: {words}", remedy)
        case Failure.MISSING:
            remedy = "A right is missing, or the schema: see prospector db roles and prospector db migrate."
            return EnvironmentInvalid(f"Postgres does not do it: {words}", remedy)
    return ServerUnreachable(f"Postgres ended the work: {words}", "Try again: prospector doctor says how it is.")


def again(work: Callable[[], T]) -> T:
    """Runs `work`, a whole transaction, until it no longer loses against another one; six times at most."""
    for tries in range(1, TRIES):
        try:
            return work()
        except DBAPIError as error:
            if failure(error) is not Failure.CONFLICT:
                raise
        time.sleep(random.uniform(0, LONGEST_PAUSE_SECONDS) * tries)  # noqa: S311  # no secret: apart from each other
    return work()


def each(items: Iterable[T], work: Callable[[T], object]) -> None:
    """Of all of them, also after one that fails, which is raised at the end. A server that is away ends it at once."""
    failed: Exception | None = None
    for one in items:
        try:
            work(one)
        except ServerUnreachable:
            raise
        except (DBAPIError, ProspectorError) as error:
            failed = error
    if failed:
        raise failed
