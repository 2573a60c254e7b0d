"""The user's lists on the command line: the options that name them, and what they mean in words and as JSON.

`check` shows this; `job run` shows the same before it starts.
"""

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import click

from cli import input_files
from cli.output import counted
from prospector.core.job.cost import CreditRange, in_words
from prospector.core.job.estimate import Estimate, estimate
from prospector.core.lists.exclusions import exclusions
from prospector.core.lists.intake import Intake, take
from prospector.core.lists.keyword_list import KeywordList, read_keywords
from prospector.core.lists.metric import MetricColumn, metric_column
from prospector.core.lists.sample import sampled
from prospector.core.reading.languages import names, wanted
from prospector.core.visits.methods import Mode
from prospector.core.web.hosts import UNREADABLE

UNDER_A_MINUTE = "under a minute"
LINES_SHOWN = 5  # of each kind; --json has them all
MODES = [*(one.value for one in Mode), "smart-hybrid"]


@dataclass(frozen=True)
class Asked:
    """What the user gave, as the options below name it."""

    domains_file: str
    keywords_file: str | None
    client_domains: tuple[str, ...]
    competitor_domains: tuple[str, ...]
    exclude_files: tuple[str, ...]
    keep_social: bool
    column: str | None
    metric_column: str | None
    languages: tuple[str, ...]
    mode: Mode


@dataclass(frozen=True)
class Lists:
    """`plan` is for `domains`, the rest for the whole list."""

    asked: Asked
    intake: Intake
    keywords: KeywordList
    domains: tuple[str, ...]
    plan: Estimate
    metric: MetricColumn | None
    languages: tuple[str, ...]


OPTIONS = (
    click.option("--keywords", "keywords_file", metavar="FILE", help="Keywords, one a line or a column, up to 500."),
    click.option("--client-domain", "client_domains", multiple=True, metavar="DOMAIN", help="The client's site; repeatable."),
    click.option("--competitor-domain", "competitor_domains", multiple=True, metavar="DOMAIN", help="Repeatable."),
    click.option("--exclude", "exclude_files", multiple=True, metavar="FILE", help="Domains and wildcards to leave out."),
    click.option("--keep-social", is_flag=True, help="Do not leave out social networks and share hosts."),
    click.option("--column", metavar="NAME", help="The column with the domains: its name, letter or number."),
    click.option("--metric-column", metavar="NAME", help="A column of numbers, such as DR: higher is better for the score."),
    click.option("--language", "languages", multiple=True, metavar="LIST", help="Wanted, as en,de: pages in others score lower."),
    click.option("--mode", type=click.Choice(MODES), default=Mode.HYBRID.value, show_default=True, help="What may be paid for."),
)  # fmt: skip


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that are the fields of Asked."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def read(asked: Asked, sample: int | None = None) -> Lists:
    """`sample`: so many domains are to be crawled."""
    from prospector import settings

    if asked.keywords_file == asked.domains_file == input_files.STANDARD_INPUT:
        raise click.UsageError("Only one of the lists can be standard input.")
    data, name = input_files.contents(asked.domains_file)
    rules = exclusions(
        asked.client_domains,
        asked.competitor_domains,
        [input_files.contents(one) for one in asked.exclude_files],
        keep_social=asked.keep_social,
    )
    languages = wanted(asked.languages)
    intake = take(data, name, rules, asked.column)
    metric = (
        metric_column(intake, asked.metric_column, name) if asked.metric_column is not None and intake.domains else None
    )
    keywords = read_keywords(*input_files.contents(asked.keywords_file)) if asked.keywords_file else KeywordList()
    chosen = sampled(len(intake.domains), sample)
    domains = tuple(one.domain for place, one in enumerate(intake.domains) if place in chosen)
    plan = estimate(domains, asked.mode, settings.CREDIT_PRICE_USD, settings.DELAY_MS)
    return Lists(asked, intake, keywords, domains, plan, metric, languages)


def as_object(lists: Lists) -> dict[str, Any]:
    intake, keywords = lists.intake, lists.keywords
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
        "merged_keywords": [{"row": one.row, "keyword": one.value, "kept": one.kept.text} for one in keywords.merged],
        "rejected_keywords": [{"row": one.row, "value": one.value, "reason": one.reason} for one in keywords.rejected],
        "other_spellings": keywords.missed_spellings,
        "metric_column": lists.metric.name if lists.metric else None,
        "languages": list(lists.languages),
        "warnings": [*intake.warnings, *keywords.warnings],
        "plan": _plan_object(lists.plan),
    }


def _plan_object(plan: Estimate) -> dict[str, Any]:
    return {
        "domains": plan.domains,
        "sites": plan.sites,
        "mode": plan.mode,
        "seconds": {"low": plan.seconds_low, "high": plan.seconds_high},
        "credits": {"low": plan.credits_low, "high": plan.credits_high},
        "dollars": {"low": plan.dollars_low, "high": plan.dollars_high},
        "basis": plan.basis,
    }


def report(lists: Lists) -> Iterator[str]:
    """Lines for a person. What the file said is in them, so they are cleaned for a terminal."""
    parts = (
        _sum(lists.intake),
        _loaded(lists),
        _score(lists),
        _left_out(lists),
        _about_keywords(lists.keywords),
        _advice(lists),
    )
    for part in parts:
        yield from (UNREADABLE.sub("\N{REPLACEMENT CHARACTER}", line) for line in part)
    if lists.intake.domains:
        yield from _plan(lists)


