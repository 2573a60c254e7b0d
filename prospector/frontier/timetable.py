"""The calls that a worker makes by itself, and when each is due: not while one is under way."""

import math


class Timetable:
    def __init__(self, *calls: str) -> None:
        self._at = dict.fromkeys(calls, 0.0)
        self._hurried: set[str] = set()  # while under way: due again at once

    def begin(self, call: str, now: float) -> bool:
        """Is it due? Then it is under way from now on."""
        if now < self._at.get(call, math.inf):
            return False
        self._at[call] = math.inf
        return True

    def end(self, call: str, next_at: float) -> None:
        self.refuse(call, 0.0 if call in self._hurried else next_at)

    def refuse(self, call: str, next_at: float) -> None:
        """Not before then, whoever hurries it."""
        self._hurried.discard(call)
        if call in self._at:
            self._at[call] = next_at

    def hurry(self, *calls: str) -> None:
        for call in calls:
            if self._at.get(call) == math.inf:
                self._hurried.add(call)
            elif call in self._at:
                self._at[call] = 0.0

    def break_off(self) -> None:
        """What was under way is due now."""
        self._hurried.clear()
        self._at = {call: 0.0 if at == math.inf else at for call, at in self._at.items()}

    def drop(self, call: str) -> None:
        self._at.pop(call, None)

    def next_at(self) -> float:
        return min(self._at.values())
