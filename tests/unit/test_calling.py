"""Commands in messages, as the user can type them where he stands."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli import calling
from cli.main import prospector

ALL = [
    ("Next: prospector job watch a7k2mq, or: prospector job pause a7k2mq", 2),
    ("Check that it runs: prospector doctor", 1),
    ("PROSPECTOR_HOME=demo prospector job list", 1),
    ("The data is in /home/anna/.local/share/prospector job files are below", 0),
    ("prospector 0.1.0, see prospector.toml", 0),
]


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "prospector"
    program.touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv(calling.CALLED_VARIABLE, "bin/prospector")
    calling.program.cache_clear()
    yield tmp_path
    calling.program.cache_clear()


@pytest.mark.parametrize(("words", "count"), ALL)
def test_who_calls_it_by_its_path_is_told_commands_with_that_path(clone: Path, words: str, count: int) -> None:
    said = calling.pasteable(words)

    assert said.count("bin/prospector ") == count
    assert said.replace("bin/prospector", "prospector") == words


@pytest.mark.parametrize("words", [["--help"], ["job", "--help"], ["config", "show", "--help"]])
def test_a_help_shows_commands_as_they_can_be_typed(clone: Path, words: list[str]) -> None:
    shown = CliRunner().invoke(prospector, words, prog_name="prospector").output

    assert "Usage: bin/prospector " in shown
    assert not re.search(r"^ +prospector ", shown, re.MULTILINE)


def test_who_has_it_on_the_path_is_told_its_name(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(clone / "bin"))

    assert calling.pasteable(ALL[0][0]) == ALL[0][0]


def test_another_program_of_that_name_is_not_taken_for_it(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (clone / "theirs").mkdir()
    (clone / "theirs" / "prospector").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(clone / "theirs"))

    assert calling.pasteable("prospector doctor") == "bin/prospector doctor"


def test_an_installed_program_is_told_by_its_name(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(calling.CALLED_VARIABLE)

    assert calling.pasteable("prospector doctor") == "prospector doctor"


def test_a_path_with_a_blank_is_quoted(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(calling.CALLED_VARIABLE, "/home/anna/my tools/bin/prospector")

    assert calling.pasteable("prospector doctor") == "'/home/anna/my tools/bin/prospector' doctor"
