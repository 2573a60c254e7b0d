"""Copies of a wheel's Postgres: one that `nobody` can reach, and one that outlives the wheel, to read its data once more."""

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

from prospector.errors import EnvironmentInvalid
from prospector.local.providers import POSTGRES_WHEELS, Provider

NEEDED_PROGRAMS = {"postgres", "initdb"}
NOT_NEEDED = ("include", "doc", "pgxs", "pkgconfig", "*.a", "*.py", "__pycache__")


def reachable(provider: Provider, account: tuple[int, int] | None, folder: Path) -> Provider:
    """As root Postgres runs as `nobody`, who may not walk into /root: then from a copy in this folder, with the same rights."""
    if account is None or _runs(provider, account):
        return provider
    if provider.name not in POSTGRES_WHEELS:
        raise _closed(provider, provider.programs)
    copied = replace(provider, programs=copy(provider, folder))
    if not _runs(copied, account):
        raise _closed(provider, folder)
    return copied


def copy(provider: Provider, folder: Path) -> Path:
    """The folder of the programs in the copy. Links where the file system can, so that it costs no space."""
    shutil.rmtree(folder, ignore_errors=True)
    unfinished = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(mode=0o755, parents=True)
    package = provider.programs.parents[len(Path(POSTGRES_WHEELS[provider.name]).parts) - 1]
    for part in (package, package.with_name(f"{package.name}.libs")):  # libpq lies beside the package
        if part.is_dir():
            shutil.copytree(part, unfinished / part.name, copy_function=_link, ignore=_not_needed)
    unfinished.rename(folder)
    return folder / provider.programs.relative_to(package.parent)


def _link(source: str, target: str) -> str:
    try:
        os.link(source, target)
    except OSError:  # another file system, or a system that links no files of others
        shutil.copy2(source, target)
    return target


def _not_needed(folder: str, names: list[str]) -> set[str]:
    if Path(folder).name == "bin":
        return set(names) - NEEDED_PROGRAMS
    return shutil.ignore_patterns(*NOT_NEEDED)(folder, names)


def _runs(provider: Provider, account: tuple[int, int]) -> bool:
    user, group = account
    command = [str(provider.programs / "postgres"), "--version"]
    try:
        return (
            subprocess.run(
                command, capture_output=True, user=user, group=group, extra_groups=[], check=False
            ).returncode
            == 0
        )
    except PermissionError:
        return False


def _closed(provider: Provider, folder: Path) -> EnvironmentInvalid:
    return EnvironmentInvalid(
        f"Postgres does not run as root, and `nobody` may not run its programs in {provider.programs} (tried: {folder}).",
        "Run prospector as an ordinary user, or set DATABASE_URL.",
    )
