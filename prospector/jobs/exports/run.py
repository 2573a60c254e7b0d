"""One export from beginning to end: read, written, checked, committed, and said to be ready."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from prospector.core.job.retention import EXPORT_DAYS
from prospector.errors import ProspectorError, ServerUnreachable
from prospector.jobs.exports.heart import BEAT_SECONDS, Heart, NotOurs
from prospector.jobs.exports.making import File, Making
from prospector.jobs.exports.order import order
from prospector.jobs.exports.shelf import FOLDER_PREFIX, prefix
from prospector.store import exports, results

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Engine

    from prospector.blobs import Storage
    from prospector.jobs.exports.tally import Summary
    from prospector.store.exports import Export


@dataclass(frozen=True)
class Stores:
    """Where an export reads and writes, what a credit costs, and how long results are kept. `record` may change rows of exports;
    `reader` only reads."""

    record: Engine
    reader: Engine
    files: Storage
    credit_price_usd: Decimal
    retention_days: int


def run(stores: Stores, export: Export, beat_seconds: float = BEAT_SECONDS) -> None:
    """Makes the files of a claimed export. What fails is said in its row; what may pass waits there for the second try."""
    try:
        _make(stores, export, beat_seconds)
    except NotOurs:
        raise
    except ServerUnreachable as error:
        put_back(stores, export, str(error))
        raise
    except ProspectorError as error:
        with stores.record.begin() as connection:
            exports.fail(connection, export, str(error))
        raise


def put_back(stores: Stores, export: Export, reason: str) -> None:
    with stores.record.begin() as connection:
        exports.try_again(connection, export, reason)


def hand_back(stores: Stores, export: Export) -> None:
    """Its runner was asked to end: that is no try of the export's. A file may just have been begun: nobody else ends it."""
    try:
        stores.files.sweep(prefix(export.job, export.id))
    finally:
        with stores.record.begin() as connection:
            exports.hand_back(connection, export)


def _make(stores: Stores, export: Export, beat_seconds: float) -> None:
    asked = order(export.formats, export.options)
    if export.attempts > 1:
        # the first try is dead, or finds out here that it was given up
        stores.files.sweep(prefix(export.job, export.id))
    with (
        Heart(stores.record, export, beat_seconds) as heart,
        TemporaryDirectory(prefix=FOLDER_PREFIX) as folder,
        results.snapshot(stores.reader, export.job) as found,
        ExitStack() as writers,
    ):
        making = Making(found, Path(folder), heart, stores.credit_price_usd, stores.retention_days)
        files = making.open(stores.files, f"{prefix(export.job, export.id)}{export.attempts}/", asked, writers)
        summary = making.stream([file.output for file in files])
        heart.beat()
        for file in files:
            file.writer.commit()
    _ready(stores, export, files, summary)


def _ready(stores: Stores, export: Export, files: Sequence[File], summary: Summary) -> None:
    expires_at = datetime.now(UTC) + timedelta(days=EXPORT_DAYS)
    of_all = {"notes": summary.notes, "duplicates": summary.tally.duplicate_rows, "storage": stores.files.url}
    rows = [{**file.facts(), **of_all} for file in files]
    with stores.record.begin() as connection:
        kept = exports.ready(connection, export, rows, expires_at)
    if not kept:
        raise NotOurs(export)
