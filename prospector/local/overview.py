"""What `prospector status` tells: each server in force, where it is, and what of it runs."""

import shutil
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from prospector import nodes, settings
from prospector.frontier import server as frontier_server
from prospector.local import attach, idle, servers, steward, upgrade
from prospector.local.home import Home
from prospector.local.state import Phase, State
from prospector.store import server as store_server


class Standing(StrEnum):
    RUNNING = "running"
    STARTING = "starting"
    STOPPING = "stopping"
    STOPPED = "stopped"
    EXTERNAL = "external"  # the deployment names it; whether it answers is for `doctor`


@dataclass(frozen=True)
class Part:
    """`url` carries the password of a server of the local stack only: it is this user's own, on this machine."""

    state: Standing
    url: str | None = None
    provider: str | None = None
    version: str | None = None
    data: str | None = None
    restarts: int | None = None


@dataclass(frozen=True)
class Overview:
    home: str
    disk_free_bytes: int
    stays_up: str | None
    started_at: str | None
    postgres: Part
    redis: Part
    scrapyd: Part
    storage: Part
    steward: Part
    kept_data: list[str]  # of older major versions of Postgres, brought over


def of(home: Home) -> Overview:
    state = attach.running(home)
    urls = ",".join(nodes.address(one) for one in settings.SCRAPYD_URLS)
    database = store_server.place(settings.DATABASE_URL) if settings.DATABASE_URL else None
    redis = frontier_server.place(settings.REDIS_URL) if settings.REDIS_URL else None
    return Overview(
        home=str(home.folder),
        disk_free_bytes=shutil.disk_usage(_existing(home.folder)).free,
        stays_up=idle.reason_to_stay(home) if state else None,
        started_at=state.started_at if state else None,
        postgres=_part(state, "postgres", database),
        redis=_part(state, "redis", redis),
        scrapyd=_part(state, "scrapyd", urls or None),
        storage=_storage(home),
        steward=_steward(home, state),
        kept_data=[str(one) for one in upgrade.kept_data(home)],
    )


def _storage(home: Home) -> Part:
    if settings.STORAGE_URL:
        return Part(Standing.EXTERNAL, settings.STORAGE_URL)
    return Part(Standing.RUNNING, home.files.as_uri(), data=str(home.files))


def _steward(home: Home, state: State | None) -> Part:
    """Of the stack; whether one runs elsewhere nobody here knows. Its url, where its figures are, is empty where they are not served."""
    if servers.all_external():
        return Part(Standing.EXTERNAL)
    found = _part(state, steward.NAME, None)
    return replace(found, url=steward.metrics_url(home)) if found.state is Standing.RUNNING else found


def _part(state: State | None, name: str, external: str | None) -> Part:
    if external:
        return Part(Standing.EXTERNAL, external)
    if state is None:
        return Part(Standing.STOPPED)
    server = state.servers.get(name)
    standing = {Phase.STARTING: Standing.STARTING, Phase.STOPPING: Standing.STOPPING}.get(state.phase, Standing.RUNNING)
    if server is None:
        return Part(standing if state.phase is Phase.STARTING else Standing.STOPPED)
    return Part(standing, server.url, server.provider, server.version, server.data, server.restarts)


def _existing(folder: Path) -> Path:
    return next(one for one in (folder, *folder.parents) if one.exists())
