"""A small process beside the supervisor: when that ends in any way, kill -9 included, its servers end too.

It waits for the end of a pipe, because that works on every system and, unlike a parent-death signal, survives a change of user.
"""

import os
import signal
from pathlib import Path

from prospector.local import leftovers


def fork(servers: list[Path], mark: str, generation: str, keep_not: tuple[int, ...]) -> tuple[int, int]:
    """The guard's pid, and the descriptor whose closing it waits for; `keep_not`: locks of the supervisor's own."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(reading)
        return pid, writing
    try:
        for descriptor in (writing, *keep_not):
            os.close(descriptor)
        for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            signal.signal(one, signal.SIG_IGN)  # it ends last
        os.read(reading, 1)
        leftovers.end(servers, mark, generation)
    finally:
        os._exit(0)
