"""`prospector demo serve, truth, check`: the small web for any crawler, what it must find, and the verdict on it."""

import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli import output
from cli.command import FAILED, Command, Number

if TYPE_CHECKING:
    from prospector.demo.verdict.checker import Verdict

THERE = click.Path(exists=True, dir_okay=False, path_type=Path)
WORDS = {True: "yes", False: "NO", None: ""}


def web_options(command: click.decorators.FC) -> click.decorators.FC:
    """Which web: the same options give the same sites, pages and truth, everywhere."""
    for option in (
        click.option("--kind", "kinds", multiple=True, help="Only sites of this kind (repeatable)."),
        click.option("--seed", default=1, show_default=True, help="What decides the web."),
        click.option("--sites", default=200, show_default=True, type=Number(1, 20_000), help="How many."),
    ):
        command = option(command)
    return command


def limit_options(command: click.decorators.FC) -> click.decorators.FC:
    """How far the crawl may go: decides what it must find."""
    for option in (
        click.option("--max-pages", default=10_000, show_default=True, help="The crawl's --max-pages-per-domain."),
        click.option("--top-pages", default=50, show_default=True, help="The crawl's --top-pages."),
        click.option("--site-threshold", default=500, show_default=True, help="The crawl's --site-threshold."),
        click.option(
            "--mode",
            type=click.Choice(["hybrid", "free-only"]),
            default="hybrid",
            show_default=True,
            help="What the crawl may use.",
        ),
    ):
        command = option(command)
    return command


@click.command(cls=Command)
@web_options
@click.option(
    "--port", default=18080, show_default=True, type=Number(0, 65_535), help="Port of the web; 0: any free one."
)
@click.option("--log", default="web.jsonl", show_default=True, type=click.Path(path_type=Path, dir_okay=False))
@output.json_option
def serve(sites: int, seed: int, kinds: tuple[str, ...], port: int, log: Path, as_json: bool) -> None:
    """Serve the web until Ctrl-C. Every request is logged.

    \b
    Example:
      prospector demo serve --sites 200 --seed 1 --port 18080
    """
    from dataclasses import asdict

    from prospector.demo.web.serving import Options, Ready
    from prospector.demo.web.serving import serve as serve_web

    def announce(ready: Ready) -> None:
        if as_json:
            output.data({"address": ready.address, **asdict(ready)})
            sys.stdout.flush()
            return
        output.say(f"{sites} sites at {ready.address}, every request in {log}. Ctrl-C ends it.")
        output.say(f"Look at one: curl -kx {ready.address} http://acme.test/")
        output.say("For a crawler, set:")
        for name, value in ready.settings.items():
            click.echo(f"{name}={value}")
        sys.stdout.flush()

    serve_web(Options(seed, sites, kinds, port, log), announce)


@click.command(cls=Command)
@click.argument("what", type=click.Choice(["mentions", "domains", "links", "keywords"]), default="mentions")
@web_options
@limit_options
@output.json_option
def truth(what: str, sites: int, seed: int, kinds: tuple[str, ...], as_json: bool, mode: str, **limits: int) -> None:
    """Print what a crawl must find. As CSV, or as JSON, a line each.

    \b
    Example:
      prospector demo truth domains --sites 200 --seed 1 > domains.csv
    """
    from prospector.demo.web.plan import Plan
    from prospector.demo.web.tables import TABLES
    from prospector.demo.web.truth import Limits, Mode

    table = TABLES[what](Plan(seed, sites, kinds), Limits(mode=Mode(mode), **limits))
    if as_json:
        for row in table:
            output.data(row)
        return
    writer: csv.DictWriter[str] | None = None
    for row in table:
        if writer is None:
            writer = csv.DictWriter(sys.stdout, list(row))
            writer.writeheader()
        writer.writerow(row)


@click.command(cls=Command)
@click.argument("log", type=THERE)
@click.option("--results", required=True, type=THERE, help="results.csv of the crawl.")
@click.option("--errors", type=THERE, help="errors.csv of the crawl.")
@click.option("--prospects", type=THERE, help="prospects.csv of the crawl.")
@click.option("--calls", type=THERE, help="The simulator's calls, as JSON lines.")
@limit_options
@click.option("--delay-ms", default=1000, show_default=True, help="The least gap between two requests to a site.")
@click.option("--page-cap", default=500, show_default=True, help="The most pages of one trap.")
@click.option("--paid-cap", default=0, help="The most paid requests in flight; 0: not judged.")
@output.json_option
def check(
    log: Path,
    results: Path,
    errors: Path | None,
    prospects: Path | None,
    calls: Path | None,
    mode: str,
    delay_ms: int,
    page_cap: int,
    paid_cap: int,
    as_json: bool,
    **limits: int,
) -> int:
    """Judge a crawl of the web. Exit code 1 if a promise is broken.

    \b
    Example:
      prospector demo check web.jsonl --results results.csv --errors errors.csv
    """
    from prospector.demo.verdict import checker, coverage, dead_links
    from prospector.demo.web import request_log
    from prospector.demo.web.plan import Plan
    from prospector.demo.web.truth import Limits, Mode

    web = request_log.heading(log)
    crawl = checker.Crawl(
        request_log.entries(log),
        coverage.results(results),
        list(coverage.failed_domains(errors)) if errors else None,
        checker.credits_charged(calls) if calls else None,
        list(dead_links.said_to_be_dead(prospects)) if prospects else None,
    )
    bars = checker.Bars(delay_ms / 1000, page_cap, paid_cap, Limits(mode=Mode(mode), **limits))
    verdict = checker.check(Plan(web.seed, web.sites, web.kinds), crawl, bars)
    show(verdict, as_json)
    return 0 if verdict.good else FAILED


def show(verdict: "Verdict", as_json: bool) -> None:
    if as_json:
        output.data(verdict.as_json())
        return
    output.table(
        ["what", "seen", "allowed", "kept"],
        [(line.what, line.seen, line.allowed, WORDS[line.good]) for line in verdict.lines],
    )
    for line in verdict.lines:
        if line.good is False:
            output.say("\n".join([f"{line.what}, for example:", *(f"  {one}" for one in line.examples)]))
