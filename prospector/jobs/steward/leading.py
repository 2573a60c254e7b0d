"""The process that keeps promises over time: one of all that run leads, and does each duty again and again.

A duty looks at what is, does what is missing, and returns: done twice, by two stewards at once, it changes nothing more. So a
steward may die at any moment, and the next one goes on.
"""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from prospector import logs
from prospector.errors import ProspectorError, ServerUnreachable
from prospector.jobs.steward.gauges import Gauges
from prospector.store import locks, server
from prospector.store.failures import Failure, failure
from prospector.store.locks import Lock

LOG = logs.named(__name__)
TICK_SECONDS = 0.25
STANDBY_SECONDS = 1.0
HOLD_SECONDS = 1.0  # how often the one that leads makes sure that it still does
HEALTHY_SECONDS = 30.0
THREADS = 4


@dataclass(frozen=True)
class Duty:
    name: str
    every_seconds: float
    do: Callable[[], object]


@dataclass
class Round:
    """A duty's state: when it is due, and the round under way."""

    duty: Duty
    due: float = 0.0
    under_way: "Future[None] | None" = None


class Steward:
    """`on_away(seconds)` is told while Postgres does not answer one that has led; `on_stop` before it stops leading."""

    def __init__(
        self,
        engine: Engine,
        duties: Sequence[Duty],
        gauges: Gauges,
        stop: threading.Event,
        on_away: Callable[[float], None] = lambda _: None,
        on_stop: Callable[[], object] = lambda: None,
    ) -> None:
        self.leading = False
        self._engine = engine
        self._rounds = [Round(duty) for duty in duties]
        self._gauges = gauges
        self._on_away = on_away
        self._on_stop = on_stop
        self._stop = stop
        self._turned_at = time.monotonic()
        self._away_since: float | None = None
        self._has_led = False

    def health(self) -> dict[str, object]:
        age = time.monotonic() - self._turned_at
        return {
            "healthy": age < HEALTHY_SECONDS and self._away_since is None,
            "leading": self.leading,
            "postgres": "away" if self._away_since is not None else "there",
            "turned_seconds_ago": round(age, 1),
        }

    def run(self) -> None:
        """Until `stop` is set."""
        with ThreadPoolExecutor(THREADS, thread_name_prefix="duty") as pool:
            while not self._stop.is_set():
                self._turned_at = time.monotonic()
                try:
                    self._try_to_lead(pool)
                except (ServerUnreachable, DBAPIError) as error:
                    self._away(error)
                self._stop.wait(STANDBY_SECONDS)

    def _try_to_lead(self, pool: ThreadPoolExecutor) -> None:
        with server.autocommit(self._engine) as connection:
            connection.detach()  # closed for good when it is left, and the lock with it
            if not locks.lead(connection, Lock.LEAD):
                self._away_since = None
                return
            LOG.info("steward_leads")
            self._back()
            self._lead(connection, pool)

    def _lead(self, connection: Connection, pool: ThreadPoolExecutor) -> None:
        self.leading = self._has_led = True
        self._gauges.leading.set(1)
        asked = 0.0
        try:
            while not self._stop.wait(TICK_SECONDS):
                self._turned_at = time.monotonic()
                if self._turned_at - asked > HOLD_SECONDS:
                    connection.execute(text("SELECT 1"))
                    asked = self._turned_at
                self._begin_due(pool)
            self._finish_all()
        finally:
            self.leading = False
            self._gauges.leading.set(0)

    def _begin_due(self, pool: ThreadPoolExecutor) -> None:
        now = time.monotonic()
        for one in self._rounds:
            if one.under_way is not None and not one.under_way.done():
                continue
            if now >= one.due:
                one.due = now + one.duty.every_seconds
                one.under_way = pool.submit(self._do, one.duty)

    def _do(self, duty: Duty) -> None:
        """A duty that fails is tried again when it is due; the others go on."""
        began = time.monotonic()
        try:
            duty.do()
        except (ServerUnreachable, DBAPIError) as error:
            self._gauges.duty_failures.labels(duty.name).inc()
            if isinstance(error, DBAPIError) and failure(error) is not Failure.AWAY:
                LOG.crash("duty_failed", duty=duty.name)
            else:
                LOG.warning("duty_waits", duty=duty.name, error=str(error))
        except ProspectorError as error:
            self._gauges.duty_failures.labels(duty.name).inc()
            LOG.error("duty_failed", duty=duty.name, error=str(error))
        except Exception:  # noqa: BLE001  # a defect in one promise must not break the others
            self._gauges.duty_failures.labels(duty.name).inc()
            LOG.crash("duty_failed", duty=duty.name)
        self._gauges.duty_seconds.labels(duty.name).set(time.monotonic() - began)

    def _finish_all(self) -> None:
        """In good order: what is under way ends, and the last counters are kept."""
        for one in self._rounds:
            if one.under_way is not None:
                one.under_way.result()
        with suppress(ServerUnreachable, DBAPIError):
            self._on_stop()
        LOG.info("steward_ends")

    def _away(self, error: Exception) -> None:
        if self._away_since is None:
            self._away_since = time.monotonic()
            LOG.error("record_away", error=str(error))
        if self._has_led:
            try:
                self._on_away(time.monotonic() - self._away_since)
            except ServerUnreachable as refused:  # Redis is away as well: told again with the next try
                LOG.warning("frontier_away", error=str(refused))

    def _back(self) -> None:
        if self._away_since is not None:
            LOG.info("record_back", away_seconds=round(time.monotonic() - self._away_since))
        self._away_since = None
