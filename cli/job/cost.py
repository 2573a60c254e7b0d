"""`prospector job cost-report`: what a job has cost, domain by domain."""

from dataclasses import asdict, astuple, fields

import click

from cli import deployment, output
from cli.command import Command
from cli.job.control import job_argument
from prospector.core.job.cost import dollars


@click.command(cls=Command)
@job_argument
@click.option("--js", "js_only", is_flag=True, help="Which domains needed a browser, and for how many of their pages.")
@output.json_option
def cost_report(given: str, js_only: bool, as_json: bool) -> None:
    """Write what a job has cost as CSV, one line a domain, to invoice a client or to plan the next job.

    \b
    Example:
      prospector job cost-report a7k2mq > cost.csv
      prospector job cost-report a7k2mq --js
    """
    from prospector import settings
    from prospector.jobs import cost

    with deployment.opened() as opened:
        job = opened.find(given)
        if js_only:
            with cost.js_shares(opened.engine, job) as shares:
                for one in output.or_say(f"No page of job {job} required JS rendering.", shares):
                    output.data(asdict(one)) if as_json else click.echo(output.plain(str(one)))
            return
        with cost.cost_report(opened.engine, job, settings.CREDIT_PRICE_USD) as report:
            rows = list(report)
    if as_json:
        for row in rows:
            output.data({**asdict(row), "estimated_cost_usd": float(row.estimated_cost_usd)})
        return
    output.spreadsheet([field.name for field in fields(cost.DomainCost)], map(astuple, rows))
    used = sum(row.total_credits for row in rows)
    output.say(f"ScrapingBee credits used: {used:,} (${dollars(used, settings.CREDIT_PRICE_USD):,})")
