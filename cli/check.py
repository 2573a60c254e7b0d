"""`prospector check`: what a job would do with these lists, without starting one."""

import shlex
from collections.abc import Iterator, Sequence
from typing import Any

import click

from cli import files, output
from cli.command import Command
from prospector.core.estimate import Estimate, Mode, estimate
from prospector.core.exclusions import exclusions
from prospector.core.intake import Intake, take
from prospector.core.keyword_list import KeywordList, read_keywords
from prospector.errors import InputInvalid

LINES_SHOWN = 5  # of each kind; --json has them all
DEFAULT_CAP_CREDITS = 10_000


@click.command(cls=Command)
@click.argument("file")
@click.option("--keywords", "keywords_file", metavar="FILE", help="Keywords, one a line or a column, up to 500.")
@click.option("--client-domain", "clients", multiple=True, metavar="DOMAIN", help="The client's own site; repeatable.")
@click.option("--competitor-domain", "competitors", multiple=True, metavar="DOMAIN", help="Repeatable.")
@click.option("--exclude", "exclude_files", multiple=True, metavar="FILE", help="Domains and wildcards to leave out.")
@click.option("--keep-social", is_flag=True, help="Do not leave out social networks and share hosts.")
@click.option("--column", metavar="NAME", help="The column with the domains: its name, letter or number.")
@click.option("--mode", type=click.Choice([one.value for one in Mode]), default=Mode.HYBRID.value, show_default=True)
@output.json_option
def check(file: str, keywords_file: str | None, as_json: bool, **options: Any) -> None:
    """Show what a job would do with FILE, a list of domains (csv, tsv, txt, xlsx; - is standard input).

    \b
    Example:
      prospector check leads.csv --keywords keywords.txt --client-domain acme.com
    """
    if keywords_file == file == files.STANDARD_INPUT:
        raise click.UsageError("Only one of FILE and --keywords can be standard input.")
    intake, keywords = read_lists(file, keywords_file, options)
    plan = estimate([one.domain for one in intake.domains], Mode(options["mode"]))
    if as_json:
        output.data(as_object(intake, keywords, plan))
    else:
        for line in report(file, keywords_file, options, intake, keywords, plan):
            click.echo(line)
    if not intake.domains:
        raise InputInvalid("No domain is left to crawl.", "See above what was rejected or excluded, and why.")


def read_lists(file: str, keywords_file: str | None, options: dict[str, Any]) -> tuple[Intake, KeywordList]:
    data, name = files.contents(file)
    rules = exclusions(
        options["clients"],
        options["competitors"],
        [files.contents(one) for one in options["exclude_files"]],
        keep_social=options["keep_social"],
    )
    intake = take(data, name, rules, options["column"])
    return intake, read_keywords(*files.contents(keywords_file)) if keywords_file else KeywordList()


def as_object(intake: Intake, keywords: KeywordList, plan: Estimate) -> dict[str, Any]:
    return {
        "rows": intake.rows,
        "column": intake.column,
        "domains": [
            {"row": one.row, "domain": one.domain, "host": one.host, "columns": intake.other_columns(one)}
            for one in intake.domains
        ],
        "rejected": [{"row": one.row, "value": one.value, "reason": one.reason} for one in intake.rejected],
        "duplicates": [
            {"row": one.row, "value": one.value, "domain": one.domain, "first_row": one.first_row}
            for one in intake.duplicates
        ],
        "excluded": [
            {"row": one.row, "value": one.value, "domain": one.domain, "reason": one.reason} for one in intake.excluded
        ],
        "keywords": [
            {"keyword": one.text, "case_sensitive": one.case_sensitive, "label": one.label} for one in keywords.keywords
        ],
        "merged_keywords": [
            {"row": one.row, "keyword": one.value, "kept": one.kept.text} for one in keywords.merged
        ],
        "rejected_keywords": [
            {"row": one.row, "value": one.value, "reason": one.reason} for one in keywords.rejected
        ],
        "warnings": [*intake.warnings, *keywords.warnings],
        "plan": {
            "domains": plan.domains,
            "sites": plan.sites,
            "mode": plan.mode,
            "seconds": {"low": plan.seconds_low, "high": plan.seconds_high},
            "credits": {"low": plan.credits_low, "high": plan.credits_high},
            "dollars": {"low": plan.dollars_low, "high": plan.dollars_high},
            "basis": plan.basis,
        },
    }  # fmt: skip


