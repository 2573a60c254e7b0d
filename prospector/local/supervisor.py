"""The process that keeps the local stack: `python -m prospector.local.supervisor REPORT MARK`, started by attach.py.

It inherits its own lock, already held, and REPORT, a pipe into which it says once how its start went.
"""

import json
import os
import secrets
import select
import signal
import sys
import time
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

from prospector import logs, settings
from prospector.errors import ProspectorError
from prospector.local import drain, guard, idle, leftovers, locks, log_files, state, steward
from prospector.local.home import Home
from prospector.local.remedies import system_failure
from prospector.local.stack import Service, services
from prospector.local.state import Phase, Server, State
from prospector.local.steward import LocalSteward

LOG = logs.named(__name__)
TICK_SECONDS = 1.0
STOPPING = (signal.SIGTERM, signal.SIGINT)


class Supervisor:
    def __init__(self, home: Home) -> None:
        self.home = home
        self.generation = secrets.token_hex(8)
        self.state = State(
            Phase.STARTING,
            os.getpid(),
            datetime.now(UTC).isoformat(timespec="seconds"),
            str(home.sockets),
            stopped_at=state.last_sign(home),
        )
        self.services: list[Service] = []
        self.steward: LocalSteward | None = None
        self.asked_to_stop = False
        self.guard_pid = 0
        self.guard_pipe = -1

    def start(self) -> None:
        self._hear_signals()
        self._fork_guard()
        self._write(self.state)
        leftovers.end(self.home.server_locks, self.home.mark)
        self.services = services(self.home, self.generation)
        # Postgres last: making its data folder keeps this process waiting, and the others come up meanwhile
        for service in reversed(self.services):
            service.start()
        for service in self.services:
            service.make_ready()
        servers = {one.name: one.server for one in self.services}
        self.steward = LocalSteward(self.home, self.generation, steward.environment(self.home, servers))
        self._write(replace(self.state, phase=Phase.READY, servers=servers))

    def watch(self) -> None:
        """Returns when it is time to stop."""
        last_used = time.monotonic()
        while not self.asked_to_stop:
            select.select([self.wake], [], [], TICK_SECONDS)
            with suppress(BlockingIOError):
                os.read(self.wake, 1024)
            self._mend()
            log_files.keep_small(self.home.logs)
            if self._in_use():
                last_used = time.monotonic()
            elif time.monotonic() - last_used > settings.LOCAL_IDLE_SECONDS and self._close_if_idle():
                return

    def stop(self) -> None:
        """No new spiders, the running ones to their end, then the servers: who writes stops before who is written to."""
        with suppress(OSError):  # a full disk must not keep the servers from stopping
            self._write(replace(self.state, phase=Phase.STOPPING))
        if self.steward:
            self.steward.stop()  # or it would start anew what is stopped here
        if "scrapyd" in self.state.servers:
            drain.spiders(self.home, self.state.servers["scrapyd"].url)
        for service in reversed(self.services):
            service.stop()
        os.close(self.guard_pipe)
        os.waitpid(self.guard_pid, 0)
        self.home.state.unlink(missing_ok=True)
        self.home.remove_sockets()

    def _hear_signals(self) -> None:
        self.wake, writing = os.pipe()
        for descriptor in (self.wake, writing):
            os.set_blocking(descriptor, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        for one in STOPPING:
            signal.signal(one, self._ask_to_stop)

    def _ask_to_stop(self, *_: object) -> None:
        self.asked_to_stop = True

    def _fork_guard(self) -> None:
        self.guard_pid, self.guard_pipe = guard.fork(self.home, self.generation)

    def _mend(self) -> None:
        if os.waitpid(self.guard_pid, os.WNOHANG)[0]:
            os.close(self.guard_pipe)
            self._fork_guard()
        for service in self.services:
            if service.ended() and not self.asked_to_stop:
                LOG.warning("server_restarts", server=service.name, last_words=service.last_words())
                service.restart()
                self._write(replace(self.state, servers=self._servers()))
        if self.steward and not self.asked_to_stop and self.steward.look():
            self._write(replace(self.state, servers=self._servers()))

    def _servers(self) -> dict[str, Server]:
        found = {one.name: one.server for one in self.services}
        own = self.steward.server() if self.steward else None
        return found | ({steward.NAME: own} if own else {})

    def _close_if_idle(self) -> bool:
        """A command that comes now is either seen here, or sees that the stack is stopping and waits for the next one."""
        alone = locks.take(self.home.lock("clients"))
        if alone is None:
            return False
        self._write(replace(self.state, phase=Phase.STOPPING))
        os.close(alone)
        return True

    def _in_use(self) -> bool:
        return locks.shared(self.home.lock("clients")) or idle.reason_to_stay(self.home) is not None

    def _write(self, new: State) -> None:
        self.state = new
        state.write(self.home, new)


def tell(report: int, words: dict[str, str]) -> None:
    os.write(report, json.dumps(words).encode())
    os.close(report)


def main(report: int) -> None:
    logs.install(settings.LOG_STYLE, settings.LOG_LEVEL)
    supervisor = Supervisor(Home(settings.PROSPECTOR_HOME))
    try:
        try:
            supervisor.start()
            tell(report, {})
            supervisor.watch()
        finally:
            supervisor.stop()
    except (ProspectorError, OSError) as error:
        raise SystemExit(fail(error, report)) from None


def fail(error: ProspectorError | OSError, report: int) -> int:
    told = error if isinstance(error, ProspectorError) else system_failure(error)
    LOG.error("local_stack_failed", error=str(told))
    with suppress(OSError):  # told already, or nobody waits any more
        tell(report, {"kind": type(told).__name__, "problem": told.problem, "remedy": told.remedy})
    return told.exit_code


if __name__ == "__main__":
    main(int(sys.argv[1]))
