"""From a command to the local stack: use the one that runs, else start it; `prospector down` stops it."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path

from prospector import errors
from prospector.errors import Conflict, EnvironmentInvalid, ProspectorError
from prospector.local import leftovers, locks, log_files, options, state
from prospector.local.home import Home
from prospector.local.state import Phase, State

CHANGE_SECONDS = 180  # a start may recover gigabytes, a stop may wait for the last batch of every spider
LOOK_SECONDS = 0.01
PROBES_PASS_SECONDS = 1.0

_attached: dict[Path, int] = {}  # home -> descriptor of this process's shared lock


def attach(home: Home) -> State:
    """The running stack. It stays up at least as long as this process, unless somebody says `prospector down`."""
    home.make()
    if home.folder not in _attached:
        _attached[home.folder] = locks.share(home.lock("clients"))
    until = time.monotonic() + CHANGE_SECONDS
    while time.monotonic() < until:
        if not locks.held(home.lock("supervisor")):
            _start(home)
        elif (found := state.read(home)) and found.phase is Phase.READY:
            options.record(Path(found.sockets))
            return found
        else:
            time.sleep(LOOK_SECONDS)
    raise Conflict(
        f"The local stack in {home.folder} has been starting or stopping for {CHANGE_SECONDS} s.",
        f"Look at {home.logs / 'supervisor.log'}, or stop it: prospector down",
    )


def keep_up(home: Home) -> State:
    """As attach, and it stays up after this process, until stop."""
    home.make()
    home.keep_up.touch()
    return attach(home)


def running(home: Home) -> State | None:
    """The stack as it is, without starting it."""
    if not home.locks.is_dir() or not locks.held(home.lock("supervisor")):
        return None
    return state.read(home)


def detach(home: Home) -> None:
    """Gives back the shared lock of this process: it uses that stack no longer."""
    if home.folder in _attached:
        os.close(_attached.pop(home.folder))


def stop(home: Home) -> bool:
    """Drains and stops. Returns when nothing of it is left; False if no supervisor ran."""
    home.keep_up.unlink(missing_ok=True)
    if not home.locks.is_dir():
        return False
    ran = locks.held(home.lock("supervisor"))
    until = time.monotonic() + CHANGE_SECONDS
    told = 0
    while locks.held(home.lock("supervisor")):
        found = state.read(home)
        if found and found.pid != told:
            told = found.pid
            with suppress(ProcessLookupError):  # it stopped by itself just now
                os.kill(found.pid, signal.SIGTERM)
        if time.monotonic() > until:
            raise Conflict(
                f"The local stack in {home.folder} has not stopped within {CHANGE_SECONDS} s.",
                f"Its log is {home.logs / 'supervisor.log'}.",
            )
        time.sleep(LOOK_SECONDS)
    _clear(home)
    return ran


def _clear(home: Home) -> None:
    """What a supervisor and a guard that were killed have left. A start that is under way is left alone."""
    with locks.turn(home.lock("start")):
        if not locks.held(home.lock("supervisor")):
            leftovers.end(home.server_locks, home.mark)
            home.remove_sockets()
            home.state.unlink(missing_ok=True)


def _start(home: Home) -> None:
    """One of all the callers starts it; the others wait their turn and find it started."""
    with locks.turn(home.lock("start")):
        lock = _supervisor_lock(home)
        if lock is None:
            return
        home.state.unlink(missing_ok=True)
        reading, writing = os.pipe()
        with os.fdopen(reading, "rb") as report:
            process = _launch(home, lock, writing)
            _hear(report.read(), process, home)


def _launch(home: Home, lock: int, report: int) -> "subprocess.Popen[bytes]":
    """The supervisor, with these two descriptors: this process has them no longer, whether it begins or not."""
    with ExitStack() as given:
        for descriptor in (lock, report):
            given.callback(os.close, descriptor)
        log = os.open(home.logs / "supervisor.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        given.callback(os.close, log)
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "prospector.local.supervisor", str(report), home.mark],
            cwd=home.folder,
            env=options.environment(home),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(lock, report),
            start_new_session=True,  # Ctrl-C in this terminal is not meant for it
        )


def _supervisor_lock(home: Home) -> int | None:
    """Held before the supervisor exists, and inherited by it: there is no moment in which two could begin."""
    until = time.monotonic() + PROBES_PASS_SECONDS
    while (lock := locks.take(home.lock("supervisor"))) is None:
        if locks.held(home.lock("supervisor")) or time.monotonic() > until:
            return None
        time.sleep(LOOK_SECONDS)
    return lock


def _hear(report: bytes, process: "subprocess.Popen[bytes]", home: Home) -> None:
    if not report:
        process.wait()
        words = " | ".join(log_files.last_lines(home.logs / "supervisor.log", 3))
        raise EnvironmentInvalid(
            f"The local stack did not start: {words}", f"Its log is {home.logs / 'supervisor.log'}."
        )
    failure = json.loads(report)
    if failure:
        process.wait()
        kind: type[ProspectorError] = getattr(errors, failure["kind"])
        raise kind(failure["problem"], failure["remedy"])
    process.returncode = 0  # it outlives us on purpose: no warning about a child that still runs
