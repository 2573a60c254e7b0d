"""A small process beside the supervisor: when that ends in any way, kill -9 included, its servers end too.

It waits for the end of a pipe, because that works on every system and, unlike a parent-death signal, survives a change of user.
"""

import os
import signal

from prospector.local import leftovers
from prospector.local.home import Home, remove_marked

DESCRIPTORS = 1024


def fork(home: Home, generation: str) -> tuple[int, int]:
    """The guard's pid, and the descriptor whose closing it waits for."""
    servers, mark, sockets = home.server_locks, home.mark, home.sockets  # while the folder is there
    reading, writing = os.pipe()
    supervisor = os.getpid()
    pid = os.fork()
    if pid:
        os.close(reading)
        return pid, writing
    try:
        signal.set_wakeup_fd(-1)
        for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            signal.signal(one, signal.SIG_IGN)  # it ends last
        # whatever the supervisor holds (its lock, Scrapyd's port) must end with the supervisor
        os.closerange(3, reading)
        os.closerange(reading + 1, DESCRIPTORS)
        os.read(reading, 1)
        leftovers.end(servers, mark, generation)
    except FileNotFoundError:
        # the stack's folder was deleted while it ran: no lock can tell any more who is left, but all are of one group.
        # Nor will a next start take away what lies beside it, a key among the options for instance
        remove_marked(sockets.parent, mark)
        if os.getpgrp() == supervisor:
            os.killpg(supervisor, signal.SIGKILL)
    finally:
        os._exit(0)
