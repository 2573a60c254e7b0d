"""A job's own lines out of the logs of all workers: each worker serves many jobs and writes one log."""

import heapq
import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from prospector import nodes
from prospector.store import events
from prospector.store.tables import EventKind

EVENTS_MOST = 1_000
WORKERS_LOGS = ("logs", nodes.PROJECT, "domain")


def local_logs(scrapyd_folder: Path) -> dict[str, Iterator[str]]:
    """Worker -> the lines of its log, of the local stack's Scrapyd; also of workers that it has forgotten."""
    folder = scrapyd_folder.joinpath(*WORKERS_LOGS)
    return {path.stem: _read(path) for path in sorted(folder.glob("*.log"))}


def node_logs(url: str) -> dict[str, Iterator[str]]:
    """Of the workers that this node knows of."""
    runs = [one for one in nodes.node(url).runs if one.log]
    return {one.id: _fetched(url, str(one.log)) for one in runs}


def record(connection: Connection, job_id: str) -> Iterator[str]:
    """What the record has of it: moves with their reasons, alerts, notes."""
    for one in reversed(events.of_job(connection, job_id, EVENTS_MOST)):
        level = "WARNING" if one.kind is EventKind.ALERT else "INFO"
        moved = {"from": one.from_state, "to": one.to_state} if one.to_state else {}
        when = one.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
        event = {"time": when, "level": level, "event": one.kind, "job": job_id, **moved, "reason": one.reason}
        yield json.dumps(event)


def lines(logs: Mapping[str, Iterable[str]], job_id: str, most: int) -> list[dict[str, Any]]:
    """The newest ones of all workers, in order."""
    of_job = (_of_job(source, worker, job_id) for worker, source in logs.items())
    return list(deque(heapq.merge(*of_job, key=lambda event: str(event["time"])), maxlen=most))


def _of_job(source: Iterable[str], worker: str, job_id: str) -> Iterator[dict[str, Any]]:
    for line in source:
        if job_id not in line:
            continue
        event = _event(line)
        if event.get("job") == job_id:
            yield {"worker": worker} | event


def _event(line: str) -> dict[str, Any]:
    """A line in the form for people (LOG_STYLE=text) has its moment, its level and its job in front of the words."""
    if line.startswith("{"):
        event: dict[str, Any] = json.loads(line)
        return event
    moment, _, rest = line.partition(" ")
    level, _, words = rest.partition(" ")
    job = next((word.removeprefix("Job:") for word in words.split(" ") if word.startswith("Job:")), None)
    return {"time": moment, "level": level.strip("[]"), "job": job, "event": words.rstrip()}


def _read(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", errors="replace") as file:
        yield from file


def _fetched(url: str, log: str) -> Iterator[str]:
    yield from nodes.file(url, log).decode("utf-8", "replace").splitlines()
