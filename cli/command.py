"""What our commands have in common: loaded when they run, near misses suggested, --debug anywhere."""

import difflib
import importlib
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from cli.calling import pasteable

WHOLE_LINE = 200  # characters: click would cut the first sentence of a help at 45
# beside those of our errors
FAILED, INTERRUPTED = 1, 130
READER_GONE = 141  # as a shell says it of a program that SIGPIPE has ended


class ReaderGone(Exception):  # no error: whoever read our output (head, less) has seen enough
    """Ends the command. As the BrokenPipeError that it was, click would end it with 1: that a job has failed."""


@contextmanager
def past_click() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        raise ReaderGone from error


class Number(click.IntRange):
    """Says what is wrong with a number as its owner writes them: 5.000, viel, 0."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            number = int(value)
        except ValueError:
            self.fail(f"{value!r} is not a whole number. Write it in figures alone, as in 5000.", param, ctx)
        if self.min is not None and number < self.min:
            self.fail(f"{number:,} is too small: at least {self.min:,}.", param, ctx)
        if self.max is not None and number > self.max:
            self.fail(f"{number:,} is too large: at most {self.max:,}.", param, ctx)
        return number


class Seconds(click.FloatRange):
    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            seconds = float(value)
        except ValueError:
            seconds = math.nan
        if not 0 <= seconds < math.inf:
            self.fail(f"{value!r} is no number of seconds. Write it in figures alone, as in 60.", param, ctx)
        return seconds


SECONDS = Seconds(0)
CREDITS = Number(0, 1_000_000_000)  # no account has more, and no counter of the record holds three times as many


class Pasteable(click.Command):
    """Its help names commands as they can be typed where it is read."""

    def get_help(self, ctx: click.Context) -> str:
        return pasteable(super().get_help(ctx))


class Command(Pasteable):
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


class Group(Pasteable, click.Group):
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
            near = [one for one in known if one.startswith(args[0])] or difflib.get_close_matches(args[0], known, 1)
            hint = f"Did you mean {near[0]}?" if near else f"Commands: {', '.join(known)}."
            raise click.UsageError(f"There is no command {args[0]!r}. {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, words) for name, (_, words) in self.commands_at.items()]
        rows += [(name, one.get_short_help_str(WHOLE_LINE)) for name, one in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
