"""Connections to Postgres: who waits in vain for one is told what the rest of the program understands."""

import asyncio

import pytest
from sqlalchemy import Engine

from prospector.core.methods import Method
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
