"""stack.json: what runs, written by the supervisor, read by everyone. It counts only while the supervisor's lock is held."""

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
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
    """A server that is not in `servers` is not the stack's: the deployment names another one. `stopped_at`: when the stack that
    ran here before this one did, gave its last sign; None: there was none."""

    phase: Phase
    pid: int
    started_at: str
    sockets: str
    servers: dict[str, Server] = field(default_factory=dict)
    stopped_at: str | None = None


def write(home: Home, state: State) -> None:
    write_private(home.state, json.dumps(asdict(state)))


def read(home: Home) -> State | None:
    with suppress(FileNotFoundError):
        raw = json.loads(home.state.read_text(encoding="utf-8"))
        servers = {name: Server(**server) for name, server in raw["servers"].items()}
        return State(Phase(raw["phase"]), raw["pid"], raw["started_at"], raw["sockets"], servers, raw.get("stopped_at"))
    return None


def last_sign(home: Home) -> str | None:
    """When a stack that is gone wrote last: Redis does every few seconds while a steward looks after it."""
    redis = [one for one in home.redis.rglob("*") if one.is_file()]
    logs = [home.logs / f"{name}.log" for name in ("postgres", "scrapyd", "steward")]  # where Redis is elsewhere
    written = [one.stat().st_mtime for one in redis or logs if one.exists()]
    return datetime.fromtimestamp(max(written), UTC).isoformat() if written else None
