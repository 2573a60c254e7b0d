"""`prospector job` as a user types it: processes, files, words and exit codes. The crawl itself is in tests/e2e."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click
import pytest
from sqlalchemy import text

from cli.job import COMMANDS, job
from prospector.demo.scrapingbee.server import SimulatorConfig
from prospector.demo.scrapingbee.server import start as simulator
from prospector.local import attach
from prospector.local.home import Home
from prospector.store import server

CLONE = Path(__file__).parents[2]
DOMAINS = "domain,DR\nacme-one.com,5\nwww.acme-one.com,5\nacme-two.com,7\ninfo@acme.de,1\nacme-three.com,\n"
# not the steward, which may wait for the same row
END_THOSE_WHO_WAIT = (
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
    " WHERE wait_event_type = 'Lock' AND application_name = 'prospector'"
)
Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One stack for this file."""
    folder = tmp_path_factory.mktemp("home")
    yield folder
    attach.stop(Home(folder))


@pytest.fixture
def run(home: Path, tmp_path: Path) -> Run:
    """Runs `prospector WORDS` in a folder with the user's files."""
    (tmp_path / "domains.csv").write_text(DOMAINS)
    (tmp_path / "keywords.txt").write_text("Acme CRM\nERP\n")
    environment = {**os.environ, "PROSPECTOR_HOME": str(home), "LOCAL_IDLE_SECONDS": "60", "PYTHONPATH": str(CLONE)}
    environment.pop("SCRAPINGBEE_API_KEY", None)

    def prospector(*words: str, typed: str = "", **more: str) -> Done:
        command = [sys.executable, "-P", "-m", "cli", *words]
        return subprocess.run(
            command,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env=environment | more,
            timeout=120,
            input=typed,
        )

    return prospector


