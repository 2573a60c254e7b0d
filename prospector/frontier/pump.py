"""A worker's one conversation with Redis: everything it tells and asks goes in one pipeline a turn, and nothing waits for it.

What the crawl tells (children, releases, settlements) queues in an outbox. A turn sends it together with a beat and a claim
when they are due; the next turn does not wait for its answer, so a far Redis costs time and no throughput. Then the pump sleeps
exactly until there is something to do. While Redis is away, or refuses for its own state (full, read-only, out of disk), no
ticket is handed out; the outbox keeps, with what was not answered or refused in front, and goes on in the same order when it
is back.
"""

import asyncio
import math
from collections import deque
from collections.abc import Callable, Collection
from functools import partial
from typing import Any, TypeVar

from redis.exceptions import RedisError

from prospector import logs
from prospector.core.visits.ticket import Ticket, Verdict
from prospector.frontier import calls, keys
from prospector.frontier.calls import Call, Claim, Fetch, Terms
from prospector.frontier.client import AWAY, AsyncFrontier, Refusing, is_of_state
from prospector.frontier.desk import DelayBounds
from prospector.frontier.moments import Ago, steady_seconds
from prospector.frontier.outbox import Outbox
from prospector.frontier.timetable import Timetable
from prospector.frontier.troubles import Troubles

T = TypeVar("T")
LOG = logs.named(__name__)

BEATS_A_LEASE = 4
REAP_SECONDS = 5.0
IDLE_SECONDS = 1.0  # how late a new job, a lift or a freed domain may be noticed
GATHER_SECONDS = 0.004  # what is told within this time shares a round trip
RETURN_SECONDS = (0.1, 1.0)  # first and longest pause between two tries to reach Redis
MARGIN = 1 / 12  # a ticket is not sent in this last part of its lease
# nor if Redis has not been heard for so long: it may have lost it (HEARD_MS in claim.lua and begin.lua)
HEARD_SECONDS = 2.0
CALLS_A_TURN = 500
TURNS_MOST = 8  # round trips under way at once
REFUSED_SECONDS = 1.0  # pause after a refusal


