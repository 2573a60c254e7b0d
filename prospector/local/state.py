"""stack.json: what runs, written by the supervisor, read by everyone. It counts only while the supervisor's lock is held."""

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from enum import StrEnum

from prospector.local.home import Home, write_private


class Phase(StrEnum):
    STARTING = "starting"
    READY = "ready"
    STOPPING = "stopping"


@dataclass(frozen=True)
class Server:
    """`url` may hold a password."""

    url: str
    provider: str
    version: str
    data: str
    restarts: int = 0


@dataclass(frozen=True)
class State:
    """A server that is not in `servers` is not the stack's: the deployment names another one."""

    phase: Phase
    pid: int
    started_at: str
    sockets: str
    servers: dict[str, Server] = field(default_factory=dict)


def write(home: Home, state: State) -> None:
    write_private(home.state, json.dumps(asdict(state)))


def read(home: Home) -> State | None:
    with suppress(FileNotFoundError):
        raw = json.loads(home.state.read_text(encoding="utf-8"))
        servers = {name: Server(**server) for name, server in raw["servers"].items()}
        return State(Phase(raw["phase"]), raw["pid"], raw["started_at"], raw["sockets"], servers)
    return None
