"""`prospector system queue-status, requeue`: what waits, and what was given up."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from cli import deployment, output
from cli.command import Command

if TYPE_CHECKING:
    from prospector.jobs.queue import QueueStatus


LEGEND = (
    "leases: pages in workers' hands; suspects: pages that lost their worker, next handed out alone; later: pages that are tried again "
    "after a wait; ending: domains whose last row is being written; overdue: how long the most overdue site waits for a worker; "
    "parked: pages that wait for money, key or provider; in line: pages that wait for their turn to be paid for."
)


@click.command(name="queue-status", cls=Command)
@output.json_option
def queue_status(as_json: bool) -> None:
    """Show what waits, what is in flight and what was given up, over all jobs.

    \b
    Example:
      prospector system queue-status
    """
    from prospector.jobs import queue

    with deployment.opened() as opened:
        found = queue.queue_status(opened.engine, opened.frontier)
    if as_json:
        output.data(asdict(found))
    else:
        _show(found)


def _show(found: "QueueStatus") -> None:
    depths = found.depths
    output.table(
        ("leases", "oldest", "workers", "suspects", "later", "ending", "dead letters"),
        [(
            depths.leases, f"{depths.oldest_lease_ms / 1000:.0f} s", depths.workers, depths.suspects, depths.later,
            depths.ending, found.letter_count + depths.dead_letters_unrecorded,
        )],
    )  # fmt: skip
    if found.jobs:
        click.echo()
        heads = (
            "job", "waiting", "open", "pages queued", "in flight", "pages/min", "overdue", "parked", "in line", "dead letters",
        )  # fmt: skip
        rows = [(
            one.job, one.domains_waiting, one.domains_open, one.queued, one.in_flight,
            one.pages_recently.in_1_minute, f"{one.overdue_ms / 1000:.0f} s",
            sum(one.parked_pages.values()), one.paid_line, one.dead_letters,
        ) for one in found.jobs]  # fmt: skip
        output.table(heads, rows)
    output.say(LEGEND)
    for job in found.missing:
        output.say(f"Job {job} is not in Redis: the steward fills it in again from Postgres.")
    if found.letters:
        click.echo()
        letters = [(one.id, one.job, one.attempts, one.reason, one.url) for one in found.letters]
        output.table(("letter", "job", "attempts", "reason", "url"), letters)
        output.say(f"To try one again: prospector system requeue {found.letters[0].id}")


@click.command(cls=Command)
@click.argument("asked", metavar="LETTER|DOMAIN")
@click.option("--job", "given", metavar="JOB", help="The job, by id or name, where several list the domain.")
@output.json_option
def requeue(asked: str, given: str | None, as_json: bool) -> None:
    """Try a dead letter once more, or a whole domain: all its dead letters or, if it is finished, from its homepage.

    \b
    Example:
      prospector system requeue 17
      prospector system requeue example.com --job a7k2mq
    """
    from prospector.jobs import queue

    with deployment.opened() as opened:
        job = opened.find(given) if given else None
        made = queue.requeue(opened.engine, opened.frontier, asked, job)
        deployment.start_workers(opened)
    if as_json:
        output.data(asdict(made))
        return
    what = "is crawled anew" if made.whole_domain else f"has {output.counted(made.pages, 'page')} queued again"
    output.say(f"{made.domain} of job {made.job} {what}.")
