"""A job's own lines out of the logs of all workers: each worker serves many jobs and writes one log."""

import heapq
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from prospector import nodes
from prospector.errors import ProspectorError
from prospector.jobs.workers import look
from prospector.store import events
from prospector.store.kinds import EventKind

EVENTS_MOST = 1_000
BLOCK_BYTES = 2**16  # of each log of a stack or node, of which there may be hundreds
CLOCKS_APART = timedelta(hours=1)  # of a node and of Postgres, which says when a job was made
BEGINNING = re.compile(r'(?:\{"time": ")?(\d{4}-\d\d-\d\dT[0-9:.]+Z)')
WORKERS_LOGS = ("logs", nodes.PROJECT, "domain")


def local_logs(scrapyd_folder: Path) -> dict[str, Iterator[str]]:
    """Worker -> the lines of its log, of the local stack's Scrapyd; also of workers that it has forgotten."""
    folder = scrapyd_folder.joinpath(*WORKERS_LOGS)
    return {path.stem: _local_log(path) for path in sorted(folder.glob("*.log"))}


def node_logs(urls: Sequence[str]) -> tuple[dict[str, Iterator[str]], dict[str, ProspectorError]]:
    """Of the workers that these nodes know of; and node -> why it cannot be asked."""
    reached, problems = look(urls)
    return {run.id: _node_log(node.url, run.log) for node in reached for run in node.runs if run.log}, problems


def record(connection: Connection, job_id: str) -> Iterator[str]:
    """What the record has of it: moves with their reasons, alerts, notes."""
    for one in events.of_job(connection, job_id, EVENTS_MOST):
        level = "WARNING" if one.kind is EventKind.ALERT else "INFO"
        moved = {"from": one.from_state, "to": one.to_state} if one.to_state else {}
        event = {"time": stamp(one.at), "level": level, "event": one.kind, "job": job_id, **moved, "reason": one.reason}
        yield json.dumps(event)


def lines(logs: Mapping[str, Iterable[str]], job_id: str, most: int, since: datetime) -> list[dict[str, Any]]:
    """The newest ones of all workers, in order. Each log is given newest first, and read only as far back as that takes, and
    not to before the job was made."""
    first = stamp(since - CLOCKS_APART)
    of_job = (_of_job(source, worker, job_id, first) for worker, source in logs.items())
    merged = heapq.merge(*of_job, key=lambda event: str(event.get("time")), reverse=True)
    return list(islice(merged, most))[::-1]


def stamp(moment: datetime) -> str:
    """As lines have it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def _of_job(source: Iterable[str], worker: str, job_id: str, first: str) -> Iterator[dict[str, Any]]:
    for line in source:
        if (begun := BEGINNING.match(line)) and begun[1] < first:
            return
        if job_id not in line:
            continue
        event = _event(line)
        if event.get("job") == job_id:
            yield {"worker": worker} | event


def _event(line: str) -> dict[str, Any]:
    """A line in the form for people (LOG_STYLE=text) has its moment, its level and its job in front of the words.

    So is one that was torn by a full disk or a killed worker taken for words.
    """
    if line.startswith("{"):
        with suppress(ValueError):
            event: dict[str, Any] = json.loads(line)
            return event
    moment, _, rest = line.partition(" ")
    level, _, words = rest.partition(" ")
    job = next((word.removeprefix("Job:") for word in words.split(" ") if word.startswith("Job:")), None)
    return {"time": moment, "level": level.strip("[]"), "job": job, "event": words.rstrip()}


# Scrapyd deletes the oldest log when a worker begins: one that was listed a moment ago may be gone by now, or halfway through


def _local_log(path: Path) -> Iterator[str]:
    with suppress(FileNotFoundError):
        yield from _backwards(path.stat().st_size, partial(_piece, path))


def _node_log(url: str, log: str) -> Iterator[str]:
    with suppress(nodes.Absent):
        yield from _backwards(nodes.file_bytes(url, log), partial(nodes.piece, url, log))


def _backwards(size_bytes: int, piece: Callable[[int, int], bytes]) -> Iterator[str]:
    """The lines, the last one first, of what `piece(start, end)` gives; one block of them at a time is in memory."""
    end, begun = size_bytes, b""
    while end > 0:
        start = max(0, end - BLOCK_BYTES)
        begun, *whole = (piece(start, end) + begun).split(b"\n")
        yield from (line.decode("utf-8", "replace") for line in reversed(whole))
        end = start
    yield begun.decode("utf-8", "replace")


def _piece(path: Path, start: int, end: int) -> bytes:
    with path.open("rb") as file:
        file.seek(start)
        return file.read(end - start)
