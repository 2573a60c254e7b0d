"""`prospector job start, pause, resume, cancel, retry, delete`."""

import sys
import time
from collections.abc import Callable
from typing import Any

import click

from cli import deployment, job_words, output
from cli.command import Command
from cli.deployment import Deployment

PAUSE_SECONDS = 45  # the longest request takes 30 s, and its rows have to be written
LOOK_SECONDS = 0.2


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

    with deployment.opened() as opened:
        job = opened.find(given)
        control.start(opened.engine, opened.frontier, job)
        deployment.start_workers(opened)
        _tell(opened, job, as_json, f"Job {job} has started.")


@click.command(cls=Command)
@job_argument
@output.json_option
def pause(given: str, as_json: bool) -> None:
    """Send no new requests from now on. Those in flight end, and what they bring is kept.

    \b
    Example:
      prospector job pause a7k2mq
    """
    from prospector.core.states import JobState
    from prospector.jobs import control
    from prospector.jobs.follow import reconcile

    with deployment.opened() as opened:
        job = opened.find(given)
        state = control.pause(opened.engine, opened.frontier, job)
        if state is JobState.PAUSING and not as_json:
            output.say("Pausing... requests in flight end first.")
        until = time.monotonic() + PAUSE_SECONDS
        while state is JobState.PAUSING and time.monotonic() < until:
            time.sleep(LOOK_SECONDS)
            state = reconcile(opened.engine, opened.frontier, job)
        _tell(opened, job, as_json)


@click.command(cls=Command)
@job_argument
@click.option("--max-credits", type=click.IntRange(0), help="From now on the job may use so many credits in all.")
@output.json_option
def resume(given: str, max_credits: int | None, as_json: bool) -> None:
    """Go on exactly where the job paused. What waited for credits or for a key is tried again.

    \b
    Example:
      prospector job resume a7k2mq
      prospector job resume a7k2mq --max-credits 8000
    """
    from prospector.jobs import control

    with deployment.opened() as opened:
        job = opened.find(given)
        control.resume(opened.engine, opened.frontier, job, max_credits)
        deployment.start_workers(opened)
        _tell(opened, job, as_json, f"Job {job} goes on.")


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

    with deployment.opened() as opened:
        job = opened.find(given)
        control.cancel(opened.engine, opened.frontier, job)
        _tell(opened, job, as_json)


@click.command(cls=Command)
@job_argument
@output.json_option
def retry(given: str, as_json: bool) -> None:
    """Try the failed domains of a job again. What it has found on the others stays.

    \b
    Example:
      prospector job retry a7k2mq
    """
    from prospector.jobs import control

    with deployment.opened() as opened:
        job = opened.find(given)
        again = control.retry(opened.engine, opened.frontier, job)
        if again == 0 and not as_json:
            output.say(f"Job {job} has no failed domain.")
        elif again:
            deployment.start_workers(opened)
        words = f"{job_words.counted(again, 'failed domain')} of job {job} {'is' if again == 1 else 'are'} tried again."
        _tell(opened, job, as_json, *([words] if again else []))


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
    from prospector.blobs import storage
    from prospector.jobs import control
    from prospector.jobs.status import status

    with deployment.opened() as opened:
        job = opened.find(given)
        one = status(opened.engine, opened.frontier, job)
        if not yes:
            _ask(
                f"Job {job_words.title(one)}: {job_words.progress(one)}, {job_words.counted(one.mentions, 'mention')}."
            )
        control.delete(opened.engine, opened.frontier, storage(opened.servers.storage_url), job)
        if as_json:
            output.data({"id": job, "deleted": True})
        output.say(f"Job {job_words.title(one)} is deleted.")


def _ask(about: str) -> None:
    if not sys.stdin.isatty():
        raise click.UsageError(f"{about} Nobody is here to be asked: add --yes to delete it.")
    click.confirm(f"{about} Delete it with all its data?", abort=True, err=True)


def _tell(opened: Deployment, job: str, as_json: bool, *words: str) -> None:
    """`words`: what is so if the job runs now; it may have come to rest at once, at the same limit as before."""
    from prospector.core.states import JobState
    from prospector.jobs.status import status

    one = status(opened.engine, opened.frontier, job)
    if as_json:
        output.data(one.as_object())
        return
    goes_on = one.job.state is JobState.RUNNING
    for line in [*(words if goes_on else ()), *job_words.outcome(one)]:
        output.say(line)