def _sum(intake: Intake) -> Iterator[str]:
    """rows = duplicates + excluded + unusable + domains, and anyone can check it."""
    where = f'column "{intake.column}"' if len(intake.names) > 1 else "the list"
    yield f"{intake.rows:>9,}  {'row' if intake.rows == 1 else 'rows'} in {where}"
    if intake.extra:
        yield f"+{intake.extra:>8,}  more domains in cells with several"
    yield f"-{len(intake.duplicates):>8,}  duplicates"
    yield f"-{len(intake.excluded):>8,}  excluded"
    yield f"-{len(intake.rejected):>8,}  not usable"
    yield f"={len(intake.domains):>8,}  {'domain' if len(intake.domains) == 1 else 'domains'} to crawl"


def _loaded(lists: Lists) -> Iterator[str]:
    duplicates, unique = len(lists.intake.duplicates), len(lists.intake.domains)
    if duplicates or lists.asked.keywords_file:
        yield ""
    if duplicates:
        yield f"Removed {counted(duplicates, 'duplicate')}, processing {counted(unique, 'unique domain')}."
    if lists.asked.keywords_file:
        yield f"Loaded {counted(len(lists.keywords.keywords), 'keyword')} from {lists.asked.keywords_file}."


def _score(lists: Lists) -> Iterator[str]:
    """What the score will heed beside the pages themselves."""
    if metric := lists.metric:
        domains = len(lists.intake.domains)
        filled = "all" if metric.filled == domains else f"{metric.filled:,} of {domains:,} domains"
        yield f'Metric for the score: column "{metric.name}", from {metric.lowest} to {metric.highest}; {filled} have one.'
    if lists.languages:
        yield f"Languages wanted: {', '.join(names()[one] for one in lists.languages)}."


def _left_out(lists: Lists) -> Iterator[str]:
    intake = lists.intake
    yield from _section("Not usable", [f"{one} Skipped." for one in intake.rejected])
    yield from _section("Excluded", [f"Row {one.row}: {one.domain}, {one.reason}." for one in intake.excluded])
    duplicates = [f"Row {one.row}: {one.value} is {one.domain} of row {one.first_row}." for one in intake.duplicates]
    yield from _section("Duplicates", duplicates)


def _about_keywords(keywords: KeywordList) -> Iterator[str]:
    merged = [f'Row {one.row}: "{one.value}" is the same as "{one.kept.text}".' for one in keywords.merged]
    yield from _section("Keywords merged", merged)
    yield from _section("Keywords not usable", [f"{one} Skipped." for one in keywords.rejected])


def _advice(lists: Lists) -> Iterator[str]:
    yield from _section("Warnings", [*lists.intake.warnings, *lists.keywords.warnings])


def _section(title: str, lines: Sequence[str]) -> Iterator[str]:
    if not lines:
        return
    yield ""
    yield f"{title} ({len(lines):,}):"
    shown = LINES_SHOWN if len(lines) > LINES_SHOWN + 1 else len(lines)  # the line that says "1 more" has room for it
    yield from (f"  {line}" for line in lines[:shown])
    if len(lines) > shown:
        yield f"  ... and {len(lines) - shown:,} more; prospector check --json lists all."


def _plan(lists: Lists) -> Iterator[str]:
    from prospector import settings

    plan = lists.plan
    keywords = f", {counted(len(lists.keywords.keywords), 'keyword')}" if lists.keywords.keywords else ""
    times = [duration(plan.seconds_low), duration(plan.seconds_high)]
    yield ""
    of_all = f", a sample of {len(lists.intake.domains):,}," if plan.domains < len(lists.intake.domains) else ""
    yield f"Plan: {counted(plan.domains, 'domain')}{of_all} on {counted(plan.sites, 'site')}{keywords}, mode {plan.mode}."
    yield f"Time: {_range(*times)} (no history yet: a guess from typical lists)."
    expected = CreditRange(plan.credits_low, plan.credits_high, plan.past_jobs)
    yield f"{in_words(expected, plan.mode, settings.CREDIT_PRICE_USD)}."
    if lists.asked.client_domains and settings.CLIENT_URLS_MOST:
        most = f"at most {settings.CLIENT_URLS_MOST:,}"
        yield f"At the end, the addresses of your own that they link to ({most}) are checked for dead links: one a second, free."


def covered(money_credits: int, plan: Estimate) -> str:
    """Never rounded to nothing, or to all of it."""
    percent = min(99, round(100 * money_credits / plan.credits_high))
    return f"covers {f'{percent}%' if percent else 'less than 1%'} of the upper end"


def _range(low: str, high: str) -> str:
    if low == high:
        return low
    return f"up to {high}" if low == UNDER_A_MINUTE else f"{low} to {high}"


def next_command(asked: Asked) -> str:
    """Ready to paste."""
    words = ["prospector", "job", "run", "--domains", asked.domains_file]
    words += ["--keywords", asked.keywords_file or "keywords.txt"]
    words += [word for value in asked.client_domains for word in ("--client-domain", value)]
    words += [word for value in asked.competitor_domains for word in ("--competitor-domain", value)]
    words += [word for value in asked.exclude_files for word in ("--exclude", value)]
    words += ["--keep-social"] if asked.keep_social else []
    words += ["--column", asked.column] if asked.column else []
    words += ["--metric-column", asked.metric_column] if asked.metric_column else []
    words += ["--language", ",".join(asked.languages)] if asked.languages else []
    words += ["--mode", asked.mode] if asked.mode is not Mode.HYBRID else []
    return shlex.join(words)


def duration(seconds: int) -> str:
    if seconds < 60:
        return UNDER_A_MINUTE
    if seconds < 5_400:
        return counted(round(seconds / 60), "minute")
    return f"{seconds / 3600:,.1f} hours"
