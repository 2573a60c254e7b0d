"""How the command line shows things: data on stdout (tables, JSON), words on stderr."""

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from cli.calling import pasteable
from cli.streams import knows_all_letters
from prospector.core.results.cells import csv_line, guarded
from prospector.core.web.hosts import UNREADABLE

T = TypeVar("T")
LINE_BREAKS = re.compile("[\t-\r\x85\u2028\u2029]+")
WIDTH_OF_A_PIPE = 200  # columns, where there is no terminal to ask


class Terminal(Console):
    """rich ends a process whose output nobody reads any more with 1: that is for cli.main to end."""

    def on_broken_pipe(self) -> None:
        raise  # noqa: PLE0704  # rich calls it while it handles the BrokenPipeError


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--json`, passed to the command as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object, for scripts.")(command)


def data(value: object) -> None:
    click.echo(json.dumps(value, ensure_ascii=not knows_all_letters(), default=str))


def say(words: str) -> None:
    click.echo(pasteable(words), err=True)


def plain(text: str) -> str:
    """What a user or a site wrote, in one line and without what could drive a terminal."""
    return UNREADABLE.sub("\N{REPLACEMENT CHARACTER}", LINE_BREAKS.sub(" ", text))


def moment(when: datetime, now: datetime | None = None) -> str:
    """In the user's own time, as short as it is clear: 14:20, or Nov 18, 14:20 on another day."""
    there, today = when.astimezone(), (now or datetime.now().astimezone()).astimezone().date()
    return f"{there:%H:%M}" if there.date() == today else f"{there:%b} {there.day}, {there:%H:%M}"


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def spreadsheet(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """CSV on stdout: RFC 4180, with the mark that makes Excel read UTF-8, and no cell that a spreadsheet would run."""
    sys.stdout.reconfigure(encoding="utf-8", newline="")  # type: ignore[union-attr]  # a real stream
    sys.stdout.write("\ufeff")
    for cells in chain([columns], rows):
        sys.stdout.write(csv_line(map(_cell, cells), "\r\n"))


def _cell(value: object) -> object:
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"  # as in the files of an export
    return guarded(value) if isinstance(value, str) else value


def or_say(words: str, rows: Iterable[T]) -> Iterator[T]:
    """The rows; where there is none, that is said: a file with nothing but a head explains nothing."""
    found = False
    for row in rows:
        found = True
        yield row
    if not found:
        say(words)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Bold heads and the terminal's width on a terminal; plain lines in a pipe."""
    style = False if os.environ.get("NO_COLOR") else None  # bold is left out too: some terminals colour it
    console = Terminal(width=None if sys.stdout.isatty() else WIDTH_OF_A_PIPE, highlight=False, force_terminal=style)
    drawn = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        drawn.add_column(name, overflow="fold")  # on a narrow terminal too, no figure and no address loses its end
    for row in rows:
        drawn.add_row(*("" if cell is None else escape(plain(str(cell))) for cell in row))
    console.print(drawn, soft_wrap=not sys.stdout.isatty())
