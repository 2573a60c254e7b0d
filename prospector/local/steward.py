"""The steward of the local stack: a child that is begun once there is a record, and again when the options have changed."""

import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from prospector import __version__, logs, settings
from prospector.local import children, options
from prospector.local.children import Child, Program
from prospector.local.home import Home
from prospector.local.state import Server
from prospector.store import activity

LOG = logs.named(__name__)
NAME = "steward"
STOP_SECONDS = 20
# it is no server: the stack goes on without it, and it is tried again, each time after a longer while
FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 60.0


@dataclass
class LocalSteward:
    home: Home
    generation: str
    environment: dict[str, str]  # the servers in force, their addresses
    child: Child | None = None
    restarts: int = 0
    _options: dict[str, str | None] = field(default_factory=dict)
    _pause: float = FIRST_PAUSE_SECONDS
    _next_try: float = 0.0

    def look(self) -> bool:
        """Begins it where it should run and does not; True where something has changed."""
        if self.child is None:
            return activity.is_recorded(self.environment["DATABASE_URL"]) and self._start()
        if self.child.ended():
            return self._restart()
        if options.recorded(self.home.sockets) != self._options:
            self.child.stop()
            return self._start()
        return False

    def server(self) -> Server | None:
        if self.child is None:
            return None
        return Server("", NAME, __version__, str(self.child.program.log), self.restarts)

    def stop(self) -> None:
        if self.child:
            self.child.stop()

    def _restart(self) -> bool:
        assert self.child
        now = time.monotonic()
        if now < self._next_try:
            return False
        LOG.warning("steward_restarts", last_words=self.child.last_words())
        self._next_try = now + self._pause
        self._pause = min(2 * self._pause, LONGEST_PAUSE_SECONDS)
        self.restarts += 1
        return self._start()

    def _start(self) -> bool:
        _metrics_note(self.home).unlink(missing_ok=True)
        self._options = options.recorded(self.home.sockets)
        program = Program(
            name=NAME,
            command=[sys.executable, "-P", "-m", "cli", "steward", "--of-stack", self.home.mark],
            folder=self.home.folder,
            log=self.home.logs / f"{NAME}.log",
            stop_signal=signal.SIGTERM,
            stop_seconds=STOP_SECONDS,
            sudden_signal=signal.SIGTERM,
            environment=options.applied(self._options | self.environment),
        )
        self.child = children.start(program, self.home.lock(NAME), self.generation)
        return True


def note_metrics(home: Home, url: str) -> None:
    """By the steward itself: only it knows whether its address was free. Empty: it was not."""
    _metrics_note(home).write_text(url, encoding="utf-8")


def metrics_url(home: Home) -> str | None:
    """None: it has not come to that yet."""
    with suppress(FileNotFoundError):
        return _metrics_note(home).read_text(encoding="utf-8")
    return None


def _metrics_note(home: Home) -> Path:
    return home.sockets / "metrics-url"


def environment(home: Home, servers: dict[str, Server]) -> dict[str, str]:
    """The addresses as the steward is to use them: none of them makes it attach to the stack that it is part of."""
    named = {"DATABASE_URL": settings.DATABASE_URL, "REDIS_URL": settings.REDIS_URL}
    own = {"DATABASE_URL": servers.get("postgres"), "REDIS_URL": servers.get("redis")}
    nodes = ",".join(settings.SCRAPYD_URLS) or servers["scrapyd"].url
    return {
        "PROSPECTOR_HOME": str(home.folder),
        "STORAGE_URL": settings.STORAGE_URL or home.files.as_uri(),
        "SCRAPYD_URLS": nodes,
        **{name: str(one.url if one else named[name]) for name, one in own.items()},
    }