def made(run: Run, name: str, *words: str) -> str:
    done = run(
        "job",
        "run",
        "--name",
        name,
        "--domains",
        "domains.csv",
        "--keywords",
        "keywords.txt",
        "--no-auto-start",
        *words,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_run_says_what_it_made_of_the_lists_and_what_comes_next(run: Run) -> None:
    done = run("job", "run", "--name", " ", "--domains", "domains.csv", "--keywords", "keywords.txt", "--no-auto-start")

    job = done.stdout.strip()
    assert done.returncode == 0
    assert "Loaded 2 keywords from keywords.txt" in done.stderr
    assert "Removed 1 duplicate, processing 3 unique domains" in done.stderr
    assert 'Row 5: "info@acme.de" is an e-mail address. Skipped.' in done.stderr
    assert [line for line in done.stderr.splitlines() if "ScrapingBee credits" in line and "stimated" in line] == [
        "Estimated cost: $0.01-$0.18 (1-18 ScrapingBee credits) based on hybrid mode and typical lists (no history yet)."
    ]
    assert f"Job {job} (domains) is made and not started." in done.stderr
    assert f"Next: prospector job start {job}" in done.stderr


def test_a_run_keeps_what_the_score_will_heed_and_another_wish_is_another_job(run: Run) -> None:
    lists = ("--domains", "domains.csv", "--keywords", "keywords.txt", "--no-auto-start", "--json")
    wishes = (), ("--metric-column", "dr"), ("--language", "en,German")

    found = [json.loads(run("job", "run", "--name", "Scored", *lists, *words).stdout) for words in wishes]

    assert [one["metric_column"] for one in found] == [None, "DR", None]
    assert [one["languages"] for one in found] == [[], [], ["en", "de"]]
    assert len({one["id"] for one in found}) == 3


def test_the_client_is_the_same_however_the_domain_is_written(run: Run) -> None:
    written = made(run, "client", "--client-domain", "https://www.Acme.com/", "--competitor-domain", "www.rival.com")

    assert made(run, "client", "--client-domain", "acme.com", "--competitor-domain", "rival.com") == written
    assert made(run, "client", "--client-domain", "acme.com") != written


def test_the_same_command_again_is_the_same_job(run: Run) -> None:
    first = made(run, "twice")

    again = run(
        "job",
        "run",
        "--name",
        "twice",
        "--domains",
        "domains.csv",
        "--keywords",
        "keywords.txt",
        "--no-auto-start",
        "--json",
    )

    told = json.loads(again.stdout)
    assert (told["id"], told["was_there"], told["state"]) == (first, True, "pending")
    assert (told["domains"], told["keywords"], told["duplicates"], told["rejected"]) == (3, 2, 1, 1)


def test_two_terminals_at_once_are_one_job(run: Run) -> None:
    with ThreadPoolExecutor(3) as pool:
        ids = set(pool.map(lambda _: made(run, "three terminals"), range(3)))

    assert len(ids) == 1


def test_status_and_list_show_a_job_by_the_beginning_of_its_id(run: Run) -> None:
    job = made(run, "Robert'); DROP TABLE jobs;-- [red]")

    status = run("job", "status", job[:5])
    listed = run("job", "list")
    as_json = json.loads(run("job", "status", job, "--json").stdout)

    assert "Progress:      0/3 domains (0%)" in status.stdout
    assert "Status:        Pending" in status.stdout
    assert "Cost so far:   0 ScrapingBee credits used ($0.00) of 10,000" in status.stdout
    assert listed.stderr == f"Look at one: prospector job status {job}\n"
    row = next(line for line in listed.stdout.splitlines() if line.startswith(job))
    assert row.split() == [
        job,
        "Robert');",
        "DROP",
        "TABLE",
        "jobs;--",
        "[red]",
        "Pending",
        "0/3",
        "0",
        "matches",
        "$0.00",
        *row.split()[-2:],
    ]
    assert as_json["domains"] == {"total": 3, "done": 0, "failed": 0, "waiting": 3, "open": 0}
    assert as_json["credits"] == {"used": 0, "reserved": 0, "cap": 10_000}
    assert {
        "id",
        "name",
        "state",
        "reason",
        "pages",
        "mentions",
        "rate_per_hour",
        "eta_seconds",
        "last_activity",
    } < set(as_json)


def test_a_report_without_a_row_says_why(run: Run) -> None:
    job = made(run, "nothing failed")

    errors = run("job", "errors", job, "--csv")
    pages = run("job", "errors", job, "--pages", "--csv")
    browsers = run("job", "cost-report", job, "--js")

    assert len(errors.stdout.splitlines()) == 1
    assert errors.stderr == f"No domain of job {job} has failed so far.\n"
    assert pages.stderr == f"No page of job {job} has failed so far.\n"
    assert browsers.stderr == f"No page of job {job} required JS rendering.\n"


def test_a_dry_run_makes_nothing(run: Run) -> None:
    done = run(
        "job",
        "run",
        "--name",
        "dry",
        "--domains",
        "domains.csv",
        "--keywords",
        "keywords.txt",
        "--dry-run",
        "--sample",
        "2",
    )

    assert done.returncode == 0
    assert "Plan: 2 domains, a sample of " in done.stderr
    assert "Nothing was made (--dry-run). It would be 2 domains, named 'dry'." in done.stderr
    assert "dry" not in run("job", "list").stdout


def test_a_job_is_deleted_when_it_is_meant(run: Run) -> None:
    job = made(run, "short-lived")

    asked = run("job", "delete", job)
    deleted = run("job", "delete", job, "--yes")
    again = run("job", "delete", job, "--yes")

    assert (asked.returncode, deleted.returncode, again.returncode) == (2, 0, 5)
    assert "add --yes" in asked.stderr
    assert f"There is no job {job!r}." in again.stderr


MISTAKES = {
    "no such file": (2, ["--domains", "domain.csv", "--keywords", "keywords.txt"], "There is no file domain.csv. Did you mean domains.csv?"),
    "no keywords": (2, ["--domains", "domains.csv"], "Add the keywords to look for: --keywords FILE"),
    "old Excel": (2, ["--domains", "old.xls", "--keywords", "keywords.txt"], "choose File > Save As > Excel Workbook (.xlsx)"),
    "no column": (2, ["--domains", "people.csv", "--keywords", "keywords.txt"], "I could not find a column with domains in people.csv."),
    "too many keywords": (2, ["--domains", "domains.csv", "--keywords", "many.txt"], "The keyword list has 612 keywords, the limit is 500. Remove 112 or split the job."),
    "nothing left": (2, ["--domains", "mails.csv", "--keywords", "keywords.txt"], "No domain is left to crawl."),
    "unknown mode": (2, ["--domains", "domains.csv", "--keywords", "keywords.txt", "--mode", "fast"], "is not one of"),
    "no such budget": (2, ["--domains", "domains.csv", "--keywords", "keywords.txt", "--max-credits", "9999999999"], "9,999,999,999 is too large: at most 1,000,000,000"),
    "negative budget": (2, ["--domains", "domains.csv", "--keywords", "keywords.txt", "--max-credits", "-5"], "-5 is too small: at least 0"),
    "paid without a key": (4, ["--domains", "domains.csv", "--keywords", "keywords.txt", "--mode", "premium-only"], "there is no SCRAPINGBEE_API_KEY"),
    "no such metric": (2, ["--domains", "domains.csv", "--keywords", "keywords.txt", "--metric-column", "D R"], 'Did you mean --metric-column "DR"?'),
    "no such language": (2, ["--domains", "domains.csv", "--keywords", "keywords.txt", "--language", "en,jp"], "Did you mean ja (Japanese)?"),
    "a name as long as a page": (2, ["--domains", "domains.csv", "--keywords", "keywords.txt", "--name", "N" * 101], "--name has 101 characters, and 100 are allowed."),
    "nothing to follow": (2, ["--domains", "domains.csv", "--keywords", "keywords.txt", "--no-auto-start", "--follow"], "there is nothing to follow"),
    "no such time": (2, ["--domains", "domains.csv", "--keywords", "keywords.txt", "--wait-timeout", "nan"], "'nan' is no number of seconds"),
    "client is no domain": (2, ["--domains", "domains.csv", "--keywords", "keywords.txt", "--client-domain", "me@x.com"], '--client-domain: "me@x.com" is an e-mail address'),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_said_in_a_line_before_anything_is_made(run: Run, tmp_path: Path, mistake: str) -> None:
    code, words, said = MISTAKES[mistake]
    (tmp_path / "old.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    (tmp_path / "people.csv").write_text("Name,Phone\nAnn,1\nBob,2\n")
    (tmp_path / "many.txt").write_text("\n".join(f"keyword {number}" for number in range(612)))
    (tmp_path / "mails.csv").write_text("domain\ninfo@acme.de\n")

    done = run("job", "run", *words, PROSPECTOR_HOME=str(tmp_path / "untouched"))

    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "untouched").exists()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["status", "zzzzzz"], 5, "There is no job 'zzzzzz'."),
        (["stauts", "x"], 2, "Did you mean status?"),
        (["pause"], 2, "Missing argument 'JOB'"),
    ],
)
def test_a_wrong_job_or_command_is_answered_with_the_right_one(
    run: Run, words: list[str], code: int, said: str
) -> None:
    done = run("job", *words)

    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr


