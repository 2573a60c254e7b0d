"""Jobs: made once, moved by one of many."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import product
from threading import Barrier

import pytest
from sqlalchemy import Connection, Engine, text, update

from prospector.core.job.states import JobState, may_move
from prospector.errors import NotFound
from prospector.store import domains, events, jobs, partitions, tables
from prospector.store.jobs import IllegalMove, InputIssue, Keyword, ListedDomain, NewJob
from prospector.store.kinds import EventKind, IssueKind

New = Callable[..., NewJob]
NASTY = "Robert'); DROP TABLE jobs;-- %s %(x)s :job \\ \\N {} \t\n \" 日本 👍"


def rows(connection: Connection, query: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in connection.execute(text(query))]


def test_a_job_is_made_whole(engine: Engine, new_job: New) -> None:
    new = new_job(
        input_rows=5,
        input_columns=["Domain", "DR"],
        domains=[ListedDomain("a.example", 2, {"DR": "71"}), ListedDomain("b.example", 4)],
        issues=[InputIssue(3, IssueKind.DUPLICATE, "www.a.example", "the same site as row 2")],
    )

    with engine.begin() as connection:
        made = jobs.create(connection, new)

    with engine.connect() as connection:
        job = jobs.job(connection, made.job)
        assert (job.name, job.state, job.max_credits, job.spec) == ("Acme Q1", "pending", 10_000, {"mode": "hybrid"})
        assert (job.domains_total, job.input_rows, job.input_columns) == (2, 5, ["Domain", "DR"])
        assert jobs.keywords(connection, made.job) == new.keywords
        assert [(seed.number, seed.domain) for seed in domains.unfinished(connection, made.job)] == [
            (0, "a.example"),
            (1, "b.example"),
        ]
        assert rows(connection, "SELECT input_row, cells FROM domains ORDER BY number") == [
            (2, {"DR": "71"}),
            (4, None),
        ]
        assert rows(connection, "SELECT row, kind FROM input_issues") == [(3, "duplicate")]
        assert rows(connection, f"SELECT count(*) FROM {partitions.pages_of(made.job)}") == [(0,)]


def test_a_job_that_cannot_be_made_whole_leaves_nothing(engine: Engine, new_job: New) -> None:
    twice = [ListedDomain("a.example", 2), ListedDomain("a.example", 3)]

    with pytest.raises(Exception, match="domains_job_domain_key"), engine.begin() as connection:
        jobs.create(connection, new_job(domains=twice))

    with engine.connect() as connection:
        assert rows(connection, "SELECT count(*) FROM jobs") == [(0,)]


def test_hostile_text_is_stored_verbatim(engine: Engine, new_job: New) -> None:
    new = new_job(
        name=NASTY,
        spec={NASTY: [NASTY]},
        keywords=[Keyword(NASTY, NASTY)],
        input_columns=[NASTY],
        domains=[ListedDomain(NASTY, 1, {NASTY: NASTY})],
        issues=[InputIssue(2, IssueKind.UNUSABLE, NASTY, NASTY)],
        submission_key=NASTY,
    )

    with engine.begin() as connection:
        job = jobs.create(connection, new).job
        jobs.move(connection, job, JobState.RUNNING, NASTY)

    with engine.connect() as connection:
        stored = jobs.job(connection, job)
        assert (stored.name, stored.reason, stored.spec, stored.input_columns) == (
            NASTY,
            NASTY,
            {NASTY: [NASTY]},
            [NASTY],
        )
        assert jobs.keywords(connection, job) == [Keyword(NASTY, NASTY)]
        assert rows(connection, "SELECT domain, cells FROM domains") == [(NASTY, {NASTY: NASTY})]
        assert rows(connection, "SELECT value, reason FROM input_issues") == [(NASTY, NASTY)]


def test_what_postgres_cannot_hold_is_replaced_not_refused(engine: Engine, new_job: New) -> None:
    with engine.begin() as connection:
        job = jobs.create(connection, new_job(name="a\0b", domains=[ListedDomain("x\ud800y", 1, {"k": "v\0"})])).job

    with engine.connect() as connection:
        assert jobs.job(connection, job).name == "a\ufffdb"
        assert rows(connection, "SELECT domain, cells FROM domains") == [("x\ufffdy", {"k": "v\ufffd"})]


def test_the_same_submission_twice_is_one_job(engine: Engine, new_job: New) -> None:
    with engine.begin() as connection:
        first = jobs.create(connection, new_job(submission_key="once"))
    with engine.begin() as connection:
        second = jobs.create(connection, new_job(submission_key="once"))

    assert second == jobs.Created(first.job, was_there=True)


def test_eight_submissions_at_once_are_one_job(engine: Engine, new_job: New) -> None:
    together = Barrier(8)

    def submit(_: int) -> jobs.Created:
        with engine.begin() as connection:
            together.wait()
            return jobs.create(connection, new_job(submission_key="once"))

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(submit, range(8)))

    assert len({one.job for one in made}) == 1
    assert [one.was_there for one in made].count(False) == 1
    with engine.connect() as connection:
        assert rows(connection, "SELECT count(*) FROM domains") == [(3,)]


def test_jobs_without_a_key_are_different_jobs(engine: Engine, new_job: New) -> None:
    with engine.begin() as connection:
        made = {jobs.create(connection, new_job()).job for _ in range(3)}

    assert len(made) == 3
    assert all(re.fullmatch("[a-z][a-z0-9]{5}", one) for one in made)


def test_an_id_that_is_taken_is_drawn_again(engine: Engine, new_job: New, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter(["aaaaaa", "aaaaaa", "bbbbbb"])
    monkeypatch.setattr(jobs, "new_id", lambda: next(drawn))

    with engine.begin() as connection:
        made = [jobs.create(connection, new_job()).job for _ in range(2)]

    assert made == ["aaaaaa", "bbbbbb"]


def test_the_database_lets_through_the_moves_of_the_table_and_no_other(engine: Engine, new_job: New) -> None:
    let_through = set()

    with engine.connect() as connection:
        job = jobs.create(connection, new_job()).job
        for state, to in product(JobState, JobState):
            connection.execute(update(tables.jobs).where(tables.jobs.c.id == job).values(state=state))
            with suppress(IllegalMove):
                assert jobs.move(connection, job, to, "because") is state
                let_through.add((state, to))
            assert jobs.job(connection, job).state is (to if (state, to) in let_through else state)

    assert let_through == {pair for pair in product(JobState, JobState) if may_move(*pair)}


def test_eight_who_move_a_job_at_once_are_one_who_moves_it(engine: Engine, job: str) -> None:
    together = Barrier(8)

    def pause(_: int) -> bool:
        with engine.begin() as connection:
            together.wait()
            try:
                jobs.move(connection, job, JobState.PAUSING, "asked by operator")
            except IllegalMove:
                return False
            return True

    with ThreadPoolExecutor(8) as pool:
        moved = list(pool.map(pause, range(8)))

    assert moved.count(True) == 1
    with engine.connect() as connection:
        assert [event.to_state for event in events.of_job(connection, job)] == ["pausing", "running"]


def test_of_a_pause_and_a_cancel_at_once_the_history_tells_one_story(engine: Engine, job: str) -> None:
    together = Barrier(8)

    def move(turn: int) -> None:
        with engine.begin() as connection:
            together.wait()
            with suppress(IllegalMove):
                jobs.move(connection, job, JobState.PAUSING if turn % 2 else JobState.CANCELLED, f"by {turn}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(move, range(8)))

    with engine.connect() as connection:
        story = events.of_job(connection, job)[::-1]
        assert story[-1].to_state == "cancelled" == jobs.job(connection, job).state
        assert [event.from_state for event in story[1:]] == [event.to_state for event in story[:-1]]


def test_a_move_records_why(engine: Engine, job: str) -> None:
    with engine.begin() as connection:
        jobs.move(connection, job, JobState.PAUSING, "budget limit reached")

    with engine.connect() as connection:
        event = events.of_job(connection, job)[0]
        assert (event.kind, event.from_state, event.to_state) == (EventKind.MOVED, "running", "pausing")
        assert event.reason == jobs.job(connection, job).reason == "budget limit reached"


def test_an_illegal_move_names_the_job_its_state_and_the_ways_out(engine: Engine, job: str) -> None:
    words = f"Job {job} is running: it cannot become archived. From running it can become: pausing, paused, completed"

    with engine.connect() as connection, pytest.raises(IllegalMove, match=re.escape(words)):
        jobs.move(connection, job, JobState.ARCHIVED, "too soon")


def test_a_move_that_is_rolled_back_never_happened(engine: Engine, job: str) -> None:
    with engine.connect() as connection:
        jobs.move(connection, job, JobState.CANCELLED, "by mistake")
        connection.rollback()

        assert jobs.job(connection, job).state is JobState.RUNNING
        assert len(events.of_job(connection, job)) == 1


def test_the_clock_of_retention_runs_from_the_last_move_out_of_running(engine: Engine, job: str) -> None:
    def left() -> object:
        with engine.connect() as connection:
            return jobs.job(connection, job).left_running_at

    def move(to: JobState) -> None:
        with engine.begin() as connection:
            jobs.move(connection, job, to, "test")

    assert left() is None
    move(JobState.PAUSING)
    first = left()
    move(JobState.PAUSED)
    assert first is not None
    assert left() == first
    move(JobState.RUNNING)
    assert left() is None


def test_to_move_a_job_that_is_not_there_says_so(engine: Engine) -> None:
    with engine.connect() as connection, pytest.raises(NotFound, match="There is no job 'nobody'"):
        jobs.move(connection, "nobody", JobState.RUNNING, "test")


def test_jobs_are_listed_newest_first_by_state(engine: Engine, new_job: New, job: str) -> None:
    with engine.begin() as connection:
        later = jobs.create(connection, new_job()).job

    with engine.connect() as connection:
        assert [one.id for one in jobs.listed(connection, frozenset(JobState))] == [later, job]
        assert [one.id for one in jobs.listed(connection, frozenset({JobState.RUNNING}))] == [job]


def test_a_higher_cap_is_kept_with_the_job(engine: Engine, job: str) -> None:
    with engine.begin() as connection:
        jobs.allow(connection, job, 20_000)

        assert jobs.job(connection, job).max_credits == 20_000
        with pytest.raises(NotFound):
            jobs.allow(connection, "nobody", 1)


def test_a_removed_job_leaves_nothing_but_its_ledger(engine: Engine, job: str) -> None:
    with engine.begin() as connection:
        connection.execute(
            text(f"INSERT INTO spend VALUES (1, now(), 0, 'direct', 5, 0, '1.1', 'reserved', '{job}')"),
        )
        jobs.remove(connection, job)

    with engine.connect() as connection:
        left = {
            table: rows(connection, f"SELECT count(*) FROM {table}")[0][0]
            for table in ("jobs", "keywords", "domains", "events", "pages", "mentions", "spend")
        }
        assert left == dict.fromkeys(left, 0) | {"spend": 1}
        assert rows(connection, f"SELECT to_regclass('pages_{job}')") == [(None,)]
