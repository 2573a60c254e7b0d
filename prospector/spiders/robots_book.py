"""What this worker knows of robots.txt, by authority; the frontier keeps it for all."""

import time
from collections import OrderedDict

from prospector.core.robots import Robots
from prospector.core.robots_visit import authority

KEPT = 10_000
KEPT_SECONDS = 3_600  # then the frontier is asked again, where it lasts for a day


class RobotsBook:
    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[Robots, float]] = OrderedDict()

    def known(self, url: str) -> Robots | None:
        found = self._known.get(authority(url))
        return found[0] if found and found[1] > time.monotonic() else None

    def learn(self, of_authority: str, read: Robots) -> None:
        self._known[of_authority] = read, time.monotonic() + KEPT_SECONDS
        self._known.move_to_end(of_authority)
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