def test_a_job_goes_by_its_name_wherever_its_id_goes(run: Run) -> None:
    job = made(run, "Spring list")

    status, cancelled = run("job", "status", "spring LIST", "--json"), run("job", "cancel", "Spring list", "--json")

    assert json.loads(status.stdout)["id"] == job
    assert json.loads(cancelled.stdout)["state"] == "cancelled"


def test_a_name_of_two_jobs_is_answered_with_both_ids(run: Run) -> None:
    first = made(run, "Two of a kind")
    run("job", "cancel", first)
    second = made(run, "Two of a kind")

    done = run("job", "status", "Two of a kind")

    assert (done.returncode, done.stdout) == (5, "")
    assert f"several jobs: {second} (pending, made " in done.stderr
    assert f"{first} (cancelled, made " in done.stderr


def test_a_postgres_that_ends_the_work_of_a_command_is_told_as_that(run: Run, home: Path) -> None:
    job = made(run, "broken off")
    state = attach.running(Home(home))
    assert state
    administrator = server.engine(state.servers["postgres"].url, connections=2)

    with administrator.begin() as holding, administrator.connect() as looking, ThreadPoolExecutor(1) as pool:
        holding.execute(text("SELECT FROM jobs WHERE id = :job FOR UPDATE"), {"job": job})
        cancelling = pool.submit(run, "job", "cancel", job)
        while not cancelling.done() and not looking.scalar(text(END_THOSE_WHO_WAIT)):
            looking.rollback()
            time.sleep(0.05)
    done = cancelling.result()
    administrator.dispose()

    assert (done.returncode, done.stdout) == (7, "")
    assert done.stderr.startswith("Postgres ended the work: ")
    assert "SELECT" not in done.stderr


