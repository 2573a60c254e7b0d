"""Which job a user means: by its id, the beginning of that, or the name they gave it."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, insert

from prospector.core.job.states import JobState
from prospector.errors import NotFound
from prospector.store import job_names, tables

FIRST_MADE = datetime(2026, 11, 18, 12, tzinfo=UTC)
JOBS = (
    ("abc234", "Acme Q1", JobState.COMPLETED),
    ("abd567", "Acme Q2", JobState.RUNNING),
    ("xyz789", "Straßenbau 50%", JobState.PAUSED),
    ("twaaaa", "Twice", JobState.COMPLETED),
    ("twbbbb", "twice ", JobState.RUNNING),
    ("ldaaaa", "Long ago", JobState.ARCHIVED),
    ("ldbbbb", "Again", JobState.ARCHIVED),
    ("ldcccc", "Again", JobState.PENDING),
    ("nmaaaa", "xyz", JobState.RUNNING),
    ("nmbbbb", "ab", JobState.RUNNING),
)


@pytest.fixture
def listed(engine: Engine) -> Engine:
    """A record with these jobs, the last one the newest."""
    rows = [
        {"id": job, "name": name, "state": state, "reason": "", "spec": {}, "max_credits": 0, "domains_total": 0,
         "input_rows": 0, "input_columns": [], "created_at": FIRST_MADE + timedelta(days=day)}
        for day, (job, name, state) in enumerate(JOBS)
    ]  # fmt: skip
    with engine.begin() as connection:
        connection.execute(insert(tables.jobs), rows)
    return engine


def found(engine: Engine, given: str) -> str:
    with engine.connect() as connection:
        return job_names.find(connection, given)


@pytest.mark.parametrize("given", ["xyz789", "xyz7", "x", " XYZ7 "])
def test_a_job_is_found_by_the_beginning_of_its_id(listed: Engine, given: str) -> None:
    assert found(listed, given) == "xyz789"


@pytest.mark.parametrize("given", ["Acme Q1", "acme q1", " ACME Q1 "])
def test_a_job_is_found_by_its_name_in_any_case(listed: Engine, given: str) -> None:
    assert found(listed, given) == "abc234"


def test_a_name_is_taken_as_it_is(listed: Engine) -> None:
    assert found(listed, "straßenbau 50%") == "xyz789"


def test_an_id_wins_over_a_name(listed: Engine) -> None:
    assert found(listed, "xyz") == "xyz789"


def test_a_name_wins_over_a_beginning_that_several_ids_share(listed: Engine) -> None:
    assert found(listed, "ab") == "nmbbbb"


def test_an_archived_job_gives_its_name_to_the_next_one(listed: Engine) -> None:
    assert found(listed, "again") == "ldcccc"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("ld", "'ld' begins the id of several jobs: ldaaaa, ldbbbb, ldcccc. Give one more letter."),
        ("xyz788", "There is no job 'xyz788'. Did you mean xyz789?"),
        ("acme", "There is no job 'acme'. Did you mean abd567 (named 'Acme Q2') or abc234 (named 'Acme Q1')?"),
        ("long ago", "There is no job 'long ago'. Did you mean ldaaaa (named 'Long ago')?"),
        ("qqqqqq", "There is no job 'qqqqqq'. prospector job list shows all."),
        ("", "There is no job ''. prospector job list shows all."),
        ("%", "There is no job '%'. prospector job list shows all."),
        ("_bc", "There is no job '_bc'."),
        ("a\0", "There is no job"),
    ],
)
def test_what_names_no_job_is_answered_with_the_near_ones(listed: Engine, given: str, words: str) -> None:
    with pytest.raises(NotFound, match=re.escape(words)):
        found(listed, given)


def test_a_name_of_several_jobs_is_answered_with_their_ids_the_newest_first(listed: Engine) -> None:
    with pytest.raises(NotFound) as refused:
        found(listed, "Twice")

    assert re.fullmatch(
        r"'Twice' is the name of several jobs: twbbbb \(running, made 2026-11-\d\d \d\d:\d\d\), "
        r"twaaaa \(completed, made 2026-11-\d\d \d\d:\d\d\)\. Name one by its id\.",
        str(refused.value),
    )
