"""`prospector deploy`: this code onto the Scrapyd nodes."""

from dataclasses import asdict
from datetime import UTC, datetime

import click

from cli import output
from cli.command import Command
from prospector.errors import EnvironmentInvalid, ServerUnreachable


@click.command(cls=Command)
@output.json_option
def deploy(as_json: bool) -> int:
    """Send this code to all nodes of SCRAPYD_URLS; a node that would not run the very same is refused.

    Workers of older code end in good order, and the steward starts new ones. The local stack needs no deployment.

    \b
    Example:
      SCRAPYD_URLS=http://me:secret@node1:6800,http://me:secret@node2:6800 prospector deploy
    """
    from prospector import settings
    from prospector.jobs import deploy, egg
    from prospector.jobs.deploy import Outcome
    from prospector.spiders.environment import environment

    if not settings.SCRAPYD_URLS:
        output.say("Nothing to deploy: the local stack runs the code that is installed here.")
        return 0
    version = f"{datetime.now(UTC):%Y%m%d%H%M%S}"  # Scrapyd runs the greatest one
    found = deploy.deploy(settings.SCRAPYD_URLS, egg.build(), environment(), version)
    if as_json:
        output.data([asdict(one) for one in found])
    else:
        rows = [(one.node, one.outcome, one.version, one.python, one.replaced or None) for one in found]
        output.table(("node", "outcome", "version", "Python", "workers replaced"), rows)
        for one in found:
            if one.problem:
                output.say(f"{one.node}: {one.problem}")
    outcomes = {one.outcome for one in found}
    if Outcome.REFUSED in outcomes:
        return EnvironmentInvalid.exit_code
    return ServerUnreachable.exit_code if Outcome.UNREACHABLE in outcomes else 0
