"""Connections to Postgres: who waits in vain for one is told what the rest of the program understands."""

import asyncio

import pytest
from sqlalchemy import Connection, Engine, text

from prospector.core.visits.methods import Method
from prospector.errors import ServerUnreachable
from prospector.spiders.ledger import Ledger
from prospector.store import server, spend
from prospector.store.spend import Reservation, Totals


@pytest.fixture
def one_connection(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """As a worker's: all its parts share one. They wait a moment for it instead of 30 s."""
    monkeypatch.setattr(server, "POOL_WAIT_SECONDS", 0.2)
    return server.engine(engine.url.render_as_string(hide_password=False), connections=1)


def test_a_connection_that_does_not_come_free_is_a_server_that_does_not_answer(one_connection: Engine) -> None:
    with one_connection.connect(), pytest.raises(ServerUnreachable, match="1 connections") as caught:
        one_connection.connect()

    assert "doctor" in caught.value.remedy
    with one_connection.connect() as connection:
        assert connection.connection.is_valid
    one_connection.dispose()


def test_who_writes_in_the_background_lives_through_it(one_connection: Engine, job: str) -> None:
    async def reserve_meanwhile() -> None:
        ledger = Ledger(one_connection)
        with one_connection.connect():
            asked = asyncio.ensure_future(ledger.reserve(Reservation("1.1", job, 0, 1, Method.JS, 5)))
            done, _ = await asyncio.wait([asked], timeout=0.6)
            assert not done
        async with asyncio.timeout(60):
            await asked
        await ledger.close()

    asyncio.run(reserve_meanwhile())

    with one_connection.connect() as connection:
        assert spend.job_totals(connection, job) == Totals(0, 5)
    one_connection.dispose()


def test_a_server_that_vanishes_while_it_owes_an_answer_is_noticed_within_a_minute(engine: Engine) -> None:
    with engine.connect() as connection:
        told = connection.connection.dbapi_connection.get_dsn_parameters()  # type: ignore[union-attr]  # psycopg2's

    assert told["tcp_user_timeout"] == "60000"
    assert told["keepalives"] == "1"


def end(connection: Connection, by: Engine) -> None:
    """From outside, as a restart of the server does."""
    driver = connection.connection.dbapi_connection
    with by.connect() as another:
        ended = text("SELECT pg_terminate_backend(:pid, 10000)")
        another.execute(ended, {"pid": driver.info.backend_pid})  # type: ignore[union-attr]  # psycopg2's


def test_what_was_answered_stands_when_the_connection_breaks_before_it_is_given_back(
    engine: Engine, one_connection: Engine
) -> None:
    with server.autocommit(one_connection) as connection:
        connection.execute(text("CREATE TABLE kept ()"))

    with server.autocommit(one_connection) as connection:
        connection.execute(text("ALTER TABLE kept ADD value int"))
        end(connection, engine)

    with server.autocommit(one_connection) as connection:
        assert connection.scalar(text("SELECT count(value) FROM kept")) == 0
    one_connection.dispose()


def test_a_connection_goes_back_to_the_pool_as_one_with_transactions(one_connection: Engine) -> None:
    with server.autocommit(one_connection) as connection:
        connection.execute(text("CREATE TABLE kept (value int)"))

    with one_connection.connect() as connection:
        connection.execute(text("INSERT INTO kept VALUES (1)"))  # and is rolled back
    with one_connection.connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM kept")) == 0
        assert connection.scalar(text("SHOW default_transaction_isolation")) == "read committed"
    one_connection.dispose()
