"""One server as a child: it holds its lock, signs it before it begins, and logs to a file."""

import os
import re
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from prospector.local import leftovers, log_files

LINES_OF_AN_END = 20
TROUBLE = re.compile(r"PANIC|FATAL|ERROR|error|No space|# ")  # in the words of Postgres, initdb, Valkey and Python


@dataclass(frozen=True)
class Program:
    """`command` contains the mark of its stack (see leftovers)."""

    name: str
    command: list[str]
    folder: Path
    log: Path
    stop_signal: signal.Signals
    stop_seconds: int
    sudden_signal: signal.Signals
    account: tuple[int, int] | None = None  # user and group to run as, when that is not us
    descriptors: tuple[int, ...] = ()
    environment: dict[str, str] = field(default_factory=lambda: dict(os.environ))


@dataclass(frozen=True)
class Child:
    program: Program
    process: subprocess.Popen[bytes]

    def ended(self) -> bool:
        return self.process.poll() is not None

    def stop(self) -> None:
        """Orderly; kill -9 when it takes longer than the program may."""
        if self.ended():
            return
        self.process.send_signal(self.program.stop_signal)
        try:
            self.process.wait(self.program.stop_seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def last_words(self) -> str:
        """The last line that tells of an error, else the last one."""
        lines = log_files.last_lines(self.program.log, LINES_OF_AN_END)
        return next(
            (line for line in reversed(lines) if TROUBLE.search(line)), lines[-1] if lines else "no word in its log"
        )

    def last_lines(self) -> str:
        return "\n".join(log_files.last_lines(self.program.log, LINES_OF_AN_END))


def start(program: Program, lock: Path, generation: str) -> Child:
    descriptor = leftovers.free(lock)
    user, group = program.account or (None, None)
    try:
        os.ftruncate(descriptor, 0)
        log = os.open(program.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            process = subprocess.Popen(
                program.command,
                cwd=program.folder,
                env=program.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(descriptor, *program.descriptors),
                user=user,
                group=group,
                extra_groups=[] if program.account else None,
                # signed by the child before it becomes the program: no moment in which the lock is held unsigned for long
                preexec_fn=lambda: leftovers.sign(descriptor, program.sudden_signal, generation),  # noqa: PLW1509  # no threads here
            )
        finally:
            os.close(log)
    finally:
        os.close(descriptor)
    return Child(program, process)
