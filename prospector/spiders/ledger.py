"""This worker's rows in the ledger of credits: a reservation is committed before its call is made, a settlement after it.

Whatever comes while one batch is being committed makes the next one; Postgres is spoken to in a thread.
"""

import asyncio
from collections.abc import Callable

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from prospector import logs
from prospector.errors import ServerUnreachable
from prospector.store import spend
from prospector.store.failures import again
from prospector.store.spend import Reservation

LOG = logs.named(__name__)
AWAY_SECONDS = (1.0, 15.0)  # first and longest pause while Postgres is away
# for what is left when the worker ends: what is not committed then stays unsettled, at its full price
CLOSE_SECONDS = 0.8


class Ledger:
    def __init__(self, engine: Engine, watch: "Callable[[asyncio.Task[None]], None]" = lambda _: None) -> None:
        self.asked: set[str] = set()  # leases under which a call was made, or was about to be
        self._engine = engine
        self._watch = watch
        self._reservations: list[tuple[Reservation, asyncio.Future[None]]] = []
        self._settlements: dict[str, int] = {}
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._closing = False

    async def reserve(self, row: Reservation) -> None:
        """Returns once it is committed. While Postgres is away it waits, and nothing is paid for."""
        self.asked.add(row.lease)
        committed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._reservations.append((row, committed))
        self._begin()
        await committed

    def settle(self, lease: str, used_credits: int) -> None:
        self._settlements[lease] = used_credits
        self._begin()

    def spare(self, lease: str) -> None:
        """The call that was reserved for is not made."""
        self.asked.discard(lease)
        self.settle(lease, 0)

    async def close(self) -> None:
        self._closing = True
        self._wake.set()
        if self._task:
            done, _ = await asyncio.wait([self._task], timeout=CLOSE_SECONDS)
            if not done:
                self._task.cancel()
                LOG.warning("calls_unsettled", calls=len(self._settlements))

    def _begin(self) -> None:
        self._wake.set()
        if self._task is None:
            self._task = asyncio.ensure_future(self._run())
            self._watch(self._task)

    async def _run(self) -> None:
        while not (self._closing and not self._reservations and not self._settlements):
            await self._wake.wait()
            self._wake.clear()
            while self._reservations or self._settlements:
                reservations, self._reservations = self._reservations, []
                settlements, self._settlements = self._settlements, {}
                await self._commit([row for row, _ in reservations], settlements)
                for _, committed in reservations:
                    if not committed.done():
                        committed.set_result(None)

    async def _commit(self, rows: list[Reservation], settlements: dict[str, int]) -> None:
        """The same again changes nothing, so it is tried until Postgres has taken it."""
        pause, longest = AWAY_SECONDS
        while True:
            try:
                return await asyncio.to_thread(again, lambda: self._write(rows, settlements))
            except (ServerUnreachable, DBAPIError) as error:
                LOG.error("ledger_away", error=str(getattr(error, "orig", error)))
            await asyncio.sleep(pause)
            pause = min(2 * pause, longest)

    def _write(self, rows: list[Reservation], settlements: dict[str, int]) -> None:
        with self._engine.begin() as connection:
            if rows:
                spend.reserve(connection, rows)
            if settlements:
                spend.settle(connection, settlements)
