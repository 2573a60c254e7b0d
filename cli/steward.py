"""`prospector steward`: the process that keeps promises over time."""

import signal

import click

from cli.command import Command


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
    from prospector.core.addresses import Policy
    from prospector.frontier.client import Frontier
    from prospector.jobs import duties, metrics_server
    from prospector.jobs.gauges import Gauges
    from prospector.jobs.post import Post
    from prospector.local import record, servers

    logs.install(settings.LOG_STYLE, settings.LOG_LEVEL)
    found = servers.in_force()
    gauges = Gauges()
    post = Post(
        engine=record.operator(connections=4),
        frontier=Frontier(found.redis_url),
        scrapyd_urls=found.scrapyd_urls,
        workers_per_node=settings.WORKERS_PER_NODE,
        checkpoint_domains=settings.CHECKPOINT_DOMAINS,
        retention_days=settings.RETENTION_DAYS,
        paid_most=settings.SCRAPINGBEE_CONCURRENCY,
        webhook_url=settings.ALERT_WEBHOOK_URL,
        webhook_policy=Policy(settings.ALLOWED_NETWORKS),
    )
    one = duties.steward(post, gauges)
    for sign in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sign, lambda *_: one.stop())
    metrics_server.serve(settings.METRICS_ADDRESS, gauges.registry, one.health)
    one.run()
