"""`prospector system`: what those who keep the system running look at and mend."""

import click

from cli.command import Group

COMMANDS = {
    "workers": ("cli.system.looks:workers", "Every worker: its node, what it does, when it was last heard of."),
    "metrics": ("cli.system.looks:metrics", "How the system does, each figure with its formula."),
    "credits": ("cli.system.credits:credits_", "The ledger of credits beside the account."),
    "queue-status": ("cli.system.queue:queue_status", "What waits, what is in flight and what was given up."),
    "requeue": ("cli.system.queue:requeue", "Try a dead letter once more, or a whole domain."),
}


@click.group(cls=Group, commands_at=COMMANDS)
def system() -> None:
    """The system as a whole: its workers, figures, queues and dead letters.

    \b
    Example:
      prospector system queue-status
    """
