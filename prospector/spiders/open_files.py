"""How many files and connections this process may have open: a system's usual limit is less than a worker needs."""

import resource

from prospector import logs

LOG = logs.named(__name__)
WANTED = 4_096
NEEDED = 512  # 256 fetches, some of two connections while one is closed, and what Python has open


def raise_open_files() -> int:
    """Up to what the system lets us; gives what it is then."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < WANTED:
        soft = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft != resource.RLIM_INFINITY and soft < NEEDED:
        LOG.warning("few_open_files", allowed=soft, needed=NEEDED, message="Raise it: ulimit -Hn, LimitNOFILE, nofile.")
    return soft
