"""`prospector job status, watch, list, errors, logs`."""

from collections.abc import Iterable
from dataclasses import asdict, astuple, fields
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from cli import deployment, output
from cli.calling import pasteable
from cli.command import SECONDS, Command, Number
from cli.job import watching, wording
from cli.job.control import job_argument

if TYPE_CHECKING:
    from prospector.jobs.status import JobStatus

LINES_OF_LOG = 100
ROWS_SHOWN = 1_000  # of errors: what is drawn as a table has to be in memory, and nobody reads more


@click.command(cls=Command)
@job_argument
@output.json_option
def status(given: str, as_json: bool) -> None:
    """Show how a job stands, once.

    \b
    Example:
      prospector job status a7k2mq
      prospector job status a7k2mq --json
    """
    from prospector import settings
    from prospector.jobs.status import status as status_of

    with deployment.opened() as opened:
        one = status_of(opened.engine, opened.frontier, opened.find(given))
    if as_json:
        output.data(one.as_object())
        return
    for label, words in wording.lines(one, settings.CREDIT_PRICE_USD):
        click.echo(pasteable(f"{label + ':':<15}{words}"))
    for words in wording.outcome(one):
        output.say(words)


@click.command(cls=Command)
@job_argument
@click.option("--wait-timeout", type=SECONDS, metavar="SECONDS", help="Stop watching after so long, with exit code 8.")
@output.json_option
def watch(given: str, wait_timeout: float | None, as_json: bool) -> int:
    """Show how a job stands until it ends or pauses. Ctrl-C leaves it running.

    \b
    Example:
      prospector job watch a7k2mq
    """
    with deployment.opened() as opened:
        return watching.watch(opened, opened.find(given), as_json=as_json, wait_seconds=wait_timeout)


@click.command("list", cls=Command)
@click.option("--include-archived", is_flag=True, help="Also those whose results were deleted after 90 days.")
@output.json_option
def list_(include_archived: bool, as_json: bool) -> None:
    """Show all jobs, the newest first.

    \b
    Example:
      prospector job list
      prospector job list --include-archived
    """
    from prospector.core.job.states import JobState
    from prospector.jobs.listing import NOT_ARCHIVED, listing

    states = frozenset(JobState) if include_archived else NOT_ARCHIVED
    with deployment.opened() as opened:
        found = listing(opened.engine, opened.frontier, states)
    if as_json:
        output.data([one.as_object() for one in found])
        return
    if not found:
        output.say('There is no job yet. To make one: prospector job run --domains FILE --keywords FILE --name "..."')
        return
    output.table(["job", "name", "status", "domains", "found", "cost", "date"], map(_row, found))
    output.say(f"Look at one: prospector job status {found[0].job.id}")


def _row(one: "JobStatus") -> tuple[str, ...]:
    from prospector import settings
    from prospector.core.job.cost import dollars
    from prospector.core.job.states import JobState

    job, day = one.job, one.job.moved_at.astimezone()
    found = "(Results deleted)" if job.state is JobState.ARCHIVED else f"{one.mentions:,} matches"
    return (
        job.id,
        job.name,
        wording.state(job.state),
        f"{one.domains_finished:,}/{job.domains_total:,}",
        found,
        f"${dollars(one.used_credits, settings.CREDIT_PRICE_USD):,}",
        f"{day:%b} {day.day}",
    )


@click.command(cls=Command)
@job_argument
@click.option("--csv", "as_csv", is_flag=True, help="As CSV, for a spreadsheet.")
@click.option("--pages", is_flag=True, help="Each page that could not be read, of any domain.")
@output.json_option
def errors(given: str, as_csv: bool, pages: bool, as_json: bool) -> None:
    """Show the domains of a job that failed, and why.

    \b
    Example:
      prospector job errors a7k2mq
      prospector job errors a7k2mq --csv > failed_domains.csv
    """
    from prospector.jobs.control import NOT_RETRIED
    from prospector.store import jobs, misses

    with deployment.opened() as opened:
        job = opened.find(given)
        kind = misses.UnreadPage if pages else misses.FailedDomain
        with opened.engine.connect() as connection:
            rows: Iterable[Any] = (misses.unread_pages if pages else misses.failed_domains)(connection, job)
            columns = [field.name for field in fields(kind)]
            if as_json:
                for row in rows:
                    output.data(asdict(row))
            elif as_csv:
                output.spreadsheet(columns, output.or_say(_none(job, pages), (astuple(row) for row in rows)))
            elif _show(columns, rows, job, pages) and not pages and jobs.job(connection, job).state not in NOT_RETRIED:
                output.say(f"Try failed domains again: prospector job retry {job}")


def _none(job: str, pages: bool) -> str:
    return f"No {'page' if pages else 'domain'} of job {job} has failed so far."


def _show(columns: list[str], rows: Iterable[Any], job: str, pages: bool) -> bool:
    """Whether there was anything to show."""
    cells = ([_cell(getattr(row, column)) for column in columns] for row in rows)
    shown = list(islice(cells, ROWS_SHOWN))
    if not shown:
        output.say(_none(job, pages))
        return False
    output.table([column.replace("_", " ") for column in columns], shown)
    if next(cells, None):
        output.say(f"... and more. All of them: prospector job errors {job}{' --pages' if pages else ''} --csv")
    return True


def _cell(value: object) -> object:
    return f"{value.astimezone():%Y-%m-%d %H:%M:%S}" if hasattr(value, "astimezone") else value


@click.command(cls=Command)
@job_argument
@click.option(
    "-n", "--lines", "most", default=LINES_OF_LOG, show_default=True, type=Number(1), metavar="N", help="How many."
)
@output.json_option
def logs(given: str, most: int, as_json: bool) -> None:
    """Show what happened to a job: its moves with their reasons, alerts, and what its workers logged about it.

    \b
    Example:
      prospector job logs a7k2mq
      prospector job logs a7k2mq -n 1000 --json
    """
    from prospector import settings
    from prospector.jobs import job_log
    from prospector.local.home import Home
    from prospector.store import jobs

    with deployment.opened() as opened:
        job = opened.find(given)
        if settings.SCRAPYD_URLS:
            sources, problems = job_log.node_logs(settings.SCRAPYD_URLS)
            for problem in problems.values():
                output.say(str(problem))
        else:
            sources = job_log.local_logs(Home(settings.PROSPECTOR_HOME).scrapyd)
        with opened.engine.connect() as connection:
            sources["record"] = job_log.record(connection, job)
            found = job_log.lines(sources, job, most, jobs.job(connection, job).created_at)
    for event in found:
        if as_json:
            output.data(event)
        else:
            click.echo(output.plain(_log_line(event)))
    if not found:
        output.say(f"Nothing has happened to job {job} so far.")


def _log_line(event: dict[str, Any]) -> str:
    """What the record tells is in words; what workers log has its fields, for who looks for the cause."""
    if event.get("worker") == "record":
        move = f"{event['from']} > {event['to']}: " if "to" in event else ""
        return f"{event['time']} [{event['level']}] {move}{event['reason']}"
    head = [event.pop("time", ""), f"[{event.pop('level', '')}]", event.pop("worker", ""), event.pop("event", "")]
    event.pop("job", None)
    return " ".join([*map(str, head), *(f"{name}={value}" for name, value in event.items())])
