"""Says every other second that an export is alive and how far it is; learns whether it is still wanted."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Self

from prospector.errors import Conflict, ProspectorError
from prospector.store import exports
from prospector.store.failures import in_our_words

if TYPE_CHECKING:
    from types import TracebackType

    from sqlalchemy import Engine

    from prospector.store.exports import Export

BEAT_SECONDS = 2.0
SILENT_SECONDS = 30  # fifteen beats: its runner is dead


class NotOurs(Conflict):
    def __init__(self, export: Export) -> None:
        super().__init__(
            f"Export {export.id} of job {export.job} is no longer this process's.",
            "Another runner has it, or it was removed: prospector job export-status " + export.job,
        )


class Heart:
    """A thread of its own, because closing a large workbook takes longer than a silence may."""

    def __init__(self, engine: Engine, export: Export, beat_seconds: float = BEAT_SECONDS) -> None:
        self._engine, self._export, self._beat_seconds = engine, export, beat_seconds
        self.rows_done = 0
        self.rows_total = 0
        self._lost = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat_on, name="heart", daemon=True)

    def __enter__(self) -> Self:
        self.beat()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def check(self) -> None:
        if self._lost:
            raise NotOurs(self._export)

    def beat(self) -> None:
        with in_our_words(), self._engine.begin() as connection:
            self._lost = not exports.beat(connection, self._export, self.rows_done, self.rows_total)
        self.check()

    def _beat_on(self) -> None:
        while not self._stop.wait(self._beat_seconds) and not self._lost:
            try:
                self.beat()
            except NotOurs:
                return
            except ProspectorError:
                continue  # a server that is away ends the reading too, and that is where it is said
