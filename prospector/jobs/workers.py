"""Keeps the workers that should run running: what is missing on a node is started through its Scrapyd."""

import secrets
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from sqlalchemy import Connection, Engine

from prospector import logs, nodes
from prospector.core.system.staffing import missing, most_workers
from prospector.errors import ProspectorError
from prospector.frontier import calls, job_calls
from prospector.frontier.calls import Alive
from prospector.frontier.client import Frontier
from prospector.nodes import Node
from prospector.store import locks, server
from prospector.store.locks import Lock

LOG = logs.named(__name__)
SPIDER = "domain"
AT_ONCE = 2  # a node starts at most so many a round: each takes a processor for a second
SOON_MS = 60_000


@dataclass(frozen=True)
class Staff:
    """What a round found and did. `problems`: node -> why it cannot be used now."""

    alive: dict[str, int] = field(default_factory=dict)
    started: dict[str, tuple[str, ...]] = field(default_factory=dict)
    problems: dict[str, ProspectorError] = field(default_factory=dict)
    most: int = 0


def ensure_workers(engine: Engine, frontier: Frontier, urls: Sequence[str], per_node: int) -> Staff:
    """One round, every few seconds by the steward. Without work nothing is started, nor while somebody else is at it."""
    if not frontier.run(job_calls.due(SOON_MS)):
        return Staff()
    return call_workers(engine, frontier, urls, per_node)


def call_workers(engine: Engine, frontier: Frontier, urls: Sequence[str], per_node: int) -> Staff:
    """A round for work that is about to come: a worker takes two seconds to begin, and a long list as long to be filled in."""
    # no transaction: a node that hangs would keep it open
    with (
        server.autocommit(engine) as connection,
        locks.alone(connection, Lock.STAFF) as alone,
    ):
        return _round(connection, frontier, urls, per_node) if alone else Staff()


def _round(connection: Connection, frontier: Frontier, urls: Sequence[str], per_node: int) -> Staff:
    reached, problems = look(urls)
    beating = frontier.run(calls.workers())
    alive = {one.name: len(_alive(one, beating)) for one in reached}
    elsewhere = sum(1 for one in beating if one.node not in alive)
    most = most_workers(server.connections(connection)[1])
    url_of = {one.name: one.url for one in reached}
    started: dict[str, tuple[str, ...]] = {}
    for node, count in missing(alive, per_node, most - elsewhere, AT_ONCE).items():
        try:
            started[node] = tuple(start(url_of[node]) for _ in range(count))
            LOG.info("workers_started", node=node, workers=" ".join(started[node]), alive_before=alive[node])
        except ProspectorError as error:
            problems[node] = error
    return Staff(alive, started, problems, most)


def look(urls: Sequence[str]) -> tuple[list[Node], dict[str, ProspectorError]]:
    """All nodes at once: one that hangs does not keep the others waiting longer than its own time-out."""
    reached: list[Node] = []
    problems: dict[str, ProspectorError] = {}
    with ThreadPoolExecutor(max_workers=max(1, len(urls))) as pool:
        asked = {url: pool.submit(nodes.node, url) for url in urls}
    for url, answer in asked.items():
        try:
            reached.append(answer.result())
        except ProspectorError as error:
            problems[nodes.name(url)] = error
    return reached, problems


def start(url: str) -> str:
    """Its id is its name everywhere: in Scrapyd's pages, the name of its log, `system workers`, the frontier."""
    worker = f"worker-{secrets.token_hex(3)}"
    nodes.schedule(url, SPIDER, worker, {"NODE_NAME": nodes.name(url)})
    return worker


def _alive(node: Node, beating: Sequence[Alive]) -> frozenset[str]:
    """Those that Scrapyd waits to start or runs, and those that a restarted Scrapyd has forgotten but that still beat."""
    ended = node.ended(SPIDER)
    orphans = frozenset(one.id for one in beating if one.node == node.name and one.id not in ended)
    return node.alive(SPIDER) | orphans
