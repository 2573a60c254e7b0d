"""`prospector db`: the database of this deployment."""

import click

from cli.command import Group


@click.group(cls=Group)
def db() -> None:
    """The database: its schema and its roles.

    \b
    Example:
      prospector db migrate
    """
