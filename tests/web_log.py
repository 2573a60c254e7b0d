"""The log of the small web, which is written in steps: complete up to a request of our own, once that is in it."""

import secrets
import time
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

from prospector.demo.web.request_log import Entry, entries

OURS = ".nobody.test"
PATIENCE_SECONDS = 60


def entries_until_now(log: Path, address: str) -> list[Entry]:
    """Those of others; `address` is where the web listens. Of ours the checker has nothing to say."""
    host = secrets.token_hex(8) + OURS
    with closing(HTTPConnection(address, timeout=PATIENCE_SECONDS)) as connection:
        connection.request("GET", "/robots.txt", headers={"Host": host})
        connection.getresponse().read()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        found = list(entries(log))
        if any(entry.host == host for entry in found):
            return [entry for entry in found if not entry.host.endswith(OURS)]
        assert time.monotonic() < deadline, "the log is not written"
        time.sleep(0.05)
