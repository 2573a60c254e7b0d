"""The key in force: a changed file reaches a running worker, and a new key is hidden like the first."""

import io
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from prospector import env, logs
from prospector.fetch import key
from prospector.fetch.key import KeyInForce

LOG = logs.named(__name__)


@pytest.fixture
def settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    read_before = dict(env.READ)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv(key.NAME, raising=False)
    monkeypatch.setattr(key, "READ_AGAIN_SECONDS", 0.0)
    env.read_file_again()
    yield tmp_path / "prospector.toml"
    env.read_file_again()
    env.READ.clear()
    env.READ.update(read_before)


def write(path: Path, words: str) -> None:
    path.write_text(words)


def test_a_key_that_is_changed_in_the_file_is_taken_while_a_worker_runs(settings_file: Path) -> None:
    write(settings_file, 'scrapingbee_api_key = "first-key"\n')
    in_force = KeyInForce()
    assert in_force() == "first-key"

    write(settings_file, 'scrapingbee_api_key = "second-key"\n')

    assert in_force() == "second-key"


def test_the_environment_wins_over_the_file(settings_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(key.NAME, "of-the-environment")
    write(settings_file, 'scrapingbee_api_key = "of-the-file"\n')

    assert KeyInForce()() == "of-the-environment"


def test_without_a_key_there_is_none(settings_file: Path) -> None:
    assert KeyInForce()() is None


def test_half_an_edit_changes_nothing(settings_file: Path) -> None:
    write(settings_file, 'scrapingbee_api_key = "first-key"\n')
    in_force = KeyInForce()

    write(settings_file, 'scrapingbee_api_key = "sec')

    assert in_force() == "first-key"


def test_a_new_key_never_shows_in_a_line(settings_file: Path) -> None:
    write(settings_file, 'scrapingbee_api_key = "first-key"\n')
    in_force = KeyInForce()
    stream = io.StringIO()
    handler = logs.install("json", "DEBUG", stream)
    write(settings_file, 'scrapingbee_api_key = "second-key"\n')

    in_force()
    LOG.info("spoken", error="with second-key in it")
    logs.logging.root.removeHandler(handler)

    lines = [json.loads(line)["event"] for line in stream.getvalue().splitlines()]
    assert "scrapingbee_key_changed" in lines
    assert "second-key" not in stream.getvalue()


def test_the_key_is_not_put_into_the_environment_of_children(settings_file: Path) -> None:
    write(settings_file, 'scrapingbee_api_key = "first-key"\n')

    KeyInForce()()

    assert "first-key" not in os.environ.values()
