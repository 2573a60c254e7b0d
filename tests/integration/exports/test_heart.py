"""The beat of an export: how far it is, and whether it is still wanted."""

import time

import pytest
from sqlalchemy import Engine, text

from prospector.jobs.exports.heart import Heart, NotOurs
from prospector.store import exports

from .conftest import CSV_ONLY, ask, state

SECONDS = 60


def until(engine: Engine, export: exports.Export, rows_done: int) -> None:
    deadline = time.monotonic() + SECONDS
    while state(engine, export).rows_done != rows_done:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def check_for_long(heart: Heart) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        heart.check()


def test_rows_are_said_while_the_work_goes_on(engine: Engine, job: str) -> None:
    claimed = ask(engine, job, CSV_ONLY)

    with Heart(engine, claimed, beat_seconds=0.01) as heart:
        heart.rows_done, heart.rows_total = 7, 20
        until(engine, claimed, 7)
        heart.rows_done = 9
        until(engine, claimed, 9)

    assert state(engine, claimed).rows_total == 20


def test_an_export_that_another_has_taken_is_noticed(engine: Engine, job: str) -> None:
    claimed = ask(engine, job, CSV_ONLY)

    with Heart(engine, claimed, beat_seconds=0.01) as heart:
        heart.check()
        with engine.begin() as connection:
            connection.execute(text("UPDATE exports SET attempts = attempts + 1"))
        with pytest.raises(NotOurs, match="no longer this process's"):
            check_for_long(heart)


def test_an_export_that_is_not_ours_does_not_begin(engine: Engine, job: str) -> None:
    claimed = ask(engine, job, CSV_ONLY)
    with engine.begin() as connection:
        exports.fail(connection, claimed, "given up")

    with pytest.raises(NotOurs), Heart(engine, claimed):
        pass


def test_a_server_that_is_away_for_a_moment_stops_no_heart(engine: Engine, job: str) -> None:
    claimed = ask(engine, job, CSV_ONLY)
    ours = text(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"
    )

    with Heart(engine, claimed, beat_seconds=0.01) as heart:
        heart.rows_done = 1
        until(engine, claimed, 1)
        with engine.begin() as connection:
            connection.execute(ours)
        heart.rows_done = 2
        until(engine, claimed, 2)
        heart.check()
