"""What a worker tells and asks, in order, until it is answered."""

import asyncio
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from redis.exceptions import RedisError

from prospector import logs
from prospector.errors import ProspectorError
from prospector.frontier.calls import Call
from prospector.frontier.client import defect, is_of_state

LOG = logs.named(__name__)


@dataclass(frozen=True, slots=True)
class Told:
    call: Call[Any]
    answer: "asyncio.Future[Any] | None"  # None: nobody waits for it

    def resolve(self, answer: Any) -> None:
        if self.answer is None or self.answer.done():
            return
        if isinstance(answer, ProspectorError):
            self.answer.set_exception(answer)
        else:
            self.answer.set_result(answer)


class Outbox:
    def __init__(self, worker: str) -> None:
        self._worker = worker
        self._waiting: deque[Told] = deque()
        self._sent: deque[Told] = deque()  # and not answered yet
        self._refused: list[Told] = []  # for the state the server is in

    def __bool__(self) -> bool:
        """Is there something to send?"""
        return bool(self._waiting)

    def put(self, call: Call[Any], answer: "asyncio.Future[Any] | None" = None) -> None:
        self._waiting.append(Told(call, answer))

    def send(self, most: int) -> list[Call[Any]]:
        batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), most))]
        self._sent.extend(batch)
        return [told.call for told in batch]

    def hear(self, answers: Iterable[Any]) -> None:
        """To what was sent first: round trips are answered in their order."""
        for answer in answers:
            told = self._sent.popleft()
            if is_of_state(answer):
                self._refused.append(told)
            elif isinstance(answer, RedisError):
                LOG.error("frontier_refused", worker=self._worker, operation=told.call.script, error=str(answer))
                told.resolve(defect(told.call, answer))
            else:
                told.resolve(answer)

    def send_again(self) -> None:
        """What was refused, and what was sent and not answered, which may have happened or not: before all else."""
        self._waiting.extendleft(reversed([*self._refused, *self._sent]))
        self._refused.clear()
        self._sent.clear()

    def settled(self) -> set[str]:
        """Leases whose last word is still to be sent."""
        return {str(told.call.arguments[0]) for told in self._waiting if told.call.script == "settle"}
