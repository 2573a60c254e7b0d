"""The child process of one export: `python -m prospector.jobs.exports`. The steward starts it, and it ends with its export.

It claims the oldest export that waits, so that nothing about it stands in the list of processes. DATABASE_URL and
STORAGE_URL have to be in its environment.
"""

import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from prospector import settings
from prospector.blobs import storage
from prospector.errors import EnvironmentInvalid, NotFound, SettingInvalid, end_in_words
from prospector.jobs.exports.heart import SILENT_SECONDS
from prospector.jobs.exports.run import Stores, hand_back, put_back, run
from prospector.store import exports, server

CONNECTIONS = 2  # one for the export, one for its heart
MEGABYTE = 2**20
ASKED_TO_END = frozenset({signal.SIGTERM})  # the steward ends, or its machine


def limit_memory(megabytes: int) -> None:
    """On Linux the kernel then refuses memory, and the export ends with a reason instead of taking the machine with it."""
    resource.setrlimit(resource.RLIMIT_DATA, (megabytes * MEGABYTE, resource.getrlimit(resource.RLIMIT_DATA)[1]))


class AskedToEnd(SystemExit):
    """Unwinds whatever is under way, as Ctrl-C would: nothing unfinished stays."""


@contextmanager
def ends_when_asked() -> Iterator[None]:
    """From here on a SIGTERM is heard, once; one that came before is heard now."""

    def end(number: int, _: FrameType | None) -> None:
        signal.signal(number, signal.SIG_IGN)
        raise AskedToEnd(128 + number)

    signal.signal(signal.SIGTERM, end)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ASKED_TO_END)
    yield


def stores() -> Stores:
    if not settings.DATABASE_URL or not settings.STORAGE_URL:
        raise SettingInvalid(
            "An export needs DATABASE_URL and STORAGE_URL.", "prospector steward sets both for the exports it starts."
        )
    record = server.engine(settings.DATABASE_URL, "prospector export", CONNECTIONS)
    reader = server.engine(settings.READER_DATABASE_URL or settings.DATABASE_URL, "prospector export")
    files = storage(settings.STORAGE_URL, settings.AWS_ENDPOINT_URL)
    return Stores(record, reader, files, settings.CREDIT_PRICE_USD, settings.RETENTION_DAYS)


def main() -> None:
    sys.excepthook = end_in_words
    limit_memory(settings.EXPORT_MEMORY_MB)
    used = stores()
    signal.pthread_sigmask(signal.SIG_BLOCK, ASKED_TO_END)  # until it is clear what would have to be handed back
    with used.record.begin() as connection:
        exports.give_up(connection, SILENT_SECONDS)
        export = exports.claim(connection, SILENT_SECONDS)
    if export is None:
        raise NotFound("No export waits.", "prospector job export starts one.")
    try:
        with ends_when_asked():
            run(used, export)
    except AskedToEnd:
        hand_back(used, export)
        raise
    except MemoryError:
        with used.record.begin() as connection:
            exports.fail(
                connection, export, f"It needs more than {settings.EXPORT_MEMORY_MB} MB: raise EXPORT_MEMORY_MB."
            )
        raise
    except OSError as error:
        words = f"{error.strerror} ({error.filename})" if error.filename else error.strerror or str(error)
        told = EnvironmentInvalid(
            f"The machine that makes it does not allow it: {words}.", "Free some space in its TMPDIR."
        )
        put_back(used, export, str(told))
        raise told from error
    except (ValueError, TypeError, LookupError, AssertionError, ArithmeticError, AttributeError) as error:
        # a defect of ours: the user reads one line, the log has the traceback
        put_back(used, export, f"Unexpected {type(error).__name__}: {error}. This is a defect of Prospector.")
        raise


if __name__ == "__main__":
    main()
