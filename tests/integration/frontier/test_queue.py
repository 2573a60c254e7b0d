"""What waits and what was given up, and how it is tried once more."""

import json
import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from sqlalchemy import Engine

from prospector.core.job.states import JobState
from prospector.core.visits.outcomes import DomainState, PageOutcome
from prospector.core.web.urls import fingerprint
from prospector.errors import Conflict, NotFound
from prospector.extensions.closer import _bury
from prospector.frontier import calls, rebuild_calls
from prospector.jobs.queue import Requeued, queue_status, requeue
from prospector.jobs.rebuild import rebuild_if_lost
from prospector.store import domains, jobs, pages
from prospector.store.domains import Finished
from prospector.store.pages import PageRow

from .conftest import Hand

URL = "https://a.example/"


@pytest.fixture
def poisoned(frontier: Hand, engine: Engine, job: str) -> str:
    """A job with one dead letter, which the record has."""
    rebuild_if_lost(engine, frontier)
    frontier.claim(n=0)
    frontier.redis.hset(f"prospector:state:{job}:a.example", URL, "no JSON")
    frontier.advance(5_000)
    for ticket in frontier.claim().tickets:
        frontier.finish(ticket)
    letters = frontier.run(rebuild_calls.buried())
    _bury(engine, job, letters)
    frontier.run(rebuild_calls.recorded(letters))
    return job


def letter(frontier: Hand, engine: Engine) -> str:
    return str(queue_status(engine, frontier).letters[0].id)


def test_a_dead_letter_ends_in_the_record_with_its_reason(frontier: Hand, engine: Engine, poisoned: str) -> None:
    found = queue_status(engine, frontier)

    assert [(one.url, one.reason, one.attempts) for one in found.letters] == [(URL, "unreadable state", 0)]
    assert found.letter_count == 1
    assert found.jobs[0].dead_letters == 1
    with engine.connect() as connection:
        row = pages.outcome(connection, poisoned, fingerprint(URL))
    assert row
    assert (row.outcome, row.detail) == (PageOutcome.DEAD, "unreadable state")


def test_depths_tell_of_leases_and_of_the_oldest(frontier: Hand, engine: Engine, job: str) -> None:
    rebuild_if_lost(engine, frontier)
    frontier.claim(n=0)
    frontier.advance(5_000)
    frontier.claim()
    frontier.advance(7_000)

    found = queue_status(engine, frontier).depths

    assert (found.leases, found.workers, found.suspects) == (3, 1, 0)
    assert found.oldest_lease_ms >= 7_000


def test_a_letter_is_queued_again_once_and_its_page_then_has_its_row(
    frontier: Hand, engine: Engine, poisoned: str, page: Callable[..., PageRow]
) -> None:
    number = letter(frontier, engine)

    assert requeue(engine, frontier, number) == Requeued(poisoned, "a.example", 1, whole_domain=False)
    with pytest.raises(Conflict, match="queued again before"):
        requeue(engine, frontier, number)

    assert frontier.one().url == URL
    pages.write(engine, poisoned, [page(fingerprint(URL), url=URL)])
    with engine.connect() as connection:
        row = pages.outcome(connection, poisoned, fingerprint(URL))
    assert row
    assert row.outcome is PageOutcome.READ


def test_a_letter_of_a_finished_domain_opens_a_new_generation_of_it(
    frontier: Hand, engine: Engine, poisoned: str
) -> None:
    for one in frontier.run(calls.ended()):
        with engine.begin() as connection:
            domains.finish(connection, poisoned, [Finished(one.number, one.generation, DomainState.FAILED)])
        frontier.run(calls.close(one, failed=True))
    with engine.begin() as connection:
        jobs.move(connection, poisoned, JobState.COMPLETED, "done")

    made = requeue(engine, frontier, letter(frontier, engine))

    assert made.whole_domain
    frontier.claim(n=0)
    ticket = frontier.one()
    assert (ticket.url, ticket.generation) == (URL, 2)
    with engine.connect() as connection:
        assert jobs.job(connection, poisoned).state is JobState.RUNNING


def test_a_domain_is_queued_again_with_all_its_letters(frontier: Hand, engine: Engine, poisoned: str) -> None:
    assert requeue(engine, frontier, "A.example").pages == 1
    assert queue_status(engine, frontier).letters == []


def test_what_cannot_be_queued_again_is_told_with_what_to_do(frontier: Hand, engine: Engine, poisoned: str) -> None:
    with engine.begin() as connection:
        domains.open_(connection, poisoned, [1])
    with pytest.raises(NotFound, match="no dead letter 999"):
        requeue(engine, frontier, "999")
    with pytest.raises(NotFound, match="9999999999999999999 is not listed by any job"):
        requeue(engine, frontier, "9999999999999999999")
    with pytest.raises(NotFound, match=r"other\.example is not listed by any job"):
        requeue(engine, frontier, "other.example")
    with pytest.raises(Conflict, match=r"b\.example is being crawled"):
        requeue(engine, frontier, "b.example")


def test_a_domain_of_several_jobs_wants_to_know_which(
    frontier: Hand, engine: Engine, poisoned: str, new_job: Callable[..., jobs.NewJob]
) -> None:
    with engine.begin() as connection:
        jobs.create(connection, new_job())

    with pytest.raises(Conflict, match="--job"):
        requeue(engine, frontier, "a.example")
    assert requeue(engine, frontier, "a.example", poisoned).job == poisoned


def test_the_commands_show_letters_and_queue_them_again(frontier: Hand, engine: Engine, poisoned: str) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        url = engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        given = {"DATABASE_URL": url, "REDIS_URL": frontier._url, "SCRAPYD_URLS": "http://127.0.0.1:9"}
        command = [sys.executable, "-P", "-m", "cli", "system", *words]
        return subprocess.run(command, env=os.environ | given, capture_output=True, text=True, timeout=60)

    shown = run("queue-status")
    told = json.loads(run("queue-status", "--json").stdout)
    again = run("requeue", str(told["letters"][0]["id"]))

    assert "unreadable state" in shown.stdout
    assert all(f"{head}: " in shown.stderr for head in ("leases", "suspects", "later", "ending", "overdue", "in line"))
    assert told["jobs"][0]["pages_recently"]["in_1_minute"] == 2
    assert f"prospector system requeue {told['letters'][0]['id']}" in shown.stderr
    assert (told["letter_count"], told["jobs"][0]["job"]) == (1, poisoned)
    assert f"a.example of job {poisoned} has 1 page queued again." in again.stderr
    assert again.returncode == 0
