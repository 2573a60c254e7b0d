"""Before a stop: no waiting spider begins, and the running ones end in good order, with their last batch."""

import time
from contextlib import suppress

from prospector import nodes
from prospector.errors import ProspectorError
from prospector.local import locks
from prospector.local.home import Home

DRAIN_SECONDS = 60
LOOK_SECONDS = 0.1


def spiders(home: Home, url: str) -> None:
    """Their lock, not Scrapyd's list, says when they are gone: it knows of those that a killed Scrapyd has forgotten."""
    told: set[str] = set()
    until = time.monotonic() + DRAIN_SECONDS
    while time.monotonic() < until:
        with suppress(
            ProspectorError
        ):  # a Scrapyd that does not answer has no spiders to stop; its end stops those there are
            for run in nodes.node(url).runs:
                if run.stage is not nodes.Stage.FINISHED and run.id not in told:
                    nodes.cancel(url, run.id)
                    told.add(run.id)
        if not locks.shared(home.lock("spiders")):
            return
        time.sleep(LOOK_SECONDS)
