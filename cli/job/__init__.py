"""`prospector job`: start jobs, control them, look at them, get their results."""

import click

from cli.command import Group

COMMANDS = {
    "run": ("cli.job.run:run", "Make a job of your lists and start it."),
    "start": ("cli.job.control:start", "Start a job that was made with --no-auto-start."),
    "status": ("cli.job.looks:status", "How a job stands, once."),
    "watch": ("cli.job.looks:watch", "How a job stands, until it ends."),
    "list": ("cli.job.looks:list_", "All jobs."),
    "pause": ("cli.job.control:pause", "Send no new requests; what is in flight ends."),
    "resume": ("cli.job.control:resume", "Go on exactly where the job paused."),
    "cancel": ("cli.job.control:cancel", "End a job for good; what it found stays."),
    "retry": ("cli.job.control:retry", "Try its failed domains again."),
    "delete": ("cli.job.control:delete", "Delete a job with all its data."),
    "export": ("cli.job.export:export", "Make files of what it has found: csv, json, xlsx, html."),
    "export-status": ("cli.job.export:export_status", "How far an export is, with links to its files."),
    "errors": ("cli.job.looks:errors", "What could not be read, and why."),
    "cost-report": ("cli.job.cost:cost_report", "What it has cost, domain by domain."),
    "logs": ("cli.job.looks:logs", "What happened to it, and what its workers logged."),
}


@click.group(cls=Group, commands_at=COMMANDS)
def job() -> None:
    """Jobs: start, watch, pause, resume, results. JOB is its id, the beginning of that, or its name.

    \b
    Example:
      prospector job run --name "Acme Q1" --domains domains.csv --keywords keywords.txt
      prospector job watch "Acme Q1"
    """
