"""One event, one line: in both forms, without secrets, whatever the text holds."""

import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from prospector import logs

SPOILED = "first\nsecond\r\x1b[31mred\x85next\u2028more\u202eback"


@pytest.fixture
def root() -> Iterator[None]:
    before = (logging.root.handlers[:], logging.root.level, set(logs._hidden))
    yield
    logging.root.handlers[:], level, hidden = before
    logging.root.setLevel(level)
    logs._hidden.clear()
    logs._hidden.update(hidden)


def lines(style: str, **fields: object) -> list[str]:
    stream = io.StringIO()
    logs.install(style, "DEBUG", stream, worker="w-42")
    logs.named("prospector.test").error("scrapingbee_failed", **fields)
    return stream.getvalue().split("\n")


def test_the_text_form_is_the_one_operators_asked_for(root: None) -> None:
    error = "ScrapingBee: HTTP 429 Rate Limit Exceeded"

    line = lines("text", job="abc123", url="example.com/page", error=error, status=429)[0]

    assert line.partition(" ")[2] == f"[ERROR] Job:abc123 Worker:w-42 URL:example.com/page {error} status=429"


def test_the_json_form_carries_every_field_with_its_type(root: None) -> None:
    event = json.loads(lines("json", job="abc123", domain="example.com", status=429, retried=True)[0])

    del event["time"]
    assert event == {
        "level": "ERROR",
        "event": "scrapingbee_failed",
        "job": "abc123",
        "domain": "example.com",
        "status": 429,
        "retried": True,
        "worker": "w-42",
    }


@pytest.mark.parametrize("style", ["json", "text"])
def test_text_from_outside_never_makes_a_second_line_or_drives_the_terminal(root: None, style: str) -> None:
    written = lines(style, error=SPOILED, url=SPOILED)

    assert len(written) == 2
    assert written[1] == ""
    assert written[0].isprintable()


def test_json_gives_back_the_very_text(root: None) -> None:
    assert json.loads(lines("json", error=SPOILED)[0])["error"] == SPOILED


@pytest.mark.parametrize("style", ["json", "text"])
def test_a_hidden_secret_appears_in_no_part_of_a_line(root: None, style: str) -> None:
    logs.hide("s3cr/t+key")
    stream = io.StringIO()
    logs.install(style, "DEBUG", stream)

    logging.getLogger("library").warning("call to /?api_key=%s and %s", "s3cr/t+key", "s3cr%2Ft%2Bkey")
    try:
        raise ValueError("bad key s3cr/t+key")
    except ValueError:
        logs.named("ours").crash("failed", url="https://x/?k=s3cr%2Ft%2Bkey")

    assert "s3cr" not in stream.getvalue()
    assert stream.getvalue().count("********") >= 3


def test_a_traceback_stays_on_the_line_of_its_event(root: None) -> None:
    stream = io.StringIO()
    logs.install("json", "DEBUG", stream)

    try:
        raise ValueError("broken")
    except ValueError:
        logs.named("ours").crash("failed")

    assert "ValueError: broken" in json.loads(stream.getvalue())["traceback"]


def test_installing_twice_writes_each_event_once(root: None) -> None:
    stream = io.StringIO()
    logs.install("json", "DEBUG", stream)
    logs.install("json", "DEBUG", stream)

    logs.named("ours").info("started")

    assert stream.getvalue().count("\n") == 1


def test_less_severe_events_are_left_out(root: None) -> None:
    stream = io.StringIO()
    logs.install("json", "WARNING", stream)

    logs.named("ours").info("started")

    assert stream.getvalue() == ""


def test_a_file_that_grows_is_set_aside_and_the_one_before_it_goes(
    root: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "FILE_BYTES_MOST", 2_000)
    file = tmp_path / "worker-1.log"
    handler = logs.install("json", "DEBUG", file=str(file))

    for number in range(100):
        logs.named("test").info("spoken", number=number)
    handler.close()

    kept = {one.name: one.stat().st_size for one in tmp_path.iterdir()}
    assert kept.keys() == {"worker-1.log", "worker-1.log.1"}
    assert max(kept.values()) <= 2_000
    assert json.loads(file.read_text(encoding="utf-8").splitlines()[-1])["number"] == 99
