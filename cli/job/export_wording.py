"""An export in words: what is said when it is asked for, on its way, and when it is there."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from cli.output import counted, plain
from prospector.core.job import retention
from prospector.core.job.states import ENDED
from prospector.jobs.exports.order import Format
from prospector.store.kinds import ExportState

if TYPE_CHECKING:
    from prospector.store.exports import Export
    from prospector.store.jobs import Job

# with 20 mentions each (bench/export.py); said as about, meant as at most. A workbook has each cell of them
DOMAINS_A_MINUTE, OF_A_WORKBOOK = 50_000, 20_000


def meanwhile(job: Job, formats: Container[Format]) -> Iterator[str]:
    """For somebody who does not wait: when and how to ask for the files, and what is in them."""
    from prospector import settings

    minutes = max(1, -(-job.domains_total // (OF_A_WORKBOOK if Format.XLSX in formats else DOMAINS_A_MINUTE)))
    yield (
        f"Export started. Check status in ~{counted(minutes, 'minute')}. "
        f"Run 'prospector job export-status {job.id}' to check progress."
    )
    if job.state not in ENDED:
        yield f"Job {job.id} is {job.state}: the files hold what is known when they are made. Export again for the rest."
    days = settings.RETENTION_DAYS
    yield retention.warning(retention.deleted_on(job.state, job.left_running_at, job.moved_at, days), days)


def state(one: Export) -> str:
    again = f"prospector job export {one.job} --format {','.join(one.formats)}"
    match one.state:
        case ExportState.WAITING:
            why = f" Its first try ended: {plain(one.reason)}" if one.reason else ""
            return f"The export of job {one.job} waits to be made.{why}"
        case ExportState.RUNNING:
            return f"The export of job {one.job} is being made: {rows(one)}."
        case ExportState.FAILED:
            return f"The export of job {one.job} has failed: {plain(one.reason or 'no reason was kept')}\nNext: {again}"
        case ExportState.EXPIRED:
            return f"The export of job {one.job} has expired and its files are deleted. To make them anew: {again}"
        case ExportState.READY:
            return f"The export of job {one.job} is ready."


def ready(one: Export, links: Mapping[str, str], paths: Mapping[str, str]) -> Iterator[str]:
    """A line for each file: where it is, and how large."""
    days = _days_left(one)
    for file in one.files:
        name = str(file["name"])
        facts = f"{name}, {counted(_number(file, 'rows'), 'row')}, {size(_number(file, 'bytes'))}"
        if name in paths:
            yield f"{paths[name]}  ({facts})"
        else:
            yield f"Export ready: {links[name]} (expires in {counted(days, 'day')})  {facts}"


def notes(one: Export) -> list[str]:
    """What the files themselves say first: that they are partial, why they are empty, until when they can be had."""
    said = [one.files[0]["notes"]] if one.files else []
    return [plain(str(note)) for notes in said if isinstance(notes, list) for note in notes]


def as_object(one: Export, links: Mapping[str, str], paths: Mapping[str, str]) -> dict[str, Any]:
    """What `--json` promises."""
    names = [str(file["name"]) for file in one.files] if one.state is ExportState.READY else []
    return {
        "id": one.id,
        "job": one.job,
        "state": one.state,
        "reason": one.reason,
        "formats": list(one.formats),
        "rows": {"done": one.rows_done, "total": one.rows_total},
        "files": [
            {
                "name": name,
                "rows": file["rows"],
                "bytes": file["bytes"],
                "url": links.get(name),
                "path": paths.get(name),
                "download_name": file["download_name"],
            }
            for name, file in zip(names, one.files, strict=False)
        ],
        "notes": notes(one),
        "duplicates": one.files[0]["duplicates"] if one.files else None,
        "asked_at": _iso(one.asked_at),
        "finished_at": _iso(one.finished_at),
        "expires_at": _iso(one.expires_at),
    }


def size(size_bytes: int) -> str:
    if size_bytes < 1_000:
        return f"{size_bytes} bytes"
    if size_bytes < 1_000_000:
        return f"{size_bytes / 1_000:,.0f} kB"
    return f"{size_bytes / 1_000_000:,.1f} MB"


def rows(one: Export) -> str:
    if not one.rows_total:
        return "counting its rows"
    return f"{one.rows_done:,} of {one.rows_total:,} rows ({one.rows_done * 100 // one.rows_total}%)"


def _days_left(one: Export) -> int:
    if one.expires_at is None:
        return retention.EXPORT_DAYS
    return max(0, round((one.expires_at - datetime.now(UTC)).total_seconds() / 86_400))


def _number(file: Mapping[str, object], fact: str) -> int:
    value = file[fact]
    assert isinstance(value, int)
    return value


def _iso(when: datetime | None) -> str | None:
    return None if when is None else when.astimezone(UTC).isoformat(timespec="seconds")
