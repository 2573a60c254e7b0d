"""Which data folder the local Postgres uses, and the way from one major version to the next: dump and load."""

import shutil
from dataclasses import replace
from pathlib import Path

from prospector import logs
from prospector.errors import EnvironmentInvalid
from prospector.local import dumps, nobody, programs, providers
from prospector.local.home import Home
from prospector.local.postgres import DATABASE, Cluster
from prospector.local.providers import POSTGRES_WHEELS, Provider, version_of

LOG = logs.named(__name__)


def cluster(home: Home, found: list[Provider]) -> Cluster:
    """Of the preferred provider; of another one only if the data is newer than that."""
    newest = max(_majors(home), default=0)
    provider = next((one for one in [*found, *_kept_programs(home, newest)] if one.major >= newest), None)
    if provider is None:
        raise EnvironmentInvalid(
            f"The data in {home.postgres} was made by Postgres {newest}, and the newest found here is {found[0].major}.",
            f"Install the version of Prospector that made it, or name the programs of Postgres {newest}: POSTGRES_PROGRAMS=...",
        )
    return _cluster(home, provider, home.postgres / str(provider.major), "pg")


def make(home: Home, wanted: Cluster, generation: str) -> None:
    """A data folder for a home that has none of this major: new, or filled from the newest older one."""
    log, lock = home.logs / "postgres.log", home.lock("postgres")
    older = max(_majors(home), default=0)
    if not older:
        wanted.make(log, lock, generation)
        return
    LOG.warning("postgres_upgrade_began", old=older, new=wanted.provider.major)
    source = home.postgres / str(older)
    unfinished = replace(wanted, data=home.postgres / f"{wanted.provider.major}.upgrading")
    shutil.rmtree(unfinished.data, ignore_errors=True)
    unfinished.make(log, lock, generation)
    _load(home, _cluster(home, _programs_of(home, older), source, "old"), unfinished, generation)
    kept = home.postgres / f"{older}.before-{wanted.provider.major}"
    unfinished.data.rename(wanted.data)
    source.rename(kept)
    LOG.warning("postgres_upgraded", old=older, new=wanted.provider.major, kept=str(kept))


def kept_data(home: Home) -> list[Path]:
    """The data of older major versions, brought over and kept until the user deletes it."""
    return sorted(home.postgres.glob("*.before-*")) if home.postgres.exists() else []


def keep_programs(home: Home, provider: Provider) -> None:
    """A later wheel has a later major and cannot read this data: its dump then begins with this copy."""
    kept = _kept(home, provider.major)
    if provider.name in POSTGRES_WHEELS and not kept.exists():
        programs.copy(provider, kept)


def _load(home: Home, old: Cluster, new: Cluster, generation: str) -> None:
    log = home.logs / "postgres.log"
    reading = old.start(log, home.lock("postgres-old"), generation)
    try:
        writing = new.start(log, home.lock("postgres"), generation)
        try:
            old.await_answer(reading)
            new.await_answer(writing)
            dumps.copy_all(old.url_of("postgres"), new.url_of("postgres"), DATABASE)
        finally:
            writing.stop()
    finally:
        reading.stop()


def _cluster(home: Home, provider: Provider, data: Path, sockets: str) -> Cluster:
    folder = home.sockets
    own_copy = folder.with_name(f"{folder.name}.{sockets}")
    return Cluster(programs.reachable(provider, nobody.unprivileged(), own_copy), data, folder / sockets, home.mark)


def _programs_of(home: Home, major: int) -> Provider:
    for provider in [*_kept_programs(home, major), *providers.postgres(None)]:
        if provider.major == major:
            return provider
    raise EnvironmentInvalid(
        f"The data in {home.postgres / str(major)} was made by Postgres {major}; to bring it over, its programs are needed once more.",
        f"Install Postgres {major} (Debian, Ubuntu: postgresql-{major}) and run this again. The data is untouched.",
    )


def _kept_programs(home: Home, major: int) -> list[Provider]:
    return [
        Provider(folder.parents[1].name, folder, version)
        for folder in _kept(home, major).glob("*/pginstall/bin")
        if (version := version_of(folder / "postgres"))
    ]


def _kept(home: Home, major: int) -> Path:
    return home.postgres / f"{major}.programs"


def _majors(home: Home) -> list[int]:
    folders = home.postgres.iterdir() if home.postgres.exists() else ()
    return [int(one.name) for one in folders if one.name.isdigit() and (one / "PG_VERSION").exists()]
