"""The local Scrapyd: a child with a generated password, on a loopback port that the supervisor holds open for it."""

import configparser
import io
import os
import secrets
import signal
import socket
import sys
from pathlib import Path

from prospector.local import children
from prospector.local.children import Child, Program
from prospector.local.home import Home, write_private

USER = "prospector"
PROJECT = "prospector"
LOOPBACK = "127.0.0.1"
STOP_SECONDS = 10
BACKLOG = 128
CONFIG = "scrapy.cfg"  # the last file that Scrapyd reads, so that no other of the machine's overrides it
DISABLED = ("addversion.json", "delversion.json", "delproject.json")  # they would run whatever code is uploaded


def listen(folder: Path) -> socket.socket:
    """The port of last time if it is free, else any. Callers that come while Scrapyd begins or restarts simply queue."""
    remembered = folder / "port"
    listener = _bound(int(remembered.read_text())) if remembered.exists() else None
    listener = listener or _bound(0)
    assert listener
    listener.listen(BACKLOG)
    listener.setblocking(False)  # Twisted accepts until there is nothing left to accept
    remembered.write_text(str(listener.getsockname()[1]), encoding="ascii")
    return listener


def url(folder: Path, listener: socket.socket) -> str:
    return f"http://{USER}:{password(folder)}@{LOOPBACK}:{listener.getsockname()[1]}"


def password(folder: Path) -> str:
    """Made once; in a file of this user alone, never in a command line or an environment."""
    path = folder / "password"
    if not path.exists():
        write_private(path, secrets.token_urlsafe(24))
    return path.read_text(encoding="ascii")


def start(home: Home, listener: socket.socket, environment: dict[str, str], generation: str) -> Child:
    """`environment`: the servers in force, for its spiders."""
    folder = home.scrapyd
    write_config(folder)
    program = Program(
        name="scrapyd",
        command=[sys.executable, "-P", "-m", "prospector.local.node", str(listener.fileno()), home.mark],
        folder=folder,
        log=home.logs / "scrapyd.log",
        stop_signal=signal.SIGTERM,
        stop_seconds=STOP_SECONDS,
        sudden_signal=signal.SIGTERM,
        descriptors=(listener.fileno(),),
        environment=os.environ | environment,
    )
    return children.start(program, home.lock("scrapyd"), generation)


def write_config(folder: Path) -> None:
    config = configparser.ConfigParser(interpolation=None)
    config["scrapyd"] = {
        "bind_address": LOOPBACK,
        "username": USER,
        "password": password(folder),
        "poll_interval": "0.5",  # seconds; the default of 5 is a fifth of a minute's wait before the first request
        "jobs_to_keep": "200",  # logs; the default of 5 deletes the logs of spiders that run
        "finished_to_keep": "500",
        "max_proc": "0",
        "runner": "prospector.local.runner",
        "eggs_dir": str(folder / "eggs"),
        "logs_dir": str(folder / "logs"),
        "dbs_dir": str(folder / "dbs"),
        "items_dir": "",
        "debug": "off",
    }
    config["services"] = dict.fromkeys(DISABLED, "")
    config["settings"] = {"default": "prospector.settings", PROJECT: "prospector.settings"}
    for name, value in config["scrapyd"].items():
        config["scrapyd"][name] = value.replace("%", "%%")  # Scrapyd reads it with interpolation
    text = io.StringIO()
    config.write(text)
    write_private(folder / CONFIG, text.getvalue())


def _bound(port: int) -> socket.socket | None:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
    except OSError:
        listener.close()
        return None
    return listener
