"""Where the local stack keeps things: data below PROSPECTOR_HOME, sockets in a short folder of this user alone."""

import hashlib
import os
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from prospector.errors import EnvironmentInvalid

SOCKET_NAMES_BYTES = len("/pg/.s.PGSQL.5432.lock")
SOCKET_PATH_BYTES = 104  # the smaller one, of macOS; Linux has 108
SERVERS = ("postgres", "postgres-old", "redis", "scrapyd", "steward")  # the old one while data is brought over from it


@dataclass(frozen=True)
class Home:
    folder: Path

    @property
    def locks(self) -> Path:
        return self.folder / "locks"

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    @property
    def postgres(self) -> Path:
        return self.folder / "postgres"

    @property
    def redis(self) -> Path:
        return self.folder / "redis"

    @property
    def scrapyd(self) -> Path:
        return self.folder / "scrapyd"

    @property
    def files(self) -> Path:
        return self.folder / "files"

    @property
    def state(self) -> Path:
        return self.folder / "stack.json"

    @property
    def keep_up(self) -> Path:
        """Exists between `prospector up` and `down`: no idle stop."""
        return self.folder / "keep-up"

    @property
    def server_locks(self) -> list[Path]:
        return [self.lock(name) for name in SERVERS]

    def lock(self, name: str) -> Path:
        return self.locks / name

    def remove_sockets(self) -> None:
        """Called when nothing runs; with what lies beside them for `nobody`."""
        remove_marked(self.sockets.parent, self.mark)

    def make(self) -> None:
        try:
            for folder in (self.folder, self.locks, self.logs, self.redis, self.scrapyd, self.files):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise EnvironmentInvalid(
                f"The local stack cannot keep its data in {self.folder}: {error.strerror} ({error.filename}).",
                "Set PROSPECTOR_HOME to a folder that you may write and that has space.",
            ) from error
        refuse_foreign(self.folder)

    @property
    def mark(self) -> str:
        """Tells this stack's processes and sockets from those of any other."""
        return f"prospector-{os.getuid()}-{hashlib.sha256(os.fsencode(self.folder.resolve())).hexdigest()[:10]}"

    @property
    def sockets(self) -> Path:
        return _short_parent(self.mark) / self.mark

    def make_sockets(self) -> None:
        self.sockets.mkdir(mode=0o700, exist_ok=True)
        refuse_foreign(self.sockets)
        if self.sockets.stat().st_mode & 0o077:
            raise EnvironmentInvalid(f"{self.sockets} is open to other users.", "Remove it.")


def remove_marked(parent: Path, mark: str) -> None:
    for folder in parent.glob(f"{mark}*"):
        if not folder.is_symlink() and folder.stat().st_uid == os.getuid():
            shutil.rmtree(folder, ignore_errors=True)


def refuse_foreign(folder: Path) -> None:
    """A folder of someone else could hand our data or our connections to them."""
    found = folder.lstat()
    if stat.S_ISLNK(found.st_mode) or found.st_uid != os.getuid():
        raise EnvironmentInvalid(
            f"{folder} belongs to user id {found.st_uid}, not to you ({os.getuid()}), or is a link.",
            "Remove it, or set PROSPECTOR_HOME to a folder of your own.",
        )


def write_private(path: Path, text: str) -> None:
    """Complete or absent, and readable by this user alone; also where two processes write it at once."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        with os.fdopen(
            os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
        ) as file:
            file.write(text)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _short_parent(name: str) -> Path:
    for parent in (Path(tempfile.gettempdir()), Path("/tmp")):  # noqa: S108  # ours below it is 0700 and its owner is checked
        if len(os.fsencode(parent / name)) + SOCKET_NAMES_BYTES < SOCKET_PATH_BYTES and os.access(parent, os.W_OK):
            return parent
    raise EnvironmentInvalid(
        f"No folder for sockets: a socket's path has {SOCKET_PATH_BYTES} bytes at most, and neither {tempfile.gettempdir()} nor /tmp will do.",
        "Set TMPDIR to a short folder that you may write.",
    )