def test_what_a_state_does_not_allow_names_the_command_that_is_meant(run: Run) -> None:
    job = made(run, "not begun")

    done = run("job", "pause", job)

    assert done.returncode == 5
    assert f"Job {job} is pending: there is nothing to pause. Start it: prospector job start {job}" in done.stderr


def test_there_is_nothing_to_watch_in_a_job_that_is_not_started(run: Run) -> None:
    job = made(run, "unwatched")

    done = run("job", "watch", job)

    assert done.returncode == 5
    assert (
        f"Job {job} is not started: there is nothing to watch yet. Start it: prospector job start {job}" in done.stderr
    )


def test_a_list_from_standard_input_and_a_free_job_are_called_what_they_are(run: Run) -> None:
    words = ["--domains", "-", "--keywords", "keywords.txt", "--mode", "free-only", "--no-auto-start"]

    done = run("job", "run", *words, typed=DOMAINS)
    job = done.stdout.strip()

    assert f"Job {job} (standard input) is made and not started." in done.stderr
    assert "10,000" not in done.stderr + run("job", "status", job).stdout


def test_a_server_that_is_away_is_named_and_nothing_is_half_made(run: Run) -> None:
    words = ["job", "run", "--name", "away", "--domains", "domains.csv", "--keywords", "keywords.txt"]
    run("job", "list")  # the stack runs with a Redis of its own, which other tests need

    done = run(*words, REDIS_URL="redis://127.0.0.1:1/0")

    assert done.returncode == 7
    assert "Redis at 127.0.0.1:1/0 does not answer" in done.stderr
    assert "away" not in run("job", "list").stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(name: str) -> None:
    command = job.get_command(click.Context(job), name)

    assert command
    shown = command.get_help(click.Context(command))
    assert f"prospector job {name}" in shown
    assert "--json" in shown


def test_both_names_are_the_same_program() -> None:
    assert (CLONE / "bin" / "backlink-prospector").resolve() == CLONE / "bin" / "prospector"


@pytest.fixture
def bee() -> Iterator[dict[str, str]]:
    """The environment in which ScrapingBee is a simulator that knows one key."""
    with simulator(SimulatorConfig(key="right-key")) as control:
        yield {"SCRAPINGBEE_API_URL": f"http://{control.address}/api/v1/", "SCRAPINGBEE_API_KEY": "right-key"}


def test_a_job_is_not_made_with_a_key_that_is_refused(run: Run, bee: dict[str, str]) -> None:
    words = ("job", "run", "--name", "Misspelt", "--domains", "domains.csv", "--keywords", "keywords.txt")

    done = run(*words, **bee | {"SCRAPINGBEE_API_KEY": "wrong-key"})

    assert done.returncode == 4
    assert (
        "ScrapingBee says the key is not valid (401). Fix SCRAPINGBEE_API_KEY, or use --mode free-only." in done.stderr
    )
    assert "Misspelt" not in run("job", "list", "--json").stdout


def test_a_budget_is_told_once_and_never_as_nothing(run: Run, bee: dict[str, str]) -> None:
    many = "\n".join(f"site-{number}.com" for number in range(5_000))
    limits = ("--mode", "premium-only", "--max-credits", "30", "--dry-run")

    done = run("job", "run", "--domains", "-", "--keywords", "keywords.txt", *limits, typed=many, **bee)

    assert "The budget of 30 credits covers less than 1% of the upper end." in done.stderr
    assert "The default limit" not in done.stderr


def test_the_log_tells_what_happened_to_a_job_in_words(run: Run) -> None:
    job = made(run, "Logged", "--no-auto-start")
    run("job", "cancel", job)

    (line,) = run("job", "logs", job).stdout.splitlines()

    assert line.endswith(" [INFO] pending > cancelled: cancelled")
