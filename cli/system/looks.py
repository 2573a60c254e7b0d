"""`prospector system workers` and `metrics`: what runs where, and how well."""

from dataclasses import asdict

import click

from cli import deployment, output
from cli.command import Command


@click.command(cls=Command)
@output.json_option
def workers(as_json: bool) -> None:
    """Show every worker: its node, what it does, when it was last heard of.

    \b
    Example:
      prospector system workers
    """
    from prospector.jobs import crew

    with deployment.opened() as opened:
        found = crew.crew(opened.servers.scrapyd_urls, opened.frontier)
    if as_json:
        problems = {node: str(problem) for node, problem in found.problems.items()}
        output.data({"workers": [asdict(one) for one in found.workers], "problems": problems})
        return
    rows = [(
        one.node, one.worker, one.state, _seconds(one.beat_seconds_ago), one.domains_in_hand, one.pages_per_second,
        None if one.memory_mb is None else f"{one.memory_mb} MB",
    ) for one in found.workers]  # fmt: skip
    output.table(("node", "worker", "state", "last beat", "domains in hand", "pages/s", "memory"), rows)
    for problem in found.problems.values():
        output.say(str(problem))
    if not found.workers:
        output.say("No worker runs. They start with the next job, and leave when there is nothing to do.")


@click.command(cls=Command)
@output.json_option
def metrics(as_json: bool) -> None:
    """Show how the system does, each figure with the formula it comes from.

    \b
    Example:
      prospector system metrics
    """
    from prospector import settings
    from prospector.jobs import measures

    with deployment.opened() as opened:
        found = measures.measures(opened.engine, opened.frontier, settings.SCRAPINGBEE_CONCURRENCY)
    if as_json:
        output.data([asdict(one) for one in found])
        return
    rows = [(one.name, _value(one.value), one.unit, one.target, one.formula) for one in found]
    output.table(("figure", "value", "unit", "target", "formula"), rows)


def _seconds(value: float | None) -> str | None:
    return None if value is None else f"{value:.0f} s ago"


def _value(value: float | None) -> str:
    return "-" if value is None else f"{value:,}"
