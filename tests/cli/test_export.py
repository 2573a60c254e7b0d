"""`prospector job export` and `export-status` as a user types them, on a stack with its steward."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import Engine, text

from cli.main import prospector
from prospector.core.job.states import JobState
from prospector.core.reading.zones import Zone
from prospector.core.visits.outcomes import DomainState, PageOutcome
from prospector.local import attach
from prospector.local.home import Home
from prospector.local.servers import Servers, with_home
from prospector.store import domains, exports, jobs, pages, schema, server
from prospector.store.domains import Finished
from prospector.store.jobs import Keyword, ListedDomain, NewJob
from prospector.store.pages import MentionRow, PageRow
from prospector.store.partitions import mentions_of, pages_of

CLONE = Path(__file__).parents[2]
NOW = datetime.now(UTC)
PATIENCE_SECONDS = 120  # of a loaded machine; every wait ends with its condition
Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """One stack for this file."""
    made = Home(tmp_path_factory.mktemp("home"))
    yield made
    attach.stop(made)


@pytest.fixture(scope="module")
def servers(home: Home) -> Iterator[Servers]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("LOCAL_IDLE_SECONDS", "60")
        monkeypatch.setenv("METRICS_ADDRESS", "127.0.0.1:0")
        yield with_home(home)
    attach.detach(home)


@pytest.fixture(scope="module")
def record(servers: Servers) -> Iterator[Engine]:
    engine = server.engine(servers.database_url, connections=2)
    schema.migrate(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def environment(home: Home) -> dict[str, str]:
    return {
        **os.environ,
        "PROSPECTOR_HOME": str(home.folder),
        "PYTHONPATH": str(CLONE),
        "METRICS_ADDRESS": "127.0.0.1:0",
    }


@pytest.fixture
def run(environment: dict[str, str], tmp_path: Path) -> Run:
    def prospector(*words: str, **more: str) -> Done:
        return subprocess.run(
            [sys.executable, "-P", "-m", "cli", "job", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env=environment | more,
            timeout=120,
            stdin=subprocess.DEVNULL,
        )

    return prospector


def made(record: Engine, *, ended: bool = True, name: str = "Acme Q1") -> str:
    """Two domains, one of them done with a mention; the other failed, or still to be crawled."""
    listed = [ListedDomain("good.example", 2), ListedDomain("late.example", 3)]
    with record.begin() as connection:
        new = NewJob(name, {"mode": "free-only"}, 0, [Keyword("crm")], listed, (), 2, ["domain"])
        job = jobs.create(connection, new).job
        # a job that only looks as if it ran: no worker may take it up
        jobs.move(connection, job, JobState.RUNNING, "started")
        jobs.move(connection, job, JobState.PAUSED, "asked by operator")
    page = PageRow(
        1,
        0,
        "https://good.example/",
        PageOutcome.READ,
        NOW,
        status=200,
        mentions=[MentionRow(0, 3, Zone.MAIN, "a crm that …")],
    )
    pages.write(record, job, [page])
    finished = [Finished(0, 1, DomainState.DONE, pages=1)]
    finished += [Finished(1, 1, DomainState.FAILED, "DNS resolution failed", attempts=2)] if ended else []
    with record.begin() as connection:
        domains.finish(connection, job, finished)
        if ended:
            connection.execute(text("UPDATE jobs SET state = 'completed' WHERE id = :job"), {"job": job})
    return job


@pytest.mark.parametrize("command", ["export", "export-status"])
def test_each_command_has_help_with_an_example(command: str) -> None:
    shown = CliRunner().invoke(prospector, ["job", command, "--help"], standalone_mode=False).output

    assert f"prospector job {command} a7k2mq" in shown


def test_an_export_returns_at_once_and_its_status_has_the_links(run: Run, record: Engine) -> None:
    job = made(record)
    with record.connect() as connection:
        rests_since = connection.scalar(text("SELECT left_running_at FROM jobs WHERE id = :job"), {"job": job})
    deleted = (rests_since + timedelta(days=90)).date()

    started = run("export", job, "--format", "csv")
    told = status(run, job)

    assert started.returncode == 0
    assert "Export started. Check status in ~1 minute." in started.stderr
    assert f"Run 'prospector job export-status {job}' to check progress." in started.stderr
    assert f"This job will be auto-deleted on {deleted}. Download your results now." in started.stderr
    assert told.returncode == 0
    ready = [line for line in told.stdout.splitlines() if line.startswith("Export ready: file:///")]
    assert len(ready) == 5
    assert "/results.csv (expires in 7 days)  results.csv, 1 row, " in ready[0]


def status(run: Run, job: str, **elsewhere: str) -> Done:
    """Asked again and again, as a user does, until it is ready."""
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        told = run("export-status", job, **elsewhere)
        if "Export ready" in told.stdout or time.monotonic() > until:
            return told
        assert "is being made" in told.stdout or "waits to be made" in told.stdout


def test_files_are_fetched_under_names_that_a_person_recognises(run: Run, record: Engine, tmp_path: Path) -> None:
    job = made(record)

    done = run("export", job, "--format", "csv,json", "--only", "results", "--out", "mine")

    assert done.returncode == 0
    names = [f"Acme Q1 - results - {job}.{ending}" for ending in ("csv", "json")]
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == names
    assert [line.partition("  (")[0] for line in done.stdout.splitlines()] == [f"mine/{name}" for name in names]
    rows = list(csv.DictReader(io.StringIO((tmp_path / "mine" / names[0]).read_text("utf-8-sig"), newline="")))
    assert [(row["domain"], row["keyword"], row["frequency"]) for row in rows] == [("good.example", "crm", "3")]


def test_failed_domains_are_offered_again_where_they_can_be_and_those_of_a_paused_job_when_it_is_resumed(
    run: Run, record: Engine, tmp_path: Path
) -> None:
    job, cancelled = made(record), made(record)
    with record.begin() as connection:
        connection.execute(text("UPDATE jobs SET state = 'paused' WHERE id = :job"), {"job": job})
        connection.execute(text("UPDATE jobs SET state = 'cancelled' WHERE id = :job"), {"job": cancelled})

    offered, not_offered = run("errors", job), run("errors", cancelled)
    spreadsheet = run("errors", job, "--csv")
    run("export", job, "--only", "errors", "--out", "here")
    retried = run("retry", job)

    assert offered.stderr == f"Try failed domains again: prospector job retry {job}\n"
    assert ("DNS resolution failed" in not_offered.stdout, not_offered.stderr) == (True, "")
    (exported,) = (tmp_path / "here").glob("* - errors - *.csv")
    assert spreadsheet.stdout.splitlines() == exported.read_text(encoding="utf-8").splitlines()
    assert retried.returncode == 0
    assert f"1 failed domain of job {job} is tried again when it is resumed." in retried.stderr


def test_a_folder_for_the_files_is_tried_before_they_are_made(run: Run, record: Engine, tmp_path: Path) -> None:
    job = made(record)
    (tmp_path / "taken").write_text("a file")

    done = run("export", job, "--out", "taken/below")

    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        "Nothing can be written in taken/below: Not a directory. Choose another --out, or free some space.\n"
    )
    assert run("export-status", job).returncode == 5


def test_scripts_get_one_object_with_paths_and_plain_raw_files(run: Run, record: Engine, tmp_path: Path) -> None:
    job = made(record)

    done = run("export", job, "--only", "errors", "--raw", "--wait", "--out", "raw", "--json")

    told: dict[str, Any] = json.loads(done.stdout)
    assert (told["job"], told["state"], told["duplicates"]) == (job, "ready", 0)
    assert [(one["name"], one["rows"], one["path"]) for one in told["files"]] == [
        (name, 1, f"raw/{name}") for name in ("errors.csv", "failed_domains.csv")
    ]
    made_bytes = (tmp_path / "raw" / "errors.csv").read_bytes()
    assert made_bytes.startswith(b"domain,failure_reason")
    assert told["files"][0]["bytes"] == len(made_bytes)
    assert told["files"][0]["url"].startswith("file:///")


def test_a_job_that_is_under_way_is_exported_as_far_as_it_is(run: Run, record: Engine) -> None:
    job = made(record, ended=False)

    at_once, waited = run("export", job), run("export", job, "--wait")

    assert (
        f"Job {job} is paused: the files hold what is known when they are made. Export again for the rest."
        in at_once.stderr
    )
    assert waited.returncode == 0
    assert "Partial: 1 of 2 domains are missing (1 waiting, 0 being crawled)." in waited.stderr


def test_without_a_steward_whoever_asks_has_it_made(
    servers: Servers, environment: dict[str, str], run: Run, empty: Engine
) -> None:
    schema.migrate(empty)
    job = made(empty)
    url = empty.url.render_as_string(hide_password=False)
    elsewhere = {"DATABASE_URL": url, "REDIS_URL": servers.redis_url, "SCRAPYD_URLS": servers.scrapyd_urls[0]}

    waited = run("export", job, "--wait", **elsewhere)
    at_once = run("export", job, **elsewhere)
    told = "is being made"
    until = time.monotonic() + PATIENCE_SECONDS
    while "Export ready" not in told and time.monotonic() < until:
        told = run("export-status", job, **elsewhere).stdout

    assert waited.returncode == at_once.returncode == 0
    assert waited.stdout.count("Export ready: ") == 5
    assert "Export ready" in told


def test_one_that_waits_no_longer_says_that_it_goes_on(run: Run, empty: Engine, servers: Servers) -> None:
    schema.migrate(empty)
    job = made(empty)
    claim_for_ever(empty, job)
    elsewhere = {
        "DATABASE_URL": empty.url.render_as_string(hide_password=False),
        "REDIS_URL": servers.redis_url,
        "SCRAPYD_URLS": servers.scrapyd_urls[0],
    }

    told = run("export-status", job, **elsewhere)
    late = run("export-status", job, "--out", "here", **elsewhere)

    assert (told.returncode, told.stdout) == (0, f"The export of job {job} is being made: 5 of 20 rows (25%).\n")
    assert late.returncode == 1
    assert "is being made: 5 of 20 rows (25%)" in late.stderr


def claim_for_ever(record: Engine, job: str) -> None:
    """As a runner that is busy."""
    with record.begin() as connection:
        exports.ask(connection, job, ["csv"], {})
        mine = exports.claim(connection, 30)
        assert mine
        exports.beat(connection, mine, 5, 20)
        connection.execute(text("UPDATE exports SET beat_at = now() + interval '1 hour'"))


@contextmanager
def held(record: Engine, job: str) -> Iterator[None]:
    """Meanwhile no export of it can end."""
    with record.begin() as busy:
        busy.execute(text(f"LOCK TABLE {pages_of(job)}, {mentions_of(job)} IN ACCESS EXCLUSIVE MODE"))
        yield


def until_one_waits_for_the_lock(record: Engine) -> None:
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    until = time.monotonic() + PATIENCE_SECONDS
    with record.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        while not connection.scalar(text(waiting)):
            assert time.monotonic() < until, "nobody makes it"
            time.sleep(0.05)


def test_ctrl_c_ends_the_waiting_and_not_the_export(
    environment: dict[str, str], empty: Engine, servers: Servers
) -> None:
    schema.migrate(empty)
    job = made(empty)
    url = empty.url.render_as_string(hide_password=False)
    more = {"DATABASE_URL": url, "REDIS_URL": servers.redis_url, "SCRAPYD_URLS": servers.scrapyd_urls[0]}
    words = [sys.executable, "-P", "-m", "cli", "job", "export", job, "--wait"]
    with (
        held(empty, job),
        subprocess.Popen(words, env=environment | more, stderr=subprocess.PIPE, text=True) as process,
    ):
        assert process.stderr
        assert "Export started" in process.stderr.readline()

        until_one_waits_for_the_lock(empty)  # what makes the files has begun: who asked waits for it
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()

    assert process.returncode == 130
    assert f"The export goes on without you. Look again: prospector job export-status {job}" in said


def test_waiting_ends_after_its_time_with_8_and_the_export_goes_on(run: Run, empty: Engine, servers: Servers) -> None:
    schema.migrate(empty)
    job = made(empty)
    url = empty.url.render_as_string(hide_password=False)
    elsewhere = {"DATABASE_URL": url, "REDIS_URL": servers.redis_url, "SCRAPYD_URLS": servers.scrapyd_urls[0]}
    with held(empty, job):
        said = run("export", job, "--wait-timeout", "0", **elsewhere)
        for_scripts = run("export", job, "--wait-timeout", "0.5", "--json", **elsewhere)

    assert said.returncode == for_scripts.returncode == 8
    assert f"It goes on. Look again: prospector job export-status {job}" in said.stderr
    assert said.stdout == ""
    assert json.loads(for_scripts.stdout)["state"] in {"waiting", "running"}
    assert json.loads(for_scripts.stdout)["files"] == []
    assert status(run, job, **elsewhere).stdout.count("Export ready: ") == 5


def test_a_failed_export_says_why_and_ends_with_1(run: Run, record: Engine) -> None:
    job = made(record)
    with record.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO exports (id, job, state, reason, formats, options, attempts)"
                " VALUES (:id, :job, 'failed', 'the disk is full', '{csv}', '{}', 2)"
            ),
            {"id": "0" * 32, "job": job},
        )

    told = run("export-status", job)

    assert told.returncode == 1
    assert f"The export of job {job} has failed: the disk is full" in told.stderr
    assert f"Next: prospector job export {job} --format csv" in told.stderr


def test_what_cannot_be_exported_is_said_with_what_to_do(run: Run, record: Engine) -> None:
    job = made(record)
    with record.begin() as connection:
        connection.execute(text("UPDATE jobs SET state = 'archived' WHERE id = :job"), {"job": job})
    other = made(record)
    near = other[:-1] + ("2" if other[-1] != "2" else "3")

    archived, unknown, none_yet = run("export", job), run("export", near), run("export-status", other)
    no_format, no_csv = run("export", other, "--format", "pdf"), run("export", other, "--format", "json", "--raw")

    assert (archived.returncode, "(Results deleted)" in archived.stderr) == (5, True)
    assert unknown.returncode == 5
    assert other in unknown.stderr
    assert (none_yet.returncode, f"prospector job export {other}" in none_yet.stderr) == (5, True)
    assert (no_format.returncode, "Choose of: csv, json, xlsx, html." in no_format.stderr) == (2, True)
    assert (no_csv.returncode, "Add csv to --format." in no_csv.stderr) == (2, True)
