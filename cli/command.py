"""What our commands have in common: loaded when they run, near misses suggested, --debug anywhere."""

import difflib
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click


class ReaderGone(Exception):  # no error: whoever read our output (head, less) has seen enough
    """Ends the command. As the BrokenPipeError that it was, click would end it with 1: that a job has failed."""


@contextmanager
def past_click() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        raise ReaderGone from error


class Command(click.Command):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # read from sys.argv by cli.main, because errors can come before any parsing
        self.params.append(
            click.Option(
                ["--debug"],
                is_flag=True,
                expose_value=False,
                help="Show the traceback of an error.",
            )
        )


class Group(click.Group):
    """`commands_at`: name -> ("module:attribute", help), for commands that are imported only when they are used."""

    command_class = Command
    group_class = type

    def __init__(self, *args: Any, commands_at: dict[str, tuple[str, str]] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.commands_at = commands_at or {}

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with past_click():  # a help is printed here
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        with past_click():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.commands_at, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands_at:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = self.commands_at[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], known, 1)
            hint = f"Did you mean {near[0]}?" if near else f"Commands: {', '.join(known)}."
            raise click.UsageError(f"There is no command {args[0]!r}. {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, words) for name, (_, words) in self.commands_at.items()]
        rows += [(name, one.get_short_help_str()) for name, one in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
