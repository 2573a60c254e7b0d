"""An export until it is made: shown on its way, and made by processes of ours where no steward leads."""

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from cli import deployment, output
from cli.deployment import Deployment
from cli.job import export_wording
from prospector.errors import ProspectorError, StillRunning
from prospector.store.kinds import ExportState

if TYPE_CHECKING:
    from prospector.store.exports import Export

LOOK_SECONDS = 0.2
LINE_SECONDS = 30.0
RUNNERS_MOST = 20  # others' exports come first, and each has two tries; more than these: something is broken
UNDER_WAY = frozenset({ExportState.WAITING, ExportState.RUNNING})


def until_made(opened: Deployment, job_id: str, wait_seconds: float | None = None) -> "Export":
    """The newest export of the job, when it is ready or has failed."""
    from prospector.jobs.exports import asking

    export_id = asking.of_job(opened.engine, job_id)[0].id
    runners = Runners(opened)
    began = time.monotonic()
    with _shown() as show:
        while True:
            one = next(one for one in asking.of_job(opened.engine, job_id) if one.id == export_id)
            show(one)
            if one.state not in UNDER_WAY:
                return one
            runners.look()
            if wait_seconds is not None and time.monotonic() - began >= wait_seconds:
                raise StillRunning(
                    f"{export_wording.state(one)} That was after {wait_seconds:g} s.",
                    f"It goes on. Look again: prospector job export-status {job_id}",
                )
            time.sleep(LOOK_SECONDS)


class Runners:
    """The processes that make it, one after the other, where no steward does."""

    def __init__(self, opened: Deployment) -> None:
        self._opened = opened
        self._process: subprocess.Popen[bytes] | None = None
        self._started = 0

    def look(self) -> None:
        from prospector.jobs.exports import asking

        if self._process is not None and self._process.poll() is None:
            return
        if not asking.needs_runner(self._opened.engine):
            return
        if self._started == RUNNERS_MOST:
            raise ProspectorError(
                f"The export does not begin: {self._started} processes for it ended.", f"Their words: {_log()}"
            )
        self._started += 1
        self._process = asking.start_runner(deployment.runner_environment(self._opened.servers), _log())


def bring_on(opened: Deployment) -> None:
    """Without waiting for it: what nobody has begun begins."""
    from prospector.jobs.exports import asking

    if asking.needs_runner(opened.engine):
        runner = asking.start_runner(deployment.runner_environment(opened.servers), _log())
        runner.returncode = 0  # it outlives us on purpose: no warning about a child that still runs


def _log() -> Path:
    """Where there is no local stack that would keep it small, this does."""
    from prospector import settings
    from prospector.local import log_files
    from prospector.local.home import Home

    home = Home(settings.PROSPECTOR_HOME)
    home.make()
    log_files.keep_small(home.logs)
    return home.logs / "exports.log"


@contextmanager
def _shown() -> Iterator[Callable[["Export"], None]]:
    """A bar on a terminal, a plain line every half minute elsewhere."""
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield _Lines().show
        return
    rows = TextColumn("{task.fields[rows]}")
    with Progress(TextColumn("Exporting"), BarColumn(), rows, console=console, transient=True) as progress:
        bar = progress.add_task("", total=None, rows="")

        def show(one: "Export") -> None:
            progress.update(bar, completed=one.rows_done, total=one.rows_total or None, rows=export_wording.rows(one))

        yield show


class _Lines:
    def __init__(self) -> None:
        self._said_at = time.monotonic()

    def show(self, one: "Export") -> None:
        if time.monotonic() - self._said_at >= LINE_SECONDS:
            output.say(export_wording.state(one))
            self._said_at = time.monotonic()
