"""`prospector job start, pause, resume, cancel, retry, delete`."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from cli import deployment, output
from cli.command import CREDITS, Command
from cli.deployment import Deployment
from cli.job import wording

PAUSE_SECONDS = 45  # the longest request takes 30 s, and its rows have to be written
LOOK_SECONDS = 0.2
T = TypeVar("T")


@dataclass(frozen=True)
class OneJob:
    """The job that a command is about, and what all such commands do with it."""

    deployment: Deployment
    id: str

    def do(self, operation: Callable[..., T], *details: object) -> T:
        return operation(self.deployment.engine, self.deployment.frontier, self.id, *details)

    def tell(self, as_json: bool, if_runs: str = "", if_paused: str = "") -> None:
        """What is so if the job runs now; it may have come to rest at once, at the same limit as before."""
        from prospector.core.job.states import JobState
        from prospector.jobs.status import status

        one = self.do(status)
        if as_json:
            output.data(one.as_object())
            return
        if words := {JobState.RUNNING: if_runs, JobState.PAUSED: if_paused}.get(one.job.state):
            output.say(words)
        for line in wording.outcome(one):
            output.say(line)


@contextmanager
def chosen(given: str) -> Iterator[OneJob]:
    with deployment.opened() as opened:
        yield OneJob(opened, opened.find(given))


def job_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.argument("given", metavar="JOB")(command)


@click.command(cls=Command)
@job_argument
@output.json_option
def start(given: str, as_json: bool) -> None:
    """Start a job that was made with --no-auto-start.

    \b
    Example:
      prospector job start a7k2mq
    """
    from prospector.jobs import control

    with chosen(given) as job:
        job.do(control.start)
        deployment.start_workers(job.deployment)
        job.tell(as_json, f"Job {job.id} has started.")


@click.command(cls=Command)
@job_argument
@output.json_option
def pause(given: str, as_json: bool) -> None:
    """Send no new requests from now on. Those in flight end, and what they bring is kept.

    \b
    Example:
      prospector job pause a7k2mq
    """
    from prospector.core.job.states import JobState
    from prospector.jobs import control
    from prospector.jobs.follow import reconcile

    with chosen(given) as job:
        state = job.do(control.pause)
        if state is JobState.PAUSING and not as_json:
            output.say("Pausing... requests in flight end first.")
        until = time.monotonic() + PAUSE_SECONDS
        while state is JobState.PAUSING and time.monotonic() < until:
            time.sleep(LOOK_SECONDS)
            state = job.do(reconcile)
        job.tell(as_json)


@click.command(cls=Command)
@job_argument
@click.option("--max-credits", type=CREDITS, metavar="N", help="From now on the job may use so many credits in all.")
@output.json_option
def resume(given: str, max_credits: int | None, as_json: bool) -> None:
    """Go on exactly where the job paused. What waited for credits or for a key is tried again.

    \b
    Example:
      prospector job resume a7k2mq
      prospector job resume a7k2mq --max-credits 8000
    """
    from prospector.jobs import control

    with chosen(given) as job:
        job.do(control.resume, max_credits)
        deployment.start_workers(job.deployment)
        job.tell(as_json, f"Job {job.id} goes on.")


@click.command(cls=Command)
@job_argument
@output.json_option
def cancel(given: str, as_json: bool) -> None:
    """End a job for good. What it has found stays and can be exported.

    \b
    Example:
      prospector job cancel a7k2mq
    """
    from prospector.jobs import control

    with chosen(given) as job:
        job.do(control.cancel)
        job.tell(as_json)


@click.command(cls=Command)
@job_argument
@output.json_option
def retry(given: str, as_json: bool) -> None:
    """Try the failed domains of a job again. What it has found on the others stays.

    \b
    Example:
      prospector job retry a7k2mq
    """
    from prospector.core.job.states import JobState
    from prospector.jobs import control
    from prospector.jobs.follow import reconcile

    with chosen(given) as job:
        again = job.do(control.retry)
        if again == 0 and not as_json:
            output.say(f"Job {job.id} has no failed domain.")
        elif again and job.do(reconcile) is JobState.RUNNING:
            deployment.start_workers(job.deployment)
        told = f"{output.counted(again, 'failed domain')} of job {job.id} {'is' if again == 1 else 'are'} tried again"
        if again:
            job.tell(as_json, f"{told}.", if_paused=f"{told} when it is resumed.")
        else:
            job.tell(as_json)


@click.command(cls=Command)
@job_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
@output.json_option
def delete(given: str, yes: bool, as_json: bool) -> None:
    """Delete a job with its lists, its results and its exports. One that is under way is cancelled first.

    What it has cost stays in the books of the account.

    \b
    Example:
      prospector job delete a7k2mq
      prospector job delete a7k2mq --yes
    """
    from prospector.jobs import control
    from prospector.jobs.status import status

    with chosen(given) as job:
        one = job.do(status)
        if not yes:
            _ask(f"Job {wording.title(one)}: {wording.progress(one)}, {output.counted(one.mentions, 'mention')}.")
        job.do(control.delete, job.deployment.files)
        if as_json:
            output.data({"id": job.id, "deleted": True})
        output.say(f"Job {wording.title(one)} is deleted.")


def _ask(about: str) -> None:
    if not sys.stdin.isatty():
        raise click.UsageError(f"{about} Nobody is here to be asked: add --yes to delete it.")
    click.confirm(f"{about} Delete it with all its data?", abort=True, err=True)
