"""`job cost-report` and `system credits` as a user types them."""

import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from prospector.core.job.spec import JobSpec
from prospector.core.job.states import JobState
from prospector.core.visits.methods import Method, Mode
from prospector.local import attach
from prospector.local.home import Home
from prospector.store import jobs, spend
from prospector.store.jobs import Keyword, ListedDomain, NewJob
from prospector.store.spend import Reservation

CLONE = Path(__file__).parents[2]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Runs `prospector WORDS` on one stack for this file."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "domains.csv").write_text("domain\nacme-one.com\nacme-two.com\n")
    (folder / "keywords.txt").write_text("Acme CRM\n")
    environment = {**os.environ, "PROSPECTOR_HOME": str(folder), "LOCAL_IDLE_SECONDS": "60", "PYTHONPATH": str(CLONE)}
    environment.pop("SCRAPINGBEE_API_KEY", None)

    def prospector(*words: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-P", "-m", "cli", *words]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, timeout=120)

    yield prospector
    attach.stop(Home(folder))


@pytest.fixture(scope="module")
def job(run: Run) -> str:
    made = run("job", "run", "--domains", "domains.csv", "--keywords", "keywords.txt", "--no-auto-start")
    assert made.returncode == 0, made.stderr
    assert "Estimated cost: $" in made.stderr
    assert "works as free-only, and counts the pages a key would have helped" in made.stderr
    return made.stdout.strip()


def test_a_cost_report_has_the_columns_that_were_promised_and_a_line_a_domain(run: Run, job: str) -> None:
    done = run("job", "cost-report", job)

    head, *rows = csv.reader(done.stdout.removeprefix("\ufeff").splitlines())
    assert head == [
        "domain", "urls_crawled", "direct_requests", "scrapingbee_requests", "js_rendering_requests", "total_credits",
        "estimated_cost_usd",
    ]  # fmt: skip
    assert rows == [[name, "0", "0", "0", "0", "0", "0.00"] for name in ("acme-one.com", "acme-two.com")]
    assert done.stderr.strip().endswith("ScrapingBee credits used: 0 ($0.00)")


def test_a_cost_report_for_scripts_is_one_object_a_line(run: Run, job: str) -> None:
    rows = [json.loads(line) for line in run("job", "cost-report", job, "--json").stdout.splitlines()]

    assert [row["domain"] for row in rows] == ["acme-one.com", "acme-two.com"]
    assert rows[0]["estimated_cost_usd"] == 0.0


def test_without_a_key_the_ledger_is_shown_and_the_account_is_not_known(run: Run, job: str) -> None:
    words = run("system", "credits").stdout
    told = json.loads(run("system", "credits", "--json").stdout)

    assert "Ledger: 0 credits used by all jobs ($0.00)" in words
    assert "Account: not known. There is no SCRAPINGBEE_API_KEY." in words
    assert told["ledger"] == {"used": 0, "reserved": 0}
    assert (told["account"], told["unsettled"]) == (None, [])


def test_settling_needs_a_call_that_is_there_and_what_it_has_cost(run: Run, job: str) -> None:
    half = run("system", "credits", "--settle", "1.1")
    unknown = run("system", "credits", "--settle", "1.1", "--credits", "0")

    assert (half.returncode, unknown.returncode) == (2, 5)
    assert "--settle CALL and --credits N go together." in half.stderr
    assert "There is no unsettled call '1.1'. Those there are: prospector system credits" in unknown.stderr


def a_job_that_ended(engine: Engine) -> None:
    """Of forty domains, for 200 credits."""
    listed = [ListedDomain(f"d{number}.example", number) for number in range(40)]
    with engine.begin() as connection:
        spec = JobSpec(mode=Mode.HYBRID).stored()
        job = jobs.create(connection, NewJob("past", spec, 10_000, [Keyword("crm")], listed)).job
        for state in (JobState.RUNNING, JobState.COMPLETED):
            jobs.move(connection, job, state, "for the test")
        spend.reserve(connection, [Reservation("1.1", job, 0, 1, Method.JS, 200)])
        spend.settle(connection, {"1.1": 200})


@pytest.mark.parametrize(
    "words",
    [("check", "list.csv"), ("job", "run", "--domains", "list.csv", "--keywords", "keywords.txt", "--dry-run")],
)
def test_an_estimate_that_starts_nothing_knows_earlier_jobs_where_there_is_a_record(
    words: tuple[str, ...], engine: Engine, tmp_path: Path
) -> None:
    a_job_that_ended(engine)
    (tmp_path / "list.csv").write_text("domain\n" + "".join(f"n{number}.com\n" for number in range(100)))
    (tmp_path / "keywords.txt").write_text("crm\n")

    def told(**environment: str) -> str:
        command = [sys.executable, "-P", "-m", "cli", *words]
        given = os.environ | {"PROSPECTOR_HOME": str(tmp_path / "home"), "PYTHONPATH": str(CLONE)} | environment
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=given, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    learned = told(DATABASE_URL=engine.url.render_as_string(hide_password=False))
    guessed, away = told(), told(DATABASE_URL="postgresql://nobody@127.0.0.1:1/none")

    assert "(250-1,000 ScrapingBee credits) based on hybrid mode and historical data (1 earlier job)" in learned
    assert "based on hybrid mode and typical lists (no history yet)" in guessed
    assert "(no history yet)" in away
    assert not (tmp_path / "home").exists()
