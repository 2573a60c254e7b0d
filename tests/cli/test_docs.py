"""What README and docs/ tell a reader to type, set and open is there."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from cli.main import prospector
from prospector import settings

CLONE = Path(__file__).parents[2]
PAGES = [CLONE / "README.md", CLONE / "CONTRIBUTING.md", *sorted((CLONE / "docs").rglob("*.md"))]
PROGRAM = re.compile(
    r"^(?:\$ |[A-Z_]+=\S+ )*(?:bin/)?(?:(?:backlink-)?prospector |(?=(?:job|system|db|demo|config) [a-z]))"
)
SOURCE = re.compile(r"^(?:prospector|cli|tests|bench|deploy|migrations|docs|bin|requirements)/[\w./-]+\.\w+$")
SETTING = re.compile(r"^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$")


def spans(page: Path) -> Iterator[str]:
    """What is set as code: whole lines of blocks, and single words between backticks."""
    words = page.read_text(encoding="utf-8")
    for block in re.findall(r"^```[^\n]*\n(.*?)^```", words, re.MULTILINE | re.DOTALL):
        yield from block.splitlines()
    yield from re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", words, flags=re.MULTILINE | re.DOTALL))


def commands(page: Path) -> Iterator[list[str]]:
    for span in spans(page):
        if PROGRAM.match(span):
            typed = re.split(r"\s(?:#|\||>|&&|2>|…|\.\.\.)|\s{2,}|[;)]", PROGRAM.sub("", span))[0]
            yield shlex.split(typed)


def unknown(words: list[str]) -> str:
    """The first word that Prospector would not take; empty where it takes all."""
    command: click.Command = prospector
    options = set[str]()
    for word in words:
        options |= {name for one in command.params for name in (*one.opts, *one.secondary_opts)} | {"--help", "--json"}
        if isinstance(command, click.Group) and not word.startswith("-"):
            found = command.get_command(click.Context(command), word)
            if found is None:
                # a group of its own rights takes no word that is no command
                return word if word.isalpha() and word.islower() else ""
            command = found
        elif word.startswith("--") and word.partition("=")[0] not in options:
            return word
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_of_a_page_is_one(page: Path) -> None:
    wrong = [f"{' '.join(words)}: {bad}" for words in commands(page) if (bad := unknown(words))]

    assert wrong == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_and_page_that_is_named_is_there(page: Path) -> None:
    named = [one for one in spans(page) if SOURCE.match(one)]
    linked = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))

    assert [one for one in named if not (CLONE / one).exists()] == []
    assert [one for one in linked if not (page.parent / one).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_setting_that_is_named_is_one(page: Path) -> None:
    named = {one for one in spans(page) if SETTING.match(one)}

    assert {one for one in named if not hasattr(settings, one)} == set()
