"""Servers that outlived their supervisor are ended: by its guard at once, and by its successor before it starts its own.

A server's lock file says its pid. That is believed only while the lock is held (so the server, or a child of it, lives) and
the process with that pid carries the stack's mark in its command line (so it is not a stranger that got the pid later).
"""

import os
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from prospector.errors import EnvironmentInvalid
from prospector.local import locks

PATIENCE_SECONDS = 1.2  # from the order to end until kill -9
LIMIT_SECONDS = 10.0


@dataclass(frozen=True)
class Signature:
    pid: int
    sudden_signal: int
    generation: str


def sign(descriptor: int, sudden_signal: signal.Signals, generation: str) -> None:
    """Runs in the child, as the server's pid, before its program begins."""
    os.write(descriptor, f"{os.getpid()} {sudden_signal:d} {generation}".encode("ascii"))


def free(lock: Path) -> int:
    """The descriptor of this lock. The last children of a server that was killed may hold it for a moment."""
    until = time.monotonic() + LIMIT_SECONDS
    while (descriptor := locks.take(lock)) is None:
        if time.monotonic() > until:
            raise EnvironmentInvalid(
                f"Processes of an earlier {lock.name} are still running: they hold {lock}.",
                f"Find them with: fuser -v {lock}. End them, and run this again.",
            )
        time.sleep(0.01)
    return descriptor


def end(servers: list[Path], mark: str, generation: str | None = None) -> None:
    """Ends what holds these locks; with a generation, only the children of that supervisor (another one may run by now)."""
    begun = time.monotonic()
    told: set[int] = set()
    while time.monotonic() - begun < LIMIT_SECONDS and (holders := _holders(servers, mark, generation)):
        last_chance = time.monotonic() - begun > PATIENCE_SECONDS
        for holder in holders:
            if holder and (last_chance or holder.pid not in told):
                told.add(holder.pid)
                with suppress(ProcessLookupError):  # it ended by itself in between
                    os.kill(holder.pid, signal.SIGKILL if last_chance else holder.sudden_signal)
        time.sleep(0.01)


def _holders(servers: list[Path], mark: str, generation: str | None) -> list[Signature | None]:
    """A None is a holder that cannot be told: not signed yet, or the orphans of a killed server, which leave by themselves."""
    holders: list[Signature | None] = []
    for lock in servers:
        if locks.held(lock):
            signature = signature_in(lock)
            if signature and generation not in {None, signature.generation}:
                continue
            holders.append(signature if signature and mark in _command_line(signature.pid) else None)
    return holders


def signature_in(lock: Path) -> Signature | None:
    words = lock.read_text(encoding="ascii").split()
    return Signature(int(words[0]), int(words[1]), words[2]) if len(words) == 3 else None  # as sign() writes


def _command_line(pid: int) -> str:
    if Path("/proc/self/cmdline").exists():
        with suppress(FileNotFoundError, ProcessLookupError):
            return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        return ""
    return subprocess.run(["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
