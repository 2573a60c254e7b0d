"""Since when a server has been away, as one steward sees it: a job that waits for it for a whole day has failed."""

import time
from collections.abc import Callable

DAY_SECONDS = 24 * 3600.0


class Absences:
    """`clock` only goes forward, and not while the machine sleeps."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: dict[str, float] = {}

    def note(self, server: str, *, is_away: bool) -> bool:
        """True once it has been away for a day."""
        if not is_away:
            self._since.pop(server, None)
            return False
        now = self._clock()
        return now - self._since.setdefault(server, now) >= DAY_SECONDS
