"""`prospector config`: the options of this deployment."""

import click

from cli import output
from cli.command import Command, Group
from prospector import env


@click.group(cls=Group)
def config() -> None:
    """The options in force and where each comes from.

    \b
    Example:
      prospector config show
    """


@config.command(cls=Command)
@output.json_option
def show(as_json: bool) -> None:
    """Print every option with its value and origin, and say which prospector.toml is in force. Secrets are masked.

    \b
    Example:
      DELAY_MS=2000 prospector config show
    """
    from prospector import settings  # noqa: F401  # reading the settings is what fills the list

    rows = [(option.name, env.shown(option), option.origin) for option in env.READ.values()]
    if as_json:
        output.data({name: {"value": value, "origin": origin} for name, value, origin in rows})
    else:
        file = env.file_in_force() or f"none in force (yours would be {env.user_file()})"
        output.table(["option", "value", "from"], [*rows, (env.FILE_NAME, file, "")])
