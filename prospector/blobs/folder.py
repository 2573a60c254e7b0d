"""A folder as a storage: written under a name that nobody lists, then renamed."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from prospector.blobs.files import LONGEST_LINK_SECONDS, READ_BYTES, Blob, UntilCommit, WriteLost, Writer, missing
from prospector.errors import EnvironmentInvalid, InputInvalid

INCOMING = ".incoming"
MAKE_TRIES = 20


@contextmanager
def _kept_in(root: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise EnvironmentInvalid(
            f"Files cannot be kept in {root}: {error.strerror}.",
            "Make it writable and give it space, or change STORAGE_URL.",
        ) from error


def _make(folder: Path) -> None:
    for tries_left in reversed(range(MAKE_TRIES)):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except FileNotFoundError:  # one above was empty, and was tidied away just now
            if not tries_left:
                raise
        else:
            return


class Folder:
    def __init__(self, root: Path) -> None:
        self._root = root.resolve()  # keys lead to resolved paths, and one of another folder is told from these

    @property
    def url(self) -> str:
        return self._root.as_uri()

    def writer(self, key: str, file_name: str, content_type: str) -> Writer:
        target = self._path(key)
        incoming = self._root / INCOMING / f"{quote(key, safe='')}.{secrets.token_hex(8)}"
        with _kept_in(self._root):
            for folder in (target.parent, incoming.parent):
                _make(folder)
            return FolderWriter(self._root, key, incoming, target)

    def link(self, key: str, seconds: int = LONGEST_LINK_SECONDS) -> str:
        """Whoever may read the folder may read the file: `seconds` is only for storages that others reach."""
        return self._path(key).as_uri()

    def read(self, key: str) -> Iterator[bytes]:
        try:
            file = self._path(key).open("rb")
        except FileNotFoundError as error:
            raise missing(key) from error
        with file:
            while data := file.read(READ_BYTES):
                yield data

    def delete(self, key: str) -> None:
        path = self._path(key)
        path.unlink(missing_ok=True)
        with suppress(OSError):  # a folder that is not empty stays
            for folder in path.parents:
                if folder == self._root:
                    break
                folder.rmdir()

    def listed(self, prefix: str) -> Iterator[Blob]:
        for name, _, files in sorted(os.walk(self._path(prefix.rpartition("/")[0]))):
            folder = Path(name).relative_to(self._root).as_posix()
            for file in sorted(files):
                key = file if folder == "." else f"{folder}/{file}"
                if key.startswith(prefix) and not key.startswith(INCOMING):
                    yield from self._blob(self._root / key, key)

    def sweep(self, prefix: str, before: datetime | None = None) -> int:
        left = [one for one in self._incoming(prefix) if before is None or one.modified_at < before]
        for one in left:
            (self._root / INCOMING / one.key).unlink(missing_ok=True)
        return len(left)

    def _incoming(self, prefix: str) -> Iterator[Blob]:
        for path in (self._root / INCOMING).glob(f"{quote(prefix, safe='')}*"):
            yield from self._blob(path, path.name)

    def _blob(self, path: Path, key: str) -> Iterator[Blob]:
        with suppress(FileNotFoundError):  # deleted, or committed, since it was seen
            facts = path.stat()
            yield Blob(key, facts.st_size, datetime.fromtimestamp(facts.st_mtime, UTC))

    def _path(self, key: str) -> Path:
        path = (self._root / key).resolve()
        if not path.is_relative_to(self._root):
            raise InputInvalid(f"{key!r} is not below the folder of files.", "Use a key without '..'.")
        return path


class FolderWriter(UntilCommit):
    def __init__(self, root: Path, key: str, incoming: Path, target: Path) -> None:
        self._root, self._key, self._incoming, self._target = root, key, incoming, target
        self.size_bytes = 0
        self._file = os.fdopen(os.open(incoming, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")

    def write(self, data: bytes) -> None:
        with _kept_in(self._root):
            self._file.write(data)
        self.size_bytes += len(data)

    def commit(self) -> None:
        with _kept_in(self._root):
            self._commit()

    def _commit(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        _make(self._target.parent)  # an empty folder may have been tidied away since
        try:
            self._incoming.replace(self._target)
        except FileNotFoundError as error:
            raise WriteLost(self._key) from error
        descriptor = os.open(self._target.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def abort(self) -> None:
        with suppress(OSError):  # what it still holds finds no space either, and is not wanted
            self._file.close()
        self._incoming.unlink(missing_ok=True)
