"""What a failed statement means, told by real failures; and conflicts that nobody notices."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from prospector.errors import EnvironmentInvalid, ProspectorError, ServerUnreachable
from prospector.store.failures import TRIES, Failure, again, failure, in_our_words

RAISE = "DO $$ BEGIN RAISE EXCEPTION 'for a test' USING ERRCODE = '{}'; END $$"


@pytest.fixture
def two_rows(engine: Engine) -> Engine:
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE pair AS SELECT n AS id, 0 AS value FROM generate_series(1, 2) AS n"))
        connection.execute(text("SET deadlock_timeout = '50ms'"))
    return engine


def values(engine: Engine) -> list[int]:
    with engine.connect() as connection:
        return list(connection.scalars(text("SELECT value FROM pair ORDER BY id")))


def race(work: Callable[[int, Barrier], None]) -> None:
    together = Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, (1, 2), (together, together)))


def test_a_deadlock_is_run_again_and_nobody_notices(two_rows: Engine) -> None:
    failed = []

    def both(first: int, together: Barrier) -> None:
        def transaction() -> None:
            with two_rows.begin() as connection:
                add(connection, first)
                if not together.broken:
                    together.wait()
                try:
                    add(connection, 3 - first)
                except DBAPIError as error:
                    together.abort()
                    failed.append(failure(error))
                    raise

        again(transaction)

    race(both)

    assert failed == [Failure.CONFLICT]
    assert values(two_rows) == [2, 2]


def add(connection: Connection, row: int) -> None:
    connection.execute(text("SET LOCAL deadlock_timeout = '50ms'"))
    connection.execute(text("UPDATE pair SET value = value + 1 WHERE id = :row"), {"row": row})


def test_a_serialization_failure_is_run_again_and_nobody_notices(two_rows: Engine) -> None:
    tries = []

    def count(_: int, together: Barrier) -> None:
        def transaction() -> None:
            with two_rows.connect().execution_options(isolation_level="REPEATABLE READ") as connection:
                value = connection.scalar(text("SELECT value FROM pair WHERE id = 1"))
                tries.append(value)
                if len(tries) <= 2:
                    together.wait()
                connection.execute(text("UPDATE pair SET value = :value WHERE id = 1"), {"value": (value or 0) + 1})
                connection.commit()

        again(transaction)

    race(count)

    assert tries == [0, 0, 1]
    assert values(two_rows)[0] == 2


def test_a_conflict_that_never_ends_is_an_error_after_all(engine: Engine) -> None:
    tries = []

    def lose() -> None:
        tries.append(1)
        with engine.begin() as connection:
            connection.execute(text(RAISE.format("40001")))

    with pytest.raises(DBAPIError, match="for a test"):
        again(lose)

    assert len(tries) == TRIES


def test_what_is_no_conflict_is_not_run_again(engine: Engine) -> None:
    tries = []

    def refuse() -> None:
        tries.append(1)
        with engine.begin() as connection:
            connection.execute(text("SELECT 1 / 0"))

    with pytest.raises(DBAPIError, match="division by zero"):
        again(refuse)

    assert len(tries) == 1


@pytest.mark.parametrize(
    ("statement", "meaning"),
    [
        (RAISE.format("40P01"), Failure.CONFLICT),
        ("SELECT CAST(70000 AS smallint)", Failure.REFUSED),
        ("SELECT CAST('x' AS jsonb)", Failure.REFUSED),
        ("INSERT INTO jobs (id) VALUES ('NOT AN ID')", Failure.REFUSED),
        (RAISE.format("54000"), Failure.REFUSED),
        (RAISE.format("53100"), Failure.AWAY),
        (RAISE.format("57P01"), Failure.AWAY),
        (RAISE.format("25006"), Failure.AWAY),
        ("SELECT pg_terminate_backend(pg_backend_pid())", Failure.AWAY),
        ("SELECT * FROM no_such_table", Failure.MISSING),
        ("SELECT no_such_column FROM jobs", Failure.MISSING),
        (RAISE.format("42501"), Failure.MISSING),
    ],
)
def test_each_failure_says_what_the_caller_can_do(engine: Engine, statement: str, meaning: Failure) -> None:
    with pytest.raises(DBAPIError) as caught, engine.connect() as connection:
        connection.execute(text(statement))

    assert failure(caught.value) is meaning


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        ("57P01", ServerUnreachable, "Postgres ended the work: for a test"),
        ("40001", ServerUnreachable, "Postgres ended the work: for a test"),
        ("42501", EnvironmentInvalid, "Postgres does not do it: for a test"),
        ("23505", ProspectorError, "Postgres refuses a value: for a test"),
    ],
)
def test_a_failure_is_told_without_its_statement(
    engine: Engine, code: str, kind: type[ProspectorError], words: str
) -> None:
    with pytest.raises(kind) as told, in_our_words(), engine.begin() as connection:
        connection.execute(text(RAISE.format(code)))

    assert type(told.value) is kind
    assert told.value.problem.startswith(words)
    assert "ERRCODE" not in str(told.value)


def test_a_process_at_the_limit_of_its_memory_does_not_blame_its_server() -> None:
    with pytest.raises(MemoryError), in_our_words():
        raise DBAPIError("SELECT", {}, Exception("out of memory for query result"))
