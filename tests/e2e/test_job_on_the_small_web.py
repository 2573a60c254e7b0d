"""A whole job as a user has it: run, watched, paused from another terminal, resumed, completed, with no page asked for twice."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from prospector.demo.web.request_log import Entry, entries
from prospector.local import attach
from prospector.local.home import Home
from tests.web_log import entries_until_now

CLONE = Path(__file__).parents[2]
WEB = ["--sites", "4", "--seed", "3", "--kind", "twenty"]
PATIENCE_SECONDS = 120
Prospector = Callable[..., "subprocess.Popen[str]"]


def command(*words: str) -> list[str]:
    return [sys.executable, "-P", "-m", "cli", *words]


@pytest.fixture
def web(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The settings with which a crawler finds it; every request is in web.jsonl."""
    words = command("demo", "serve", *WEB, "--port", "0", "--log", str(tmp_path / "web.jsonl"), "--json")
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=CLONE)
    assert process.stdout
    settings: dict[str, str] = json.loads(process.stdout.readline())["settings"]
    yield settings
    process.terminate()
    process.communicate(timeout=60)


@pytest.fixture
def prospector(web: dict[str, str], tmp_path: Path) -> Iterator[Prospector]:
    """Begins `prospector WORDS` on a stack of this test's own: slow, so that the commands come before the end of the job."""
    home = tmp_path / "home"
    environment = {**os.environ, **web, "PROSPECTOR_HOME": str(home), "PYTHONPATH": str(CLONE)}

    def begun(*words: str, delay_ms: int = 2_000) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            command(*words),
            cwd=tmp_path,
            env=environment | {"DELAY_MS": str(delay_ms)},
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    yield begun
    attach.stop(Home(home))


def ended(process: "subprocess.Popen[str]") -> tuple[int, str, str]:
    out, err = process.communicate(timeout=PATIENCE_SECONDS)
    return process.returncode, out, err


def requests(log: Path) -> list[Entry]:
    """The pages that were asked for, as far as it is written, without robots.txt and sitemaps."""
    return [one for one in entries(log) if not one.path.endswith((".txt", ".xml"))]


def requests_until_now(log: Path, web: dict[str, str]) -> list[Entry]:
    asked = entries_until_now(log, web["RESOLVE"].rpartition("=")[2])
    return [one for one in asked if not one.path.endswith((".txt", ".xml"))]


def until(true: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < deadline, what
        time.sleep(0.1)


def test_a_job_is_followed_paused_resumed_and_completed_and_asks_for_no_page_twice(
    prospector: Prospector, web: dict[str, str], tmp_path: Path
) -> None:
    log = tmp_path / "web.jsonl"
    truth = subprocess.run(command("demo", "truth", "domains", *WEB), cwd=CLONE, capture_output=True, text=True).stdout
    (tmp_path / "domains.csv").write_text(truth)
    keywords = subprocess.run(
        command("demo", "truth", "keywords", *WEB), cwd=CLONE, capture_output=True, text=True
    ).stdout
    (tmp_path / "keywords.csv").write_text(keywords)
    files = ["--domains", "domains.csv", "--column", "domain", "--keywords", "keywords.csv"]

    followed = prospector("job", "run", "--name", "Acme Q1", *files, "--mode", "free-only", "--follow")
    until(lambda: log.exists() and len(requests(log)) > 8, "nothing is crawled")
    (job,) = json.loads(ended(prospector("job", "list", "--json"))[1])
    code, _, words = ended(prospector("job", "pause", job["id"]))

    assert code == 0
    assert f"domains ({0}%). Resume anytime with 'job resume {job['id']}'" in words
    assert ended(followed)[0] == 1
    before = len(requests_until_now(log, web))
    time.sleep(2)
    assert len(requests_until_now(log, web)) == before

    code, _, words = ended(prospector("job", "resume", job["id"]))
    assert (code, f"Job {job['id']} goes on." in words) == (0, True)
    watched = prospector("job", "watch", job["id"])
    assert watched.stderr
    assert watched.stderr.readline()  # how it stands: it is watching
    watched.send_signal(signal.SIGINT)
    code, _, words = ended(watched)
    assert (code, f"Job {job['id']} goes on without you." in words) == (130, True)
    assert ended(prospector("down"))[0] == 0
    code, lines, words = ended(prospector("job", "watch", job["id"], "--json", delay_ms=100))
    assert f"Job {job['id']} (Acme Q1): interrupted " in words
    assert ", continuing." in words

    last = json.loads(lines.splitlines()[-1])
    assert code == 0
    assert (last["state"], last["domains"]["done"], last["pages"]) == ("completed", 4, 84)
    assert "is completed: 4 succeeded." in words
    assert last["mentions"] > 0
    asked = Counter((one.scheme, one.host, one.path) for one in requests_until_now(log, web))
    assert len(asked) == 84
    assert [page for page, times in asked.items() if times > 1] == []
