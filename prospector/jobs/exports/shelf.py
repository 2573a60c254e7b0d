"""Files of exports once they are made: links to them, copies of them, and their end."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from prospector.core.job.retention import EXPORT_DAYS
from prospector.errors import Conflict, EnvironmentInvalid
from prospector.store import exports
from prospector.store.kinds import ExportState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Engine

    from prospector.blobs import Storage
    from prospector.store.exports import Export

ROOT = "exports/"
FOLDER_PREFIX = "prospector-export-"  # what a runner puts aside while it works
UNFINISHED_FOR = timedelta(days=1)  # no export takes so long: whoever wrote it was killed


def prefix(job: str, export: str = "") -> str:
    """Of the keys of a job's files, or of one export's. The id of an export cannot be guessed."""
    return f"{ROOT}{job}/" + (f"{export}/" if export else "")


def links(files: Storage, export: Export) -> dict[str, str]:
    """Name of each file -> an address for it, signed anew: good for seven days, or as long as the file is there."""
    return {str(one["name"]): files.link(str(one["key"])) for one in _made(files, export)}


def fetch(files: Storage, export: Export, folder: Path, named_by: str = "name") -> Iterator[Path]:
    """Copies each file into `folder`, whole or not at all; yields it when it is there.

    `named_by`: "name", as results.csv, or "download_name", which tells the files of two jobs apart.
    """
    prepare(folder)
    for one in _made(files, export):
        target = folder / str(one[named_by])
        try:
            _copy(files.read(str(one["key"])), target)
        except OSError as error:
            raise _unwritable(folder, error) from error
        yield target


def prepare(folder: Path) -> None:
    """Makes it, and proves that it can be written to: before the work, not after it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise _unwritable(folder, error) from error


def _copy(data: Iterator[bytes], target: Path) -> None:
    coming = target.with_name(f".{target.name}.part")
    try:
        with coming.open("wb") as copy:
            copy.writelines(data)
        coming.replace(target)
    finally:
        coming.unlink(missing_ok=True)


def _unwritable(folder: Path, error: OSError) -> EnvironmentInvalid:
    why = error.strerror or str(error)
    return EnvironmentInvalid(
        f"Nothing can be written in {folder}: {why}.", "Choose another --out, or free some space."
    )


def expire(record: Engine, files: Storage, now: datetime) -> int:
    """Deletes what is older than its links, whoever left it there, and what was never finished; returns how many of the former.

    Done twice is done once.
    """
    with record.begin() as connection:
        exports.expire(connection)
    old = [blob.key for blob in files.listed(ROOT) if blob.modified_at < now - timedelta(days=EXPORT_DAYS)]
    for key in old:
        files.delete(key)
    files.sweep(ROOT, now - UNFINISHED_FOR)
    _sweep_folders(now - UNFINISHED_FOR)
    return len(old)


def _sweep_folders(before: datetime) -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDER_PREFIX}*"):
        with suppress(FileNotFoundError):
            if datetime.fromtimestamp(folder.stat().st_mtime, UTC) < before:
                shutil.rmtree(folder, ignore_errors=True)  # another user's stays


def forget(files: Storage, job: str) -> None:
    """All files of a job that is removed.

    Those of one that is archived stay as long as their links: whoever was warned has made them to keep them.
    """
    files.sweep(prefix(job))
    for blob in list(files.listed(prefix(job))):
        files.delete(blob.key)


class Elsewhere(Conflict):
    """Of two processes with different addresses of the storage the one that made the files is right."""

    def __init__(self, export: Export, there: str, here: str) -> None:
        super().__init__(
            f"The files of this export are in {there}, and this command looks in {here}.",
            f"Set STORAGE_URL={there} here; or where the new one is meant, give it to the steward too and make the export "
            f"again: prospector job export {export.job}",
        )


def _made(files: Storage, export: Export) -> list[dict[str, object]]:
    if export.state is not ExportState.READY:
        raise Conflict(
            f"Export {export.id} of job {export.job} is {export.state}{f': {export.reason}' if export.reason else ''}.",
            f"Its files can be had when it is ready. To make new ones: prospector job export {export.job}",
        )
    made = [dict(one) for one in export.files]
    for one in made:
        if (there := one.get("storage", files.url)) != files.url:  # one of an earlier version does not say
            raise Elsewhere(export, str(there), files.url)
    return made
