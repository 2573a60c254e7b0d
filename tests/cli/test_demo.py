"""`prospector demo`: what it serves, prints and judges."""

import csv
import io
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cli.main import prospector
from prospector.demo.web.plan import Plan
from prospector.demo.web.request_log import Entry, Heading, RequestLog
from prospector.demo.web.truth import Limits, Mode, endings, expected

WEB = ("--sites", "6", "--seed", "2")


def run(*words: str) -> Result:
    return CliRunner().invoke(prospector, ["demo", *words], standalone_mode=False)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "web.jsonl"
    host = Plan(2, 6).sites[0].name
    with RequestLog(path, Heading(2, 6)) as written:
        written.end(Entry(10, 20, host, host, "http", "/robots.txt", 404, 0, "x", "", "127.0.0.1:1"))
    return path


def results(path: Path, rows: list[tuple[object, ...]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["domain", "url", "keyword", "frequency"])
        writer.writerows(rows)
    return path


def perfect() -> list[tuple[object, ...]]:
    return [(one.domain, one.url, one.keyword, one.count) for one in expected(Plan(2, 6), Limits())]


@pytest.mark.parametrize("command", ["serve", "truth", "check"])
def test_each_command_has_help_with_an_example(command: str) -> None:
    assert f"prospector demo {command}" in run(command, "--help").output


def test_truth_prints_the_expected_mentions_as_csv() -> None:
    rows = list(csv.DictReader(io.StringIO(run("truth", *WEB).stdout)))

    assert [(row["domain"], row["url"], row["keyword"], int(row["frequency"])) for row in rows] == perfect()


def test_truth_prints_the_outcome_of_each_domain_as_json_lines() -> None:
    rows = [
        json.loads(line) for line in run("truth", "domains", *WEB, "--mode", "free-only", "--json").stdout.splitlines()
    ]

    assert {row["domain"]: row["outcome"] for row in rows} == endings(Plan(2, 6), Mode.FREE_ONLY)


def test_truth_prints_links_to_the_client_and_keywords() -> None:
    links = run("truth", "links", "--sites", "60", "--seed", "2").stdout
    keywords = run("truth", "keywords", *WEB).stdout.splitlines()

    assert "acme.test" in links
    assert keywords[0] == "keyword"
    assert "Straßenplanung" in keywords


def test_an_unknown_kind_is_refused() -> None:
    ended = run("truth", "--kind", "bakery")

    assert "no kind of site bakery" in str(ended.exception)


def test_a_good_crawl_passes(log: Path, tmp_path: Path) -> None:
    ended = run("check", str(log), "--results", str(results(tmp_path / "results.csv", perfect())))

    assert ended.return_value == 0
    assert "recall" in ended.stdout
    assert "NO" not in ended.stdout


def test_a_bad_crawl_fails_with_examples(log: Path, tmp_path: Path) -> None:
    ended = run("check", str(log), "--results", str(results(tmp_path / "results.csv", perfect()[1:] * 2)))

    assert ended.return_value == 1
    assert "duplicate rows, for example:" in ended.stderr


def test_the_verdict_as_json_names_each_line(log: Path, tmp_path: Path) -> None:
    calls = tmp_path / "calls.jsonl"
    calls.write_text('{"cost": 5}\n', encoding="utf-8")
    errors = tmp_path / "errors.csv"
    errors.write_text("domain,reason\n", encoding="utf-8")
    file = results(tmp_path / "results.csv", perfect())

    ended = run("check", str(log), "--results", str(file), "--errors", str(errors), "--calls", str(calls), "--json")

    lines = {line["what"]: line for line in json.loads(ended.stdout)["lines"]}
    assert lines["recall"]["good"] is True
    assert lines["credits charged"]["seen"] == "5"
    assert lines["accessible domains failed"]["good"] is True


def test_serve_says_what_to_set_and_ends_on_sigterm(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "cli", "demo", "serve", *WEB, "--port", "0", "--log", str(tmp_path / "w.jsonl")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        settings = dict(process.stdout.readline().strip().split("=", 1) for _ in range(2))
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=120)[1]

    assert process.returncode == 0
    assert settings["ALLOWED_NETWORKS"] == "127.1.0.0/16"
    assert "*.test=127.1.0.1:" in settings["RESOLVE"]
    assert "Ctrl-C ends it" in said


def test_a_port_that_there_is_not_is_refused() -> None:
    assert "99,999 is too large" in str(run("serve", "--port", "99999").exception)


@pytest.mark.parametrize("name", ["domains.csv", "keywords.txt", "results.csv"])
def test_the_demo_replaces_no_files_but_its_own(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text("domain\nmine.example\n")

    said = run("--out", str(tmp_path)).exception

    assert f"not of a demo: {name}" in str(said)
    assert file.read_text() == "domain\nmine.example\n"
