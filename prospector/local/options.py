"""What a command was told by flag, environment or prospector.toml also counts for the workers that start after it.

They are children of a Scrapyd that may have begun hours earlier, in another folder and with another environment.
"""

import json
import os
from contextlib import suppress
from pathlib import Path

from prospector import env
from prospector.local.home import Home, write_private

FILE = "options.json"
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


def given() -> dict[str, str]:
    from prospector import settings  # noqa: F401  # reading the settings is what fills the list

    return {one.name: _text(one.value) for one in env.READ.values() if one.origin != "default"}


def record(folder: Path) -> None:
    """Adds this process's options to those recorded; the last one that names an option wins.

    `folder` is that of the sockets: it is this user's alone, and gone when the stack stops.
    """
    known = recorded(folder)
    wanted = known | {name: value for name, value in given().items() if name not in OF_ONE_PROCESS}
    if wanted != known:
        with suppress(FileNotFoundError):  # it is stopping just now
            write_private(folder / FILE, json.dumps(wanted))


def recorded(folder: Path) -> dict[str, str]:
    with suppress(FileNotFoundError):
        options: dict[str, str] = json.loads((folder / FILE).read_text(encoding="utf-8"))
        return options
    return {}


def environment(home: Home) -> dict[str, str]:
    """For the supervisor: it works in the home folder, where a prospector.toml of this one is not seen."""
    return os.environ | given() | {"PROSPECTOR_HOME": str(home.folder)}


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
