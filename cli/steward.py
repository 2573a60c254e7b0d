"""`prospector steward`: the process that keeps promises over time."""

import signal
import threading
from typing import TYPE_CHECKING

import click

from cli import deployment
from cli.command import Command
from prospector.errors import ProspectorError

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from prospector.jobs.steward.post import Post
    from prospector.local.servers import Servers

SCHEMA_SECONDS = 2.0


@click.command(cls=Command)
@click.option("--of-stack", hidden=True, help="The mark of the local stack that has started it.")
def steward(of_stack: str | None) -> None:
    """Keep workers running, jobs moving, results for as long as promised, and raise alerts. Runs until it is stopped.

    The local stack has one. With servers of your own run one, or several: one leads, another takes over when it is gone.

    \b
    Example:
      prospector steward
    """
    from prospector import logs, settings
    from prospector.jobs.steward import duties, metrics_server
    from prospector.jobs.steward.gauges import Gauges
    from prospector.local import servers
    from prospector.store import server

    logs.install(settings.LOG_STYLE, settings.LOG_LEVEL)
    stop = _stopped_by_signals()
    found = servers.in_force()
    engine = server.engine(found.database_url, "prospector steward", connections=4)
    if not _await_schema(engine, stop, patient=of_stack is not None):
        return
    gauges = Gauges()
    one = duties.steward(_post(engine, found), gauges, stop)
    served = metrics_server.serve(settings.METRICS_ADDRESS, gauges.registry, one.health)
    if of_stack is not None:
        _tell_stack(served.url if served else "")
    one.run()


def _stopped_by_signals() -> threading.Event:
    stop = threading.Event()
    for sign in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sign, lambda *_: stop.set())
    return stop


def _post(engine: "Engine", found: "Servers") -> "Post":
    from prospector import settings
    from prospector.core.web.addresses import Policy
    from prospector.frontier.client import Frontier
    from prospector.jobs.steward.post import Post

    return Post(
        engine=engine,
        frontier=Frontier(found.redis_url),
        scrapyd_urls=found.scrapyd_urls,
        workers_per_node=settings.WORKERS_PER_NODE,
        checkpoint_domains=settings.CHECKPOINT_DOMAINS,
        retention_days=settings.RETENTION_DAYS,
        paid_most=settings.SCRAPINGBEE_CONCURRENCY,
        scrapingbee_url=str(settings.SCRAPINGBEE_API_URL),
        files=deployment.files_of(found),
        runner_environment=deployment.runner_environment(found),
        webhook_url=settings.ALERT_WEBHOOK_URL,
        webhook_policy=Policy(settings.ALLOWED_NETWORKS),
    )


def _tell_stack(metrics_url: str) -> None:
    """For `prospector status`."""
    from prospector import settings
    from prospector.local.home import Home
    from prospector.local.steward import note_metrics

    note_metrics(Home(settings.PROSPECTOR_HOME), metrics_url)


def _await_schema(engine: "Engine", stop: threading.Event, *, patient: bool) -> bool:
    """The database of the local stack is made by the first command that uses it; False: stopped before that."""
    from prospector.store import schema

    while True:
        try:
            schema.ensure_current(engine, may_migrate=False)
        except ProspectorError:
            if not patient:
                raise
        else:
            return True
        if stop.wait(SCHEMA_SECONDS):
            return False
