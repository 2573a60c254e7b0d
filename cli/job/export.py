"""`prospector job export` and `export-status`: a job's files, made in the background and fetched when they are there."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli import deployment, output
from cli.calling import pasteable
from cli.command import FAILED, INTERRUPTED, SECONDS, Command
from cli.deployment import Deployment
from cli.job import export_wording, exporting
from cli.job.control import job_argument
from prospector.errors import InputInvalid, StillRunning
from prospector.store.kinds import ExportState

if TYPE_CHECKING:
    from prospector.jobs.exports.order import Order
    from prospector.store.exports import Export
    from prospector.store.jobs import Job


@dataclass(frozen=True)
class Fetching:
    """Where the files go, if anywhere, and by which of their two names (see shelf.fetch)."""

    out: Path | None
    named_by: str


def fetching(out: Path | None, raw: bool) -> Fetching:
    """Programs get the plain names."""
    return Fetching(out, "name" if raw else "download_name")


@click.command(cls=Command)
@job_argument
@click.option(
    "--format",
    "formats",
    default="csv",
    show_default=True,
    metavar="LIST",
    help="Of csv, json, xlsx, html; with commas between.",
)
@click.option("--only", metavar="LIST", help="Of results, prospects, errors, cost: which csv files.")
@click.option("--wait", "waits", is_flag=True, help="Until the files are there.")
@click.option("--wait-timeout", type=SECONDS, metavar="SECONDS", help="Wait for so long at most; then exit code 8.")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Fetch the files into this folder; waits for them."
)
@click.option("--raw", is_flag=True, help="csv for programs: UTF-8 without a mark, LF, cells as they are.")
@output.json_option
def export(
    given: str,
    formats: str,
    only: str | None,
    waits: bool,
    wait_timeout: float | None,
    out: Path | None,
    raw: bool,
    as_json: bool,
) -> int:
    """Make files of what a job has found, also while it runs. They are made in the background and kept for 7 days.

    \b
    Example:
      prospector job export a7k2mq
      prospector job export a7k2mq --format csv,xlsx,html --out results
      prospector job export a7k2mq --format csv --only results --raw --wait --json
    """
    from prospector.jobs.exports import asking, shelf

    asked = _order(formats, only, raw)
    if out:
        shelf.prepare(out)
    with deployment.opened() as opened:
        job = asking.ask(opened.engine, opened.find(given), asked)
        if waits or out or wait_timeout is not None:
            output.say(f"Export started: {', '.join(asked.files)}.")
            return _made(opened, job, wait_timeout, fetching(out, raw), as_json)
        exporting.bring_on(opened)
        for words in export_wording.meanwhile(job, asked.formats):
            output.say(words)
        if as_json:
            _show_newest(opened, job)
        return 0


def _made(opened: Deployment, job: "Job", wait_timeout: float | None, fetching: Fetching, as_json: bool) -> int:
    try:
        made = exporting.until_made(opened, job.id, wait_timeout)
    except KeyboardInterrupt:
        output.say(f"The export goes on without you. Look again: prospector job export-status {job.id}")
        return INTERRUPTED
    except StillRunning:
        if as_json:
            _show_newest(opened, job)
        raise
    return _hand_over(made, fetching, as_json)


def _show_newest(opened: Deployment, job: "Job") -> None:
    from prospector.jobs.exports import asking

    output.data(export_wording.as_object(asking.of_job(opened.engine, job.id)[0], {}, {}))


@click.command("export-status", cls=Command)
@job_argument
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Fetch the files of the newest one into this folder.",
)
@output.json_option
def export_status(given: str, out: Path | None, as_json: bool) -> int:
    """Show how far the newest export of a job is, with links to its files when it is ready.

    The links are signed anew each time.

    \b
    Example:
      prospector job export-status a7k2mq
      prospector job export-status a7k2mq --out results
    """
    from prospector.jobs.exports import asking

    with deployment.opened() as opened:
        exporting.bring_on(opened)
        newest = asking.of_job(opened.engine, opened.find(given))[0]
    if out or newest.state not in exporting.UNDER_WAY:
        return _hand_over(newest, fetching(out, bool(newest.options.get("raw"))), as_json)
    if as_json:
        output.data(export_wording.as_object(newest, {}, {}))
    else:
        click.echo(pasteable(export_wording.state(newest)))
    return 0


def _order(formats: str, only: str | None, raw: bool) -> "Order":
    from prospector.jobs.exports.order import Format, order

    asked = order(_names(formats), {"only": _names(only or ""), "raw": raw})
    if (only or raw) and Format.CSV not in asked.formats:
        raise InputInvalid(
            f"--{'only' if only else 'raw'} is about csv files, and none is asked for.", "Add csv to --format."
        )
    return asked


def _names(listed: str) -> list[str]:
    return list(dict.fromkeys(name.strip().lower() for name in listed.split(",") if name.strip()))


def _hand_over(one: "Export", wanted: Fetching, as_json: bool) -> int:
    """The files of one that is made: fetched, or as links."""
    if one.state is not ExportState.READY:
        if as_json:
            output.data(export_wording.as_object(one, {}, {}))
        output.say(export_wording.state(one))
        return FAILED
    links, paths = fetched(one, wanted)
    if as_json:
        output.data(export_wording.as_object(one, links, paths))
        return 0
    for note in export_wording.notes(one):
        output.say(note)
    for line in export_wording.ready(one, links, paths):
        click.echo(line)
    if wanted.out is None:
        output.say(f"To have them in a folder: prospector job export-status {one.job} --out results")
    return 0


def fetched(one: "Export", wanted: Fetching) -> tuple[dict[str, str], dict[str, str]]:
    """Name of each file -> a link signed just now; and -> where it has been put, if anywhere."""
    from prospector.jobs.exports import shelf
    from prospector.local import servers

    files = deployment.files_of(servers.in_force())
    links = shelf.links(files, one)
    if wanted.out is None:
        return links, {}
    copied = shelf.fetch(files, one, wanted.out, wanted.named_by)
    return links, {name: str(path) for name, path in zip(links, copied, strict=True)}
