"""The demo's job while it runs: numbers that only move forward, what was found last, and why some sites failed."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from cli import output
from cli.job import wording
from prospector.core.job.states import IN_FLIGHT
from prospector.errors import StillRunning

if TYPE_CHECKING:
    from cli.deployment import Deployment
    from prospector.jobs.status import JobStatus

LOOK_SECONDS = 0.5
LINE_SECONDS = 10.0
MOST_SECONDS = 600.0
REASONS_SHOWN = 3
BEFORE_SHOWN, CONTEXT_SHOWN = 30, 80  # characters


Show = Callable[["JobStatus"], None]


def until_rest(opened: "Deployment", job: str) -> "JobStatus":
    from prospector.jobs.status import status

    began = time.monotonic()
    with _shown() as show:
        while True:
            now = status(opened.engine, opened.frontier, job)
            show(now)
            if now.job.state not in IN_FLIGHT:
                return now
            if time.monotonic() - began > MOST_SECONDS:
                raise StillRunning(
                    f"The demo takes longer than {MOST_SECONDS:,.0f} s: {wording.progress(now)}.",
                    "Try fewer: prospector demo --sites 25",
                )
            time.sleep(LOOK_SECONDS)


@contextmanager
def _shown() -> Iterator[Show]:
    """Live on a terminal; elsewhere a plain line every few seconds."""
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield _Lines().show
        return
    columns = BarColumn(40), MofNCompleteColumn(), TextColumn("domains"), TaskProgressColumn(), TimeElapsedColumn()
    progress = Progress(TextColumn(" "), *columns, console=console)
    bar = progress.add_task("", total=None)
    with Live(progress, console=console, refresh_per_second=4) as live:

        def show(one: "JobStatus") -> None:
            progress.update(bar, completed=one.domains_finished, total=one.job.domains_total)
            live.update(Group(progress, *_below(one)))

        yield show


def _below(one: "JobStatus") -> Iterator[Text]:
    """The lines under the bar, each no longer than the terminal is wide."""
    numbers = [output.counted(one.pages, "page"), output.counted(one.mentions, "mention")]
    if one.used_credits:
        numbers.append(f"{one.used_credits:,} of {one.job.max_credits:,} credits")
    lines = [("read", " · ".join(numbers))]
    if one.domains_failed:
        lines.append(("failed", f"{one.domains_failed:,}: {_reasons(one)}"))
    if (newest := one.newest_find) and one.job.state in IN_FLIGHT:
        lines.append(("newest", f"{output.plain(newest.keyword)} at {output.plain(newest.url)}"))
        lines.append(("", _around(newest.keyword, output.plain(newest.snippet))))
    for label, words in lines:
        yield Text.assemble((f"  {label:<8}", "bold"), words, no_wrap=True, overflow="ellipsis")


def _around(keyword: str, snippet: str) -> str:
    """A few words on either side."""
    begin = max(0, snippet.casefold().find(keyword.casefold()) - BEFORE_SHOWN)
    cut = snippet[begin : begin + CONTEXT_SHOWN].strip("… ")
    return f"…{cut}…"


def _reasons(one: "JobStatus") -> str:
    told = sorted((one.failures or {}).items(), key=lambda pair: -pair[1])
    shown = [f"{output.plain(reason)} {count:,}" for reason, count in told[:REASONS_SHOWN]]
    return ", ".join(shown) + (", …" if len(told) > REASONS_SHOWN else "")


class _Lines:
    def __init__(self) -> None:
        self._said_at = time.monotonic() - LINE_SECONDS

    def show(self, one: "JobStatus") -> None:
        if one.job.state in IN_FLIGHT and time.monotonic() - self._said_at < LINE_SECONDS:
            return
        self._said_at = time.monotonic()
        failed = f", {one.domains_failed:,} failed" if one.domains_failed else ""
        pages, mentions = output.counted(one.pages, "page"), output.counted(one.mentions, "mention")
        output.say(f"  {wording.progress(one)}{failed}, {pages} read, {mentions}")
