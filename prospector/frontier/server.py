"""Connections to a Redis server."""

from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from redis import Redis
from redis.exceptions import RedisError, ResponseError

from prospector.errors import EnvironmentInvalid, ServerUnreachable

CONNECT_SECONDS = 5
ANSWER_SECONDS = 10  # twice what a script may take before Redis says BUSY to all others
NEVER_EVICTS = "noeviction"
INTSET_ENTRIES = 16_384  # pages of a domain that are remembered at 9-10 bytes each; Redis' own default is 512


def connect(url: str) -> Redis:
    return Redis.from_url(
        url, socket_connect_timeout=CONNECT_SECONDS, socket_timeout=ANSWER_SECONDS, health_check_interval=30
    )


def ping(url: str) -> None:
    """Raises ServerUnreachable, also while the server still loads its data."""
    with connect(url) as client:
        try:
            client.ping()
        except (RedisError, OSError) as error:
            raise unreachable(url, error) from error


@dataclass(frozen=True)
class Facts:
    """What `prospector doctor` tells of a server. None: the server does not let us see it."""

    product: str
    version: str
    commands: str  # the version of Redis whose commands it has
    eviction: str
    append_only: bool
    snapshots: str | None
    intset_entries: int | None
    used_bytes: int
    limit_bytes: int
    clock: float


@dataclass(frozen=True)
class Memory:
    """`limit_bytes` 0: none is set."""

    used_bytes: int
    limit_bytes: int


def memory(client: Redis) -> Memory:
    said = client.info("memory")
    return Memory(said["used_memory"], said.get("maxmemory", 0))


def facts(url: str) -> Facts:
    with connect(url) as client:
        try:
            return _facts(client)
        except (RedisError, OSError) as error:
            raise unreachable(url, error) from error


def _facts(client: Redis) -> Facts:
    seconds, microseconds = client.time()
    said = client.info("server", "memory", "persistence")
    return Facts(
        product=said.get("server_name", "redis"),
        version=said.get("valkey_version", said["redis_version"]),
        commands=said["redis_version"],
        eviction=said.get("maxmemory_policy", "unknown"),
        append_only=bool(said["aof_enabled"]),
        snapshots=_configured(client, "save"),
        intset_entries=int(found) if (found := _configured(client, "set-max-intset-entries")) else None,
        used_bytes=said["used_memory"],
        limit_bytes=said.get("maxmemory", 0),
        clock=seconds + microseconds / 1e6,
    )


def _configured(client: Redis, name: str) -> str | None:
    """Hosted servers refuse CONFIG."""
    with suppress(ResponseError):
        return client.config_get(name).get(name)
    return None


def refuse_evicting(url: str, policy: str) -> None:
    """A server that makes room by dropping keys drops pages, leases and blocks."""
    if policy != NEVER_EVICTS:
        raise EnvironmentInvalid(
            f"Redis at {place(url)} has maxmemory-policy {policy}: it would drop work when its memory is full.",
            f"CONFIG SET maxmemory-policy {NEVER_EVICTS}, and write it into the server's configuration.",
        )


def place(url: str) -> str:
    """Where the server is, without user and password: what a message may show."""
    parts = urlsplit(url)
    return f"{parts.netloc.rpartition('@')[2]}{parts.path}"


# what an error begins with that is about the server and not about the call: full, read-only, out of disk, without its
# replicas, at a script that does not end, without the right. A script that has written is not refused any more, so nothing
# of it has happened
STATES = {
    "OOM": "Its memory is full: raise its maxmemory.",
    "MISCONF": "It cannot write to its disk: free some space there.",
    "READONLY": "It is a replica: name its primary in REDIS_URL.",
    "NOREPLICAS": "It misses its replicas: start them.",
    "BUSY": "It is at a script that does not end: look at what else uses it.",
    "MASTERDOWN": "It is a replica without its primary: start that.",
    "CLUSTERDOWN": "Its cluster is down: start the missing nodes.",
    "TRYAGAIN": "Its cluster is moving keys: try again.",
    "NOPERM": "Its user lacks a right: see prospector doctor.",
}


def state_of(error: object) -> str | None:
    """Which of these it is."""
    if not isinstance(error, ResponseError):
        return None
    first = error.status_code or str(error).partition(" ")[0]
    return first if first in STATES else None


def unreachable(url: str, error: Exception) -> ServerUnreachable:
    if state := state_of(error):
        words = f"Redis at {place(url)} takes nothing for now: {str(error).rstrip('.')}."
        return ServerUnreachable(words, f"{STATES[state]} Jobs go on by themselves then.")
    return ServerUnreachable(
        f"Redis at {place(url)} does not answer: {str(error).rstrip('.')}.",
        "Check that it runs and that REDIS_URL names the right host, port and password: prospector doctor",
    )
