"""The servers of this deployment, opened for one command about jobs; what was interrupted goes on, and it is said."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from cli import output
from prospector.errors import ProspectorError, ServerUnreachable

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from prospector.blobs import Storage
    from prospector.frontier.client import Frontier
    from prospector.jobs.interrupted import Interruption
    from prospector.local.servers import Servers


@dataclass(frozen=True)
class Deployment:
    servers: "Servers"
    engine: "Engine"
    frontier: "Frontier"

    @property
    def files(self) -> "Storage":
        return files_of(self.servers)

    def find(self, given: str) -> str:
        """The id of the job that the user means."""
        from prospector.store import job_names

        with self.engine.connect() as connection:
            return job_names.find(connection, given)


@contextmanager
def opened() -> Iterator[Deployment]:
    from prospector.frontier.client import Frontier
    from prospector.local import record
    from prospector.local.servers import in_force
    from prospector.store.failures import in_our_words

    servers = in_force()
    with ExitStack() as opened, in_our_words():
        engine = record.operator(connections=2)
        opened.callback(engine.dispose)
        frontier = Frontier(servers.redis_url)
        opened.callback(frontier.close)
        deployment = Deployment(servers, engine, frontier)
        _go_on(deployment)
        yield deployment


def files_of(servers: "Servers") -> "Storage":
    from prospector import settings
    from prospector.blobs import storage

    return storage(servers.storage_url, settings.AWS_ENDPOINT_URL)


def runner_environment(servers: "Servers") -> dict[str, str]:
    """For a child process that makes an export: it reads the record and writes the files."""
    from prospector.local import options

    in_force = {"DATABASE_URL": servers.database_url, "STORAGE_URL": servers.storage_url}
    return options.applied(options.given() | in_force)


def start_workers(deployment: Deployment) -> None:
    """At once, where a job begins: the steward would do it seconds later. That nodes are away is no failure of the command,
    for the job goes on when they are back."""
    from prospector import settings
    from prospector.jobs.workers import call_workers

    staff = call_workers(
        deployment.engine, deployment.frontier, deployment.servers.scrapyd_urls, settings.WORKERS_PER_NODE
    )
    for node, problem in staff.problems.items():
        output.say(f"Node {node} cannot be used now. {problem}")


def _go_on(deployment: Deployment) -> None:
    """What the last stop of this machine's servers has interrupted. Servers of other people have a steward of their own."""
    from prospector.jobs.interrupted import go_on, newly_interrupted

    stopped_at = _stack_stopped_at()
    if stopped_at is None:
        return
    try:
        found = newly_interrupted(deployment.engine, stopped_at)
        for one in found:
            output.say(_words(one))
        if found:
            go_on(deployment.engine, deployment.frontier, found)
            start_workers(deployment)
    except ServerUnreachable:
        return  # the command itself says so, if it needs that server


def _words(one: "Interruption") -> str:
    at = one.at.astimezone()
    return f"Job {one.job.id} ({output.plain(one.job.name)}): interrupted {output.moment(at)}, continuing."


def _stack_stopped_at() -> datetime | None:
    from prospector import settings
    from prospector.local import attach
    from prospector.local.home import Home
    from prospector.local.servers import all_external

    state = None if all_external() else attach.running(Home(settings.PROSPECTOR_HOME))
    return datetime.fromisoformat(state.stopped_at) if state and state.stopped_at else None


def require_answers(deployment: Deployment) -> None:
    """Before anything is made: Redis and every node can be asked."""
    from prospector.frontier import server
    from prospector.jobs.workers import look

    server.ping(deployment.servers.redis_url)
    reached, problems = look(deployment.servers.scrapyd_urls)
    if not reached:
        first: ProspectorError = next(iter(problems.values()))
        raise first
