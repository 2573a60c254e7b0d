"""What every storage can do, and what a file in it is."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Protocol, Self

from prospector.errors import Conflict, NotFound

LONGEST_LINK_SECONDS = 7 * 24 * 3600  # S3 signs none for longer
READ_BYTES = 2**20


@dataclass(frozen=True)
class Blob:
    key: str
    size_bytes: int
    modified_at: datetime


class WriteLost(Conflict):
    def __init__(self, key: str) -> None:
        super().__init__(
            f"The unfinished file {key} was removed while it was written.", "Another run has replaced this one."
        )


class Writer(Protocol):
    """Left without `commit`, nothing of it stays."""

    size_bytes: int

    def write(self, data: bytes) -> None: ...

    def commit(self) -> None: ...

    def abort(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Storage(Protocol):
    @property
    def url(self) -> str:
        """As STORAGE_URL names it: two that have the same one hold the same files."""

    def writer(self, key: str, file_name: str, content_type: str) -> Writer:
        """`file_name` is what a browser saves it as."""

    def link(self, key: str, seconds: int = LONGEST_LINK_SECONDS) -> str:
        """An address that reads this one object until it ends. It is a secret: not to be logged."""

    def read(self, key: str) -> Iterator[bytes]: ...

    def delete(self, key: str) -> None:
        """Deleted twice is deleted once."""

    def listed(self, prefix: str) -> Iterator[Blob]: ...

    def sweep(self, prefix: str, before: datetime | None = None) -> int:
        """Removes what is unfinished below `prefix`, and says how much that was. A writer of it ends with WriteLost.

        `before`: only what was begun (in a folder: last written to) before then.
        """


class UntilCommit:
    """A writer as a context: aborted however it is left, unless it was committed."""

    def abort(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.abort()


def missing(key: str) -> NotFound:
    return NotFound(f"There is no file {key}.", "It may have expired: export the job again.")
