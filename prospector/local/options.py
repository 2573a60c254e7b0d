"""What a command was told by flag or environment, and its prospector.toml, also count for the workers that start after it.

They are children of a Scrapyd that may have begun hours earlier, in another folder and with another environment.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from prospector import env
from prospector.local import locks
from prospector.local.home import Home, write_private

FILE, LOCK = "options.json", "options.lock"
FILE_CHANGED_AT = "PROSPECTOR_FILE_CHANGED_AT"  # by it the steward is begun again when a line of the file is new
# what the stack itself decides, or what is meant for the one command
OF_ONE_PROCESS = {
    "PROSPECTOR_HOME",
    "DATABASE_URL",
    "REDIS_URL",
    "SCRAPYD_URLS",
    "STORAGE_URL",
    "LOG_LEVEL",
    "LOG_STYLE",
}


def given() -> dict[str, str | None]:
    """None: the file says it, and whoever needs it reads the file himself, as it is by then."""
    from prospector import settings  # noqa: F401  # reading the settings is what fills the list

    chosen = [one for one in env.READ.values() if one.origin != "default"]
    return {one.name: _text(one.value) if one.origin in {"flag", "environment"} else None for one in chosen}


def record(folder: Path) -> None:
    """Adds this process's options to those recorded; the last one that names an option wins.

    `folder` is that of the sockets: it is this user's alone, and gone when the stack stops.
    """
    if _with_ours(known := recorded(folder)) == known:
        return
    with suppress(FileNotFoundError), locks.turn(folder / LOCK):  # it is stopping just now
        write_private(folder / FILE, json.dumps(_with_ours(recorded(folder))))


def _with_ours(known: Mapping[str, str | None]) -> dict[str, str | None]:
    ours = {name: value for name, value in given().items() if name not in OF_ONE_PROCESS}
    file = env.file_in_force()
    if file or env.FOLDER_VARIABLE not in known:
        changed_at = str(file.stat().st_mtime_ns) if file else None
        ours |= {env.FOLDER_VARIABLE: str(env.working_folder()), FILE_CHANGED_AT: changed_at}
    return {**known, **ours}


def recorded(folder: Path) -> dict[str, str | None]:
    with suppress(FileNotFoundError):
        options: dict[str, str | None] = json.loads((folder / FILE).read_text(encoding="utf-8"))
        return options
    return {}


def applied(options: Mapping[str, str | None]) -> dict[str, str]:
    """The environment of this process with these options in force."""
    return {name: value for name, value in (os.environ | options).items() if value is not None}


def environment(home: Home) -> dict[str, str]:
    """For the supervisor: it works in the home folder, where a prospector.toml of this one is not seen."""
    return applied(given() | {env.FOLDER_VARIABLE: str(env.working_folder()), "PROSPECTOR_HOME": str(home.folder)})


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
