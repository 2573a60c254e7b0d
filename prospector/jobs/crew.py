"""Every worker there is, as its node and the frontier each know it: what one of them has forgotten, the other still shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from prospector import nodes
from prospector.errors import ProspectorError
from prospector.frontier import calls
from prospector.frontier.calls import Alive
from prospector.frontier.client import Frontier
from prospector.jobs.workers import SPIDER, look
from prospector.nodes import Node, Run, Stage


class WorkerState(StrEnum):
    QUEUED = "queued"  # in Scrapyd's line: all its slots are taken
    STARTING = "starting"
    RUNNING = "running"
    FORGOTTEN = "running, forgotten by Scrapyd"  # which was restarted
    UNKNOWN = "running, its node does not answer"


@dataclass(frozen=True)
class Worker:
    """What a worker that has not begun cannot say is None. `domains_in_hand`: those of which it fetches or commits pages at
    this moment; it shares all open domains with the others. `log`: where its log is in Scrapyd's own pages."""

    node: str
    worker: str
    state: WorkerState
    beat_seconds_ago: float | None = None
    domains_in_hand: int | None = None
    pages_per_second: float | None = None
    memory_mb: int | None = None
    pages: int | None = None
    log: str | None = None


@dataclass(frozen=True)
class Crew:
    """`problems`: node -> why it cannot be asked."""

    workers: tuple[Worker, ...]
    problems: Mapping[str, ProspectorError]


def crew(urls: Sequence[str], frontier: Frontier) -> Crew:
    reached, problems = look(urls)
    beating: list[Alive] = frontier.run(calls.workers())
    beats = {(one.node, one.id): one for one in beating}
    listed = {(node.name, run.id): (node, run) for node in reached for run in _present(node)}
    ended = {(node.name, run) for node in reached for run in node.ended(SPIDER)}
    found = [_listed(node, run, beats.get(key)) for key, (node, run) in listed.items()]
    for key, alive in beats.items():
        if key not in listed and key not in ended:
            state = WorkerState.UNKNOWN if alive.node in problems else WorkerState.FORGOTTEN
            found.append(_of(alive, state))
    return Crew(tuple(sorted(found, key=lambda one: (one.node, one.worker))), problems)


def _present(node: Node) -> list[Run]:
    return [one for one in node.runs if one.spider == SPIDER and one.stage is not Stage.FINISHED]


def _listed(node: Node, run: Run, alive: Alive | None) -> Worker:
    log = f"{nodes.address(node.url)}{run.log}" if run.log else None
    if alive is None:
        state = WorkerState.QUEUED if run.stage is Stage.PENDING else WorkerState.STARTING
        return Worker(node.name, run.id, state, log=log)
    return _of(alive, WorkerState.RUNNING, log)


def _of(alive: Alive, state: WorkerState, log: str | None = None) -> Worker:
    about = alive.about
    return Worker(
        node=alive.node,
        worker=alive.id,
        state=state,
        beat_seconds_ago=alive.since_ms / 1000,
        domains_in_hand=int(about.get("domains", 0)),
        pages_per_second=float(about.get("rate", 0)),
        memory_mb=int(about.get("memory_mb", 0)),
        pages=int(about.get("pages", 0)),
        log=log,
    )
