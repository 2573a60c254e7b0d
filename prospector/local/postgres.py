"""The local Postgres: one data folder a major version, a Unix socket, and never as root."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from prospector.errors import ServerUnreachable
from prospector.local import children, leftovers, nobody
from prospector.local.children import Child, Program
from prospector.local.nobody import Way
from prospector.local.providers import Provider
from prospector.local.remedies import failure
from prospector.store import server

DATABASE = "prospector"  # and the name of the owner
FIRST_WITH_BUILTIN_LOCALES = 17
FIRST_WITH_OPTIONS_FOR_INITDB = 16
INITDB_SECONDS = 120
READY_SECONDS = 600  # a crash may leave gigabytes to recover; a server that ended is noticed at once
STOP_SECONDS = 30

OPTIONS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "dynamic_shared_memory_type": "mmap",  # the /dev/shm of a container has 64 MB
    "max_locks_per_transaction": "256",  # restoring drops and makes every job's partitions in one transaction
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    "jit": "off",  # compiling costs more than it saves on statements of milliseconds
}


@dataclass(frozen=True)
class Cluster:
    """`mark` is what tells its processes from those of any other stack."""

    provider: Provider
    data: Path
    sockets: Path
    mark: str

    @property
    def url(self) -> str:
        return self.url_of(DATABASE)

    def url_of(self, database: str) -> str:
        return f"postgresql://{DATABASE}@/{database}?host={self.sockets}"

    def exists(self) -> bool:
        return (self.data / "PG_VERSION").exists()

    def make(self, log: Path, lock: Path, generation: str) -> None:
        """Renamed into place when complete, so that an interrupted initdb is nothing but a folder to delete."""
        unfinished = self.data.with_name(f"{self.data.name}.new")
        shutil.rmtree(unfinished, ignore_errors=True)
        nobody.own(unfinished)
        with nobody.way_into(unfinished) as way:
            child = children.start(
                self._program(_initdb(self.provider, self.mark, *way.folders), log, way), lock, generation
            )
        try:
            failed = child.process.wait(INITDB_SECONDS) != 0
        except subprocess.TimeoutExpired:
            child.process.kill()
            failed = True
        if failed:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise failure(f"Postgres could not make its data folder {self.data}", child)
        unfinished.rename(self.data)

    def start(self, log: Path, lock: Path, generation: str) -> Child:
        """Called only while no Postgres holds the lock: what a dead one left in its folders is removed."""
        nobody.own(self.sockets)
        os.close(leftovers.free(lock))
        for stale in (self.data / "postmaster.pid", *self.sockets.glob(".s.PGSQL.*")):
            stale.unlink(missing_ok=True)
        with nobody.way_into(self.data, self.sockets) as way:
            data, sockets = way.folders
            options = OPTIONS | {"unix_socket_directories": sockets, "cluster_name": self.mark}
            if sys.platform == "linux":
                options["recovery_init_sync_method"] = "syncfs"  # 0.5 s instead of 4 s after a crash
            words = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
            command = [str(self.provider.programs / "postgres"), "-D", data, *words]
            return children.start(self._program(command, log, way), lock, generation)

    def _program(self, command: list[str], log: Path, way: Way) -> Program:
        return Program(
            name="postgres",
            command=command,
            folder=Path("/"),  # before 16 it must be one that the account may enter
            log=log,
            stop_signal=signal.SIGINT,
            stop_seconds=STOP_SECONDS,
            sudden_signal=signal.SIGQUIT,
            account=nobody.unprivileged(),
            descriptors=way.descriptors,
        )

    def await_answer(self, child: Child) -> None:
        _await(child, lambda: server.ping(self.url_of("postgres")))

    def await_ready(self, child: Child) -> None:
        """Makes the database on its first start."""
        _await(child, lambda: server.make_database(self.url_of("postgres"), DATABASE))


def _await(child: Child, ask: Callable[[], None]) -> None:
    """Ready is an answer over a real connection."""
    until = time.monotonic() + READY_SECONDS
    while True:
        try:
            return ask()
        except ServerUnreachable:
            if child.ended() or time.monotonic() > until:
                raise failure("Postgres did not start", child) from None
        time.sleep(0.005)


def _initdb(provider: Provider, mark: str, data: str) -> list[str]:
    command = [str(provider.programs / "initdb"), "-D", data, "-U", DATABASE, "--encoding=UTF8", "--auth=trust"]
    if provider.major >= FIRST_WITH_BUILTIN_LOCALES:
        # plain C would know no case outside ASCII; the system's own locales change their order with its libc
        command += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
        if sys.platform == "linux":
            command += ["--sync-method=syncfs"]
    else:
        command += ["--locale=C.UTF-8"]
    if provider.major >= FIRST_WITH_OPTIONS_FOR_INITDB:
        command += ["-c", f"cluster_name={mark}"]
    return command
