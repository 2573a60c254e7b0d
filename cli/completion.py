"""`prospector completion`: the shell's own completion script."""

import click
from click.shell_completion import get_completion_class

from cli.command import Command


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script of a shell.

    \b
    Example:
      prospector completion bash >> ~/.bashrc
    """
    from cli.main import prospector

    kind = get_completion_class(shell)
    assert kind
    click.echo(kind(prospector, {}, "prospector", "_PROSPECTOR_COMPLETE").source())