def report(
    file: str, keywords_file: str | None, options: dict[str, Any], intake: Intake, keywords: KeywordList, plan: Estimate
) -> Iterator[str]:
    yield from _sum(intake)
    if intake.duplicates:
        yield ""
        unique = f"{len(intake.domains):,} unique {'domain' if len(intake.domains) == 1 else 'domains'}"
        yield f"Removed {_count(len(intake.duplicates), 'duplicate')}, processing {unique}."
    if keywords_file:
        yield ""
        yield f"Loaded {_count(len(keywords.keywords), 'keyword')} from {keywords_file}."
    yield from _section("Not usable", [f"{one} Skipped." for one in intake.rejected])
    excluded = [f"Row {one.row}: {one.domain}, {one.reason}." for one in intake.excluded]
    yield from _section("Excluded", excluded)
    yield from _section(
        "Duplicates",
        [f"Row {one.row}: {one.value} is {one.domain} of row {one.first_row}." for one in intake.duplicates],
    )
    merged = [f'Row {one.row}: "{one.value}" is the same as "{one.kept.text}".' for one in keywords.merged]
    yield from _section("Keywords merged", merged)
    yield from _section("Keywords not usable", [f"{one} Skipped." for one in keywords.rejected])
    yield from _section("Warnings", [*intake.warnings, *keywords.warnings])
    if intake.domains:
        yield from _plan(plan, keywords)
        yield f"Next: {next_command(file, keywords_file, options)}"


def _sum(intake: Intake) -> Iterator[str]:
    """rows = duplicates + excluded + unusable + domains, and anyone can check it."""
    yield f'{intake.rows:>9,}  {"row" if intake.rows == 1 else "rows"} in column "{intake.column}"'
    if intake.extra:
        yield f"+{intake.extra:>8,}  more domains in cells with several"
    yield f"-{len(intake.duplicates):>8,}  duplicates"
    yield f"-{len(intake.excluded):>8,}  excluded"
    yield f"-{len(intake.rejected):>8,}  not usable"
    yield f"={len(intake.domains):>8,}  {'domain' if len(intake.domains) == 1 else 'domains'} to crawl"


def _section(title: str, lines: Sequence[str]) -> Iterator[str]:
    if not lines:
        return
    yield ""
    yield f"{title} ({len(lines):,}):"
    yield from (f"  {line}" for line in lines[:LINES_SHOWN])
    if len(lines) > LINES_SHOWN:
        yield f"  ... and {len(lines) - LINES_SHOWN:,} more; --json lists all."


def _plan(plan: Estimate, keywords: KeywordList) -> Iterator[str]:
    words = f", {_count(len(keywords.keywords), 'keyword')}" if keywords.keywords else ""
    yield ""
    yield f"Plan: {_count(plan.domains, 'domain')} on {_count(plan.sites, 'site')}{words}, mode {plan.mode}."
    times = dict.fromkeys((duration(plan.seconds_low), duration(plan.seconds_high)))
    yield f"Time: {' to '.join(times)} ({plan.basis}: a guess from typical lists)."
    if not plan.credits_high:
        yield "Cost: nothing, no paid requests in this mode."
        return
    yield (
        f"Cost: {plan.credits_low:,} to {plan.credits_high:,} ScrapingBee credits"
        f" (${plan.dollars_low:,.2f} to ${plan.dollars_high:,.2f}; {plan.basis})."
    )
    if plan.credits_high > DEFAULT_CAP_CREDITS:
        share = DEFAULT_CAP_CREDITS / plan.credits_high
        yield f"The default limit of {DEFAULT_CAP_CREDITS:,} credits covers {share:.0%} of the upper end; --max-credits changes it."


def next_command(file: str, keywords_file: str | None, options: dict[str, Any]) -> str:
    words = ["prospector", "job", "run", "--domains", file, "--keywords", keywords_file or "keywords.txt"]
    for flag, name in (
        ("--client-domain", "clients"),
        ("--competitor-domain", "competitors"),
        ("--exclude", "exclude_files"),
    ):
        for value in options[name]:
            words += [flag, value]
    if options["keep_social"]:
        words.append("--keep-social")
    if options["column"]:
        words += ["--column", options["column"]]
    if options["mode"] != Mode.HYBRID:
        words += ["--mode", options["mode"]]
    return shlex.join(words)


def duration(seconds: int) -> str:
    if seconds < 60:
        return "under a minute"
    if seconds < 5_400:
        return _count(round(seconds / 60), "minute")
    return f"{seconds / 3600:,.1f} hours"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
