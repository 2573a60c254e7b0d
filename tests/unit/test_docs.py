"""README and docs name only commands, options, files and settings that there are."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from cli.main import prospector
from prospector import settings

CLONE = Path(__file__).parents[2]
PAGES = [CLONE / "README.md", CLONE / "CONTRIBUTING.md", *sorted((CLONE / "docs").rglob("*.md"))]
CODE = re.compile(r"^```(?:\w*)\n(.*?)^```$|`([^`\n]+)`", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"(?:^|[\s(|;&])(?:bin/|backlink-)?prospector((?: [^\s|;&#)>]+)*)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
SOURCE = re.compile(r"^(?:prospector|cli|tests|bench|deploy|migrations|docs|bin|requirements)/[\w./-]+\.\w+$")
SETTING = re.compile(r"^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$")
OF_OTHER_PROGRAMS = {
    "--json",  # of a group: all its commands have it
    "--logger",  # Scrapyd
    "--pidfile",
    "--build",  # docker compose
}


def spans(page: Path) -> list[str]:
    """What stands in a code block, a line each, or between backticks; a line that goes on after a backslash is one."""
    found = []
    for block, inline in CODE.findall(page.read_text(encoding="utf-8")):
        found += block.replace("\\\n", " ").splitlines() if block else [inline]
    return found


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    yield path, group
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


COMMANDS = dict(commands(prospector))
GROUPS = {path[0] for path, command in COMMANDS.items() if len(path) == 1 and isinstance(command, click.Group)}


def options(command: click.Command) -> set[str]:
    names = {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
    return names | {"--help", "-h"}


def mistakes(words: list[str]) -> list[str]:
    """Of one call, without its first word: a command or an option that is not there."""
    path: tuple[str, ...] = ()
    while words and words[0] == "--set":
        words = words[2:]
    while words and isinstance(COMMANDS[path], click.Group) and re.fullmatch(r"[a-z][a-z-]*", words[0]):
        path, words = (*path, words[0]), words[1:]
        if path not in COMMANDS:
            return [f"no command {' '.join(path)}"]
    known = options(COMMANDS[path]) | options(prospector)
    given = [word.partition("=")[0] for word in words if re.fullmatch(r"--?[a-z][a-z-]*(=.*)?", word)]
    return [f"{' '.join(path)} has no {one}" for one in given if one not in known]


def calls(page: Path) -> list[str]:
    """`prospector job list` and, between backticks, `job list`."""
    found = [match[1] for span in spans(page) for match in CALL.finditer(span)]
    short = [span for span in spans(page) if span.split()[0:1] and span.split()[0] in GROUPS and len(span.split()) > 1]
    return found + short


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_that_a_page_names_is_there_with_its_options(page: Path) -> None:
    wrong = {call: found for call in calls(page) if (found := mistakes(call.split()))}

    assert wrong == {}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_option_that_a_page_names_is_one_of_some_command(page: Path) -> None:
    known = {one for command in COMMANDS.values() for one in options(command)} | OF_OTHER_PROGRAMS

    assert {one for span in spans(page) for one in OPTION.findall(span)} - known == set()


def test_the_pages_name_commands_at_all() -> None:
    named = [call for page in PAGES for call in calls(page)]

    assert len(named) > 100


@pytest.mark.parametrize("call", ["job requeue", "job run --domain x", "nothing", "job list --all-of-it", "jobs list"])
def test_a_call_that_cannot_be_is_found(call: str) -> None:
    assert mistakes(call.split())


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