class Pump:
    """A desk (desk.py). `room` says how many tickets the worker can take now; `deliver` gets them; `about` is what a beat says."""

    def __init__(
        self,
        frontier: AsyncFrontier,
        worker: str,
        terms: Terms,
        room: Callable[[], int],
        deliver: Callable[[list[Ticket]], None],
        about: Callable[[], dict[str, str | int]],
        broken: Callable[[BaseException], None] | None = None,
    ) -> None:
        self.worker = worker
        self.hands: dict[str, Ticket] = {}
        self.changes = 0
        self.next_work_seconds: float | None = None  # until there is more to claim, as far as the last claim could tell
        self.take_back: Callable[[], None] = lambda: None  # a job was held or lifted: what was not sent goes back
        self.heard_pace: Callable[[str, int, int], None] = lambda *_: None  # gets site, delay_ms, end of its block
        self.call_count = 0
        self.reconnections = 0
        self._frontier = frontier
        self._terms = terms
        self._room = room
        self._deliver = deliver
        self._about = about
        self._broken = broken
        self._lease_seconds = terms.lease_ms / 1000
        self._outbox = Outbox(worker)
        self._refusal: RedisError | None = None  # for the state the server is in
        self._troubles = Troubles(worker)
        self._turns: deque[asyncio.Task[None]] = deque()
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._stopping = False
        self._epoch = 0
        self._valid_until = 0.0
        self._called_back: set[str] = set()  # in hand when a job was held or lifted: what has not left stays here
        self._timetable = Timetable("beat", "reap", "claim")

    def start(self) -> None:
        self._task = asyncio.ensure_future(self._run())
        self._task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        if self._broken and not task.cancelled() and (error := task.exception()):
            self._broken(error)

    def tell(self, call: Call[Any]) -> None:
        self._outbox.put(call)
        self._wake.set()

    def ask(self, call: Call[T]) -> "asyncio.Future[T]":
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._outbox.put(call, answer)
        self._wake.set()
        return answer

    def settle(self, ticket: Ticket, call: Call[bool]) -> None:
        if self.hands.pop(ticket.lease, None):
            self.tell(call)

    def free(self, ticket: Ticket, how: Fetch, latency_ms: int, bounds: DelayBounds, retry_after_ms: int) -> None:
        now = Ago(steady_seconds())
        call = calls.release(
            ticket.lease, how, latency_ms, bounds.least_ms, bounds.most_ms, retry_after_ms, bounds.crawl_delay_ms, now
        )
        self.ask(call).add_done_callback(partial(self._hear_pace, ticket.site))

    def _hear_pace(self, site: str, answer: "asyncio.Future[tuple[int, int] | None]") -> None:
        if not answer.cancelled() and not answer.exception() and (pace := answer.result()):
            self.heard_pace(site, *pace)

    def give_back(self, ticket: Ticket) -> None:
        if ticket.lease in self.hands:
            self.tell(calls.release(ticket.lease, Fetch.UNSENT, 0, 0, 0))
        self.settle(ticket, calls.settle(ticket.lease, Verdict.UNSENT))

    def may_send(self, ticket: Ticket) -> bool:
        lease = ticket.lease
        return lease in self.hands and lease not in self._called_back and steady_seconds() < self._valid_until

    def poke(self) -> None:
        self._timetable.hurry("claim")
        self._wake.set()

    def drain(self) -> None:
        """No claim from now on."""
        self._timetable.drop("claim")
        self._wake.set()

    async def stop(self, within_seconds: float) -> bool:
        """Sends what is left to tell; False if Redis did not take it in time."""
        self.drain()
        self._stopping = True
        if self._task is None:
            return True
        self.tell(calls.leave(self.worker))
        done, _ = await asyncio.wait([self._task], timeout=within_seconds)
        if not done:
            self._task.cancel()
        await self._frontier.close()
        return bool(done)

    async def _run(self) -> None:
        connected = False
        pause, longest = RETURN_SECONDS
        try:
            while not (self._stopping and not self._outbox and not self._turns):
                try:
                    if not connected:
                        await self._open()
                        connected = True
                    self._begin_turns()
                    await self._sleep()
                    await self._end_turns()
                    pause = RETURN_SECONDS[0]
                except (*AWAY, Refusing) as error:
                    connected = False
                    self._valid_until = 0.0
                    self._troubles.say(error)
                    await self._break_off()
                    await asyncio.sleep(REFUSED_SECONDS if isinstance(error, Refusing) else pause)
                    pause = min(pause * 2, longest)
        finally:
            await self._break_off()

    async def _break_off(self) -> None:
        turns = list(self._turns)
        for turn in turns:
            turn.cancel()
        await asyncio.gather(*turns, return_exceptions=True)
        self._turns.clear()
        self._outbox.send_again()
        self._refusal = None
        self._timetable.break_off()

    async def _open(self) -> None:
        """A new connection: what Redis thinks we hold and we do not know of was granted in an answer that got lost, and what
        we hold and it does not know of it has forgotten."""
        before = self._frontier.run_id
        await self._frontier.open()
        self.reconnections += 1
        self._troubles.say_reached(restarted=bool(before) and before != self._frontier.run_id)
        held = await self._frontier.hands(keys.key(keys.HANDS, worker=self.worker))
        for lease in held - set(self.hands) - self._outbox.settled():
            self.tell(calls.settle(lease, Verdict.UNSENT))
        self._lose_hands(set(self.hands) - held)
        self._timetable.hurry("beat", "claim")

    def _begin_turns(self) -> None:
        while len(self._turns) < TURNS_MOST and not self._refusal:
            began = steady_seconds()
            room = self._room()
            due = self._due(began, room)
            batch = self._outbox.send(CALLS_A_TURN)
            if not batch and not due:
                return
            turn = asyncio.ensure_future(self._turn(batch, due, began, room))
            turn.add_done_callback(lambda _: self._wake.set())
            self._turns.append(turn)

    async def _end_turns(self) -> None:
        while self._turns and self._turns[0].done():
            self._turns.popleft().result()
            if not self._refusal:
                self._troubles.say_taken()
        if self._refusal and not self._turns:
            raise Refusing(str(self._refusal))

    async def _turn(self, batch: list[Call[Any]], due: list[Call[Any]], began: float, room: int) -> None:
        answers = await self._frontier.run_all(batch + due)
        self.call_count += 1
        self._refusal = next(filter(is_of_state, answers), self._refusal)
        self._outbox.hear(answers[: len(batch)])
        for call, answer in zip(due, answers[len(batch) :], strict=True):
            if isinstance(answer, RedisError):
                self._timetable.refuse(call.script, began + REFUSED_SECONDS)
                if not is_of_state(answer):
                    self._troubles.say_refused(call.script, str(answer))
            else:
                self._troubles.lasting.discard(call.script)
                self._hear(call, answer, began, room)

    def _due(self, now: float, room: int) -> list[Call[Any]]:
        due: list[Call[Any]] = []
        if self._timetable.begin("beat", now):
            due.append(calls.beat(self.worker, self._about(), self._terms.lease_ms))
        if self._timetable.begin("reap", now):
            due.append(calls.reap(self._terms.lease_ms))
        if self._timetable.begin("claim", now):  # one with no room still learns what was held or lost
            due.append(calls.claim(self.worker, max(0, room), self._terms, self._frontier.run_id))
        return due

    def _hear(self, call: Call[Any], answer: Any, began: float, room: int) -> None:
        match call.script:
            case "beat":
                self._timetable.end("beat", began + self._lease_seconds / BEATS_A_LEASE)
                self._extend(began)
                if not answer:
                    self._lose_hands()
            case "reap":
                self._timetable.end("reap", began + min(REAP_SECONDS, self._lease_seconds / BEATS_A_LEASE))
                if answer != (0, 0):
                    LOG.warning("leases_reaped", worker=self.worker, leases=answer[0], dead_letters=answer[1])
            case "claim":
                self._take(answer, began, room)

    def _lose_hands(self, lost: Collection[str] | None = None) -> None:
        """What Redis does not know any more may be given to another: nothing of it is sent from now on. None: all."""
        leases = list(self.hands) if lost is None else lost
        if leases:
            LOG.warning("leases_lost", worker=self.worker, leases=len(leases))
            for lease in leases:
                del self.hands[lease]
            self.take_back()

    def _extend(self, began: float) -> None:
        self._valid_until = began + min(HEARD_SECONDS, self._lease_seconds * (1 - MARGIN))

    def _take(self, claim: Claim, began: float, room: int) -> None:
        if claim.lost:
            self._timetable.refuse("claim", began + IDLE_SECONDS)
            self._lose_hands()
            return
        if claim.epoch != self._epoch:  # rebuilt before this worker has seen it empty
            self._epoch = claim.epoch
            self._lose_hands()
        self._extend(began)
        if claim.changes != self.changes:
            self.changes = claim.changes
            self._called_back = set(self.hands)
            self.take_back()
        self.next_work_seconds = None if claim.wait_ms is None else claim.wait_ms / 1000
        wait = IDLE_SECONDS if claim.wait_ms is None or room <= 0 else min(IDLE_SECONDS, claim.wait_ms / 1000)
        self._timetable.end("claim", began + wait)
        if claim.tickets:
            self.hands.update({ticket.lease: ticket for ticket in claim.tickets})
            self._deliver(list(claim.tickets))

    async def _sleep(self) -> None:
        """Until the next beat, reap or claim is due, or until somebody tells something: then a little, to gather more."""
        waits = self._timetable.next_at() - steady_seconds() if len(self._turns) < TURNS_MOST else math.inf
        try:
            async with asyncio.timeout(max(0.0, waits) if waits < math.inf else None):
                await self._wake.wait()
            await asyncio.sleep(GATHER_SECONDS)
        except TimeoutError:
            pass
        self._wake.clear()
