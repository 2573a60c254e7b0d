"""What the simulator really did and charged: kept in memory, and in a file of JSON lines that outlives the process."""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from prospector.demo.scrapingbee.rules import Outcome


@dataclass(frozen=True)
class Record:
    """One request to /api/v1/. `concurrent` counts this call; 0 where it was turned away. Times are monotonic seconds."""

    id: int
    unix_time: float
    started: float
    ended: float
    url: str
    tag: str
    method: str
    params: Mapping[str, str]
    status: int  # 0 where no answer was sent
    outcome: Outcome
    cost: int
    key: str  # a fingerprint
    concurrent: int
    render_js_stated: bool
    key_in_url: bool


class Truth:
    """A file that is there already is read first: its charges still count."""

    def __init__(self, path: Path | None) -> None:
        self.records: list[Record] = []
        self.usage_requests = 0
        if path is not None and path.exists():
            self.records = read_records(path)
        self._file = path.open("ab", buffering=0) if path is not None else None
        self._next_id = max((one.id for one in self.records), default=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def next_id(self) -> int:
        self._next_id += 1
        return self._next_id

    def write(self, record: Record) -> None:
        """One write of one line: in the kernel's hands when this returns."""
        self.records.append(record)
        if self._file is not None:
            self._file.write(json.dumps(asdict(record), ensure_ascii=False).encode("utf-8", "replace") + b"\n")

    @property
    def credits(self) -> int:
        return sum(record.cost for record in self.records)

    def summary(self, since_id: int = 0) -> dict[str, object]:
        return {
            "credits": self.credits,
            "credits_by_tag": dict(self._credits_by("tag")),
            "credits_by_method": dict(self._credits_by("method")),
            "outcomes": dict(Counter(record.outcome for record in self.records)),
            "without_render_js": [record.id for record in self.records if not record.render_js_stated],
            "key_in_url": [record.id for record in self.records if record.key_in_url],
            "internal_urls": [record.url for record in self.records if record.outcome is Outcome.INTERNAL_URL],
            "usage_requests": self.usage_requests,
            "calls": [asdict(record) for record in self.records if record.id > since_id],
        }

    def _credits_by(self, field: str) -> Counter[str]:
        totals: Counter[str] = Counter()
        for record in self.records:
            totals[getattr(record, field)] += record.cost
        return totals


def fingerprint(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:12] if key else ""


def read_records(path: Path) -> list[Record]:
    """Cuts off half a line at the end: its writer was killed in the act, and that call was never answered."""
    written = path.read_bytes()
    whole = written.rfind(b"\n") + 1
    if whole < len(written):
        os.truncate(path, whole)
    rows = (json.loads(line) for line in written[:whole].splitlines())
    return [Record(**{**row, "outcome": Outcome(row["outcome"])}) for row in rows]
