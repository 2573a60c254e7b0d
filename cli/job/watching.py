"""A job until it comes to rest: live on a terminal, one plain line every half minute elsewhere."""

import sys
import time
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from cli import output
from cli.calling import pasteable
from cli.command import INTERRUPTED
from cli.job import wording
from prospector.core.job.halts import is_queued
from prospector.core.job.states import ENDED, IN_FLIGHT, JobState
from prospector.errors import Conflict, ServerUnreachable, StillRunning

if TYPE_CHECKING:
    from cli.deployment import Deployment
    from prospector.jobs.status import JobStatus

LOOK_SECONDS = 1.0
LINE_SECONDS = 30.0
AWAY_SECONDS = 60.0
BAR_LEAST, BAR_MOST, BESIDE_BAR = 10, 50, 18  # columns; the labels stand beside it


def watch(deployment: "Deployment", job_id: str, *, as_json: bool, wait_seconds: float | None = None) -> int:
    """The exit code. Ctrl-C ends the watching, not the job."""
    try:
        _refuse_unstarted(deployment, job_id)
        last = _until_rest(deployment, job_id, as_json, wait_seconds)
    except KeyboardInterrupt:
        output.say(f"Job {job_id} goes on without you. Look again: prospector job watch {job_id}")
        output.say(f"To stop it: prospector job pause {job_id}")
        return INTERRUPTED
    for words in (*_bill(last, as_json), *wording.outcome(last)):
        output.say(words)
    return wording.exit_code(last)


def _bill(last: "JobStatus", as_json: bool) -> list[str]:
    """Of a job that is over. On a terminal it stands above already, and in the object of a script."""
    from prospector import settings

    if as_json or last.job.state not in ENDED or sys.stderr.isatty():
        return []
    return wording.bill(last, settings.CREDIT_PRICE_USD)


def _refuse_unstarted(deployment: "Deployment", job_id: str) -> None:
    from prospector.store import jobs

    with deployment.engine.connect() as connection:
        job = jobs.job(connection, job_id)
    if job.state is JobState.PENDING and not is_queued(job.reason):
        raise Conflict(
            f"Job {job_id} is not started: there is nothing to watch yet.", f"Start it: prospector job start {job_id}"
        )


def _until_rest(deployment: "Deployment", job_id: str, as_json: bool, wait_seconds: float | None) -> "JobStatus":
    from prospector import settings

    price_usd = settings.CREDIT_PRICE_USD
    console = Console(highlight=False, stderr=True)
    if as_json:
        return _look(deployment, job_id, lambda one: output.data(one.as_object()), LINE_SECONDS, wait_seconds)
    if not console.is_terminal:
        return _look(
            deployment, job_id, lambda one: output.say(wording.line(one, price_usd)), LINE_SECONDS, wait_seconds
        )
    with Live(console=console, auto_refresh=False) as live:

        def show(one: "JobStatus") -> None:
            live.update(_panel(one, price_usd, console.width), refresh=True)

        return _look(deployment, job_id, show, LOOK_SECONDS, wait_seconds)


def _look(
    deployment: "Deployment",
    job_id: str,
    show: Callable[["JobStatus"], None],
    every_seconds: float,
    wait_seconds: float | None,
) -> "JobStatus":
    began = time.monotonic()
    shown_at = -every_seconds
    patience, last = _Patience(), None
    while True:
        one = patience.status(deployment, job_id)
        now = time.monotonic() - began
        if one is not None:
            last = one
            at_rest = one.job.state not in IN_FLIGHT and not is_queued(one.job.reason)
            if at_rest or now - shown_at >= every_seconds:
                show(one)
                shown_at = now
            if at_rest:
                return one
        if wait_seconds is not None and now >= wait_seconds:
            raise StillRunning(
                f"Job {job_id} still runs after {wait_seconds:g} s{f': {wording.progress(last)}' if last else ''}.",
                f"It goes on. Look again: prospector job watch {job_id}",
            )
        time.sleep(LOOK_SECONDS if wait_seconds is None else min(LOOK_SECONDS, max(0.05, wait_seconds - now)))


class _Patience:
    """A server that restarts ends no watching, for the job goes on."""

    def __init__(self) -> None:
        self._away_since: float | None = None

    def status(self, deployment: "Deployment", job_id: str) -> "JobStatus | None":
        """None: it is not known at this moment."""
        from prospector.jobs.status import status
        from prospector.store.failures import in_our_words

        try:
            with in_our_words():
                one = status(deployment.engine, deployment.frontier, job_id)
        except ServerUnreachable as error:
            now = time.monotonic()
            if self._away_since is None:
                self._away_since = now
                output.say(f"{error.problem} Waiting for it ...")
            elif now - self._away_since > AWAY_SECONDS:
                raise
            return None
        self._away_since = None
        return one


def _panel(one: "JobStatus", price_usd: Decimal, width: int) -> Table:
    drawn = Table.grid(padding=(0, 2))
    for label, words in wording.lines(one, price_usd):
        drawn.add_row(f"[bold]{label}[/bold]", escape(pasteable(words)))
        if label == wording.PROGRESS:
            drawn.add_row("", _bar(one.percent, min(BAR_MOST, max(BAR_LEAST, width - BESIDE_BAR))))
    return drawn


def _bar(percent: int, width: int) -> str:
    """Also where there is neither colour nor bold."""
    full = percent * width // 100
    return "━" * full + "[dim]" + "┄" * (width - full) + "[/dim]"
