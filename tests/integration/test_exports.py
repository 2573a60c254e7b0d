"""Runs of exports: one runner each, retried once, and never finished by one that was given up on."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier

from sqlalchemy import Engine, text

from prospector.store import exports
from prospector.store.exports import Export
from prospector.store.kinds import ExportState

FILES = [{"name": "results.csv", "rows": 7, "bytes": 900}]
TOMORROW = datetime.now(UTC) + timedelta(days=1)


def ask(engine: Engine, job: str) -> str:
    with engine.begin() as connection:
        return exports.ask(connection, job, ["csv", "json"], {"only": "results"})


def claim(engine: Engine, silent_seconds: int = 60) -> Export | None:
    with engine.begin() as connection:
        return exports.claim(connection, silent_seconds)


def fall_silent(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(text("UPDATE exports SET beat_at = now() - interval '2 minutes'"))


def change(engine: Engine, how: Callable[..., bool], *facts: object) -> bool:
    with engine.begin() as connection:
        return how(connection, *facts)


def test_an_export_is_asked_for_claimed_and_ready(engine: Engine, job: str) -> None:
    asked = ask(engine, job)

    mine = claim(engine)
    assert mine
    beat = change(engine, exports.beat, mine, 5, 7)
    ready = change(engine, exports.ready, mine, FILES, TOMORROW)

    assert (mine.id, mine.formats, mine.options, mine.attempts) == (asked, ["csv", "json"], {"only": "results"}, 1)
    assert (beat, ready) == (True, True)
    with engine.connect() as connection:
        (kept,) = exports.of_job(connection, job)
    assert (kept.state, kept.files, kept.rows_done, kept.rows_total) == (ExportState.READY, FILES, 5, 7)


def test_eight_runners_claim_two_exports_once_each(engine: Engine, job: str) -> None:
    asked = {ask(engine, job), ask(engine, job)}
    together = Barrier(8)

    def run(_: int) -> Export | None:
        with engine.begin() as connection:
            together.wait()
            return exports.claim(connection, silent_seconds=60)

    with ThreadPoolExecutor(8) as pool:
        claimed = [one.id for one in pool.map(run, range(8)) if one]

    assert sorted(claimed) == sorted(asked)


def test_a_silent_runner_is_replaced_and_what_it_says_later_changes_nothing(engine: Engine, job: str) -> None:
    ask(engine, job)
    first = claim(engine)
    assert claim(engine) is None
    fall_silent(engine)

    second = claim(engine)

    assert first
    assert second
    assert second.attempts == 2
    assert not change(engine, exports.beat, first, 1, 1)
    assert not change(engine, exports.ready, first, FILES, TOMORROW)
    assert not change(engine, exports.fail, first, "too late")
    assert change(engine, exports.ready, second, FILES, TOMORROW)


def test_an_export_whose_second_runner_falls_silent_has_failed(engine: Engine, job: str) -> None:
    asked = ask(engine, job)
    for _ in range(2):
        assert claim(engine)
        fall_silent(engine)

    assert claim(engine) is None
    with engine.begin() as connection:
        assert exports.give_up(connection, silent_seconds=60) == {asked}
        assert exports.of_job(connection, job)[0].reason == "its runner ended without a word, twice"


def test_an_export_that_fails_says_why(engine: Engine, job: str) -> None:
    ask(engine, job)
    mine = claim(engine)
    assert mine

    assert change(engine, exports.fail, mine, "the disk is full")

    with engine.connect() as connection:
        (kept,) = exports.of_job(connection, job)
    assert (kept.state, kept.reason) == (ExportState.FAILED, "the disk is full")


def test_files_expire_once(engine: Engine, job: str) -> None:
    ask(engine, job)
    mine = claim(engine)
    assert mine
    change(engine, exports.ready, mine, FILES, datetime.now(UTC) - timedelta(seconds=1))

    with engine.begin() as connection:
        assert [one.files for one in exports.expire(connection)] == [FILES]
        assert not exports.expire(connection)
