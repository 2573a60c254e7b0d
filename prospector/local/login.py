"""`prospector up --at-login`: the user's own start-up entry, of systemd on Linux and of launchd on macOS.

Only files are written: both systems read them at the next login. Nothing of the system itself is touched.
"""

import os
import plistlib
import sys
from pathlib import Path

from prospector.local.home import Home

NAME = "backlink-prospector"
SYSTEMD = Path("/run/systemd/system")  # is there while systemd runs the machine: sd_booted(3)
UNIT = """\
[Unit]
Description=Backlink Prospector: its local Postgres, Redis and Scrapyd

[Service]
Type=oneshot
RemainAfterExit=yes
Environment={home}
ExecStart={command} up
ExecStop={command} down

[Install]
WantedBy=default.target
"""


def install(home: Home) -> Path:
    path = entry()
    path.parent.mkdir(parents=True, exist_ok=True)
    if sys.platform == "darwin":
        path.write_bytes(plistlib.dumps(_agent(home)))
        return path
    quoted = " ".join(_escaped(word).replace("$", "$$") for word in _command())  # there alone it names a variable
    path.write_text(UNIT.format(command=quoted, home=_escaped(f"PROSPECTOR_HOME={home.folder}")), encoding="utf-8")
    wanted = _wanted(path)
    wanted.parent.mkdir(exist_ok=True)
    wanted.unlink(missing_ok=True)
    wanted.symlink_to(path)  # what `systemctl --user enable` does
    return path


def is_heeded() -> bool:
    """Whether anything on this machine reads the entry: not in a container, nor in WSL as it comes."""
    return sys.platform == "darwin" or SYSTEMD.is_dir()


def remove() -> bool:
    """Whether there was one."""
    path = entry()
    existed = path.exists()
    path.unlink(missing_ok=True)
    _wanted(path).unlink(missing_ok=True)
    return existed


def entry() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "LaunchAgents" / f"{NAME}.plist"
    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return config / "systemd" / "user" / f"{NAME}.service"


def _wanted(path: Path) -> Path:
    return path.parent / "default.target.wants" / path.name


def _command() -> list[str]:
    return [sys.executable, "-P", "-m", "cli"]


def _escaped(word: str) -> str:
    """As systemd reads a word: quotes for spaces, no percent specifiers."""
    text = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{text}"'


def _agent(home: Home) -> dict[str, object]:
    return {
        "Label": NAME,
        "ProgramArguments": [*_command(), "up"],
        "EnvironmentVariables": {"PROSPECTOR_HOME": str(home.folder)},
        "RunAtLoad": True,
        "AbandonProcessGroup": True,  # the servers live on after this command has started them
    }
