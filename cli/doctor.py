"""`prospector doctor`: what of this deployment is not as it should be, and what to do about it."""

from dataclasses import asdict

import click

from cli import output
from cli.command import Command
from prospector.errors import EnvironmentInvalid, ServerUnreachable

MARKS = {"ok": "ok", "warn": "WARN", "fail": "FAIL"}


@click.command(cls=Command)
@output.json_option
def doctor(as_json: bool) -> int:
    """Check this machine and every server in force, each finding with its remedy.

    Ends with 0 if the deployment can work, 3 if a check fails, 7 if a server is unreachable.

    \b
    Example:
      prospector doctor
      DATABASE_URL=postgresql://me@db/prospector prospector doctor --json
    """
    from prospector import settings
    from prospector.local import checks
    from prospector.local.checks import Verdict
    from prospector.local.home import Home

    found = list(checks.run(Home(settings.PROSPECTOR_HOME)))
    failed = [one for one in found if one.state is Verdict.FAIL]
    if as_json:
        output.data({"ok": not failed, "checks": [asdict(one) for one in found]})
    else:
        output.table(["", "check", "found"], [(MARKS[one.state], one.name, one.found) for one in found])
        for one in found:
            if one.remedy:
                output.say(f"{one.name}: {one.remedy}")
    if any(one.unreachable for one in failed):
        return ServerUnreachable.exit_code
    return EnvironmentInvalid.exit_code if failed else 0
