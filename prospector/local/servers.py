"""The servers in force: those the deployment names, else the local stack's. The one place that everything else asks."""

from dataclasses import dataclass

from prospector import settings
from prospector.errors import Conflict
from prospector.local import attach
from prospector.local.home import Home
from prospector.local.state import Server


@dataclass(frozen=True)
class Servers:
    """URLs with their passwords: not to be shown or logged."""

    database_url: str
    redis_url: str
    scrapyd_urls: tuple[str, ...]
    storage_url: str


def in_force() -> Servers:
    """Starts the local stack if a server of it is needed; it stays up at least as long as this process."""
    return with_home(Home(settings.PROSPECTOR_HOME))


def with_home(home: Home) -> Servers:
    storage = settings.STORAGE_URL or home.files.as_uri()
    if settings.DATABASE_URL and settings.REDIS_URL and settings.SCRAPYD_URLS:
        return Servers(settings.DATABASE_URL, settings.REDIS_URL, settings.SCRAPYD_URLS, storage)
    stack = attach.attach(home)
    return Servers(
        settings.DATABASE_URL or _url(stack.servers.get("postgres"), "Postgres", "DATABASE_URL"),
        settings.REDIS_URL or _url(stack.servers.get("redis"), "Redis", "REDIS_URL"),
        settings.SCRAPYD_URLS or (_url(stack.servers.get("scrapyd"), "Scrapyd", "SCRAPYD_URLS"),),
        storage,
    )


def all_external() -> bool:
    return bool(settings.DATABASE_URL and settings.REDIS_URL and settings.SCRAPYD_URLS)


def _url(server: Server | None, name: str, setting: str) -> str:
    if server is None:
        raise Conflict(
            f"The local stack that runs has no {name}: it was started by a command that had {setting} set.",
            f"Set {setting} here too, or stop that stack first: prospector down",
        )
    return server.url
