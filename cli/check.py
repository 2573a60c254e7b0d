"""`prospector check`: what a job would do with these lists, without starting one."""

from typing import Any

import click

from cli import lists, output, past_costs
from cli.calling import pasteable
from cli.command import Command
from prospector.core.job.estimate import DEFAULT_CAP_CREDITS
from prospector.core.visits.methods import Mode
from prospector.errors import InputInvalid


@click.command(cls=Command)
@click.argument("file")
@lists.options
@output.json_option
def check(file: str, mode: str, as_json: bool, **asked: Any) -> None:
    """Show what a job would do with FILE, a list of domains (csv, tsv, txt, xlsx; - is standard input).

    \b
    Example:
      prospector check leads.csv --keywords keywords.txt --client-domain acme.com
    """
    found = past_costs.informed_if_known(lists.read(lists.Asked(file, mode=Mode(mode), **asked)))
    if as_json:
        output.data(lists.as_object(found))
    else:
        for line in lists.report(found):
            click.echo(pasteable(line))
        if found.plan.credits_high > DEFAULT_CAP_CREDITS:
            share = lists.covered(DEFAULT_CAP_CREDITS, found.plan)
            click.echo(f"The default limit of {DEFAULT_CAP_CREDITS:,} credits {share}; --max-credits changes it.")
    if not found.intake.domains:
        raise InputInvalid("No domain is left to crawl.", "See above what was rejected or excluded, and why.")
    if not as_json:
        click.echo(pasteable(f"Next: {lists.next_command(found.asked)}"))
