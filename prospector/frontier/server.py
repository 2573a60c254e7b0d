"""Connections to a Redis server."""

from urllib.parse import urlsplit

from redis import Redis
from redis.exceptions import RedisError

from prospector.errors import ServerUnreachable

CONNECT_SECONDS = 5
INTSET_ENTRIES = 16_384  # pages of a domain that are remembered at 9-10 bytes each; Redis' own default is 512


def connect(url: str) -> Redis:
    """Commands have no time-out of their own: a script may wait its turn behind others."""
    return Redis.from_url(url, socket_connect_timeout=CONNECT_SECONDS, health_check_interval=30)


def ping(url: str) -> None:
    """Raises ServerUnreachable, also while the server still loads its data."""
    with connect(url) as client:
        try:
            client.ping()
        except (RedisError, OSError) as error:
            raise unreachable(url, error) from error


def place(url: str) -> str:
    """Where the server is, without user and password: what a message may show."""
    parts = urlsplit(url)
    return f"{parts.netloc.rpartition('@')[2]}{parts.path}"


def unreachable(url: str, error: Exception) -> ServerUnreachable:
    return ServerUnreachable(
        f"Redis at {place(url)} does not answer: {error}",
        "Check that it runs and that REDIS_URL names the right host, port and password: prospector doctor",
    )
