"""What this worker knows of robots.txt, by authority; the frontier keeps it for all.

Every text is kept packed, 150 bytes for a usual one and two thousand for a thousand rules. A parsed rule takes up to a
kilobyte: rules are parsed where they are asked, and those asked last are kept.
"""

import time
from collections import OrderedDict

from prospector.core.visits.robots_visit import authority
from prospector.core.web.robots import Robots, decoded

KEPT_SECONDS = 3_600  # then the frontier is asked again, where it lasts for a day
KEPT_BYTES = 8_000_000
ENTRY_BYTES = 300  # of what surrounds a packed text
RULES_AT_HAND = 10_000


class RobotsBook:
    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[bytes, float]] = OrderedDict()
        self._bytes = 0
        self._at_hand: OrderedDict[str, Robots] = OrderedDict()
        self._rules = 0

    def known(self, url: str) -> Robots | None:
        of_authority = authority(url)
        packed, until = self._known.get(of_authority, (b"", 0.0))
        if until <= time.monotonic():
            return None
        if of_authority in self._at_hand:
            self._at_hand.move_to_end(of_authority)
        else:
            self._take_to_hand(of_authority, decoded(packed))
        return self._at_hand[of_authority]

    def learn(self, of_authority: str, read: Robots) -> None:
        self._forget(of_authority)
        packed = read.encoded()
        self._known[of_authority] = packed, time.monotonic() + KEPT_SECONDS
        self._bytes += len(packed) + ENTRY_BYTES
        while self._bytes > KEPT_BYTES and len(self._known) > 1:
            self._forget(next(iter(self._known)))
        self._take_to_hand(of_authority, read)

    def _take_to_hand(self, of_authority: str, read: Robots) -> None:
        self._at_hand[of_authority] = read
        self._rules += _rules(read)
        while self._rules > RULES_AT_HAND and len(self._at_hand) > 1:
            self._rules -= _rules(self._at_hand.popitem(last=False)[1])

    def _forget(self, of_authority: str) -> None:
        if of_authority in self._known:
            self._bytes -= len(self._known.pop(of_authority)[0]) + ENTRY_BYTES
        if of_authority in self._at_hand:
            self._rules -= _rules(self._at_hand.pop(of_authority))


def _rules(read: Robots) -> int:
    return 1 + read.rules.count("\n")
