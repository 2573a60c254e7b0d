"""A worker's rows in the ledger: committed before a call, kept until Postgres takes them, flushed at the end."""

import asyncio
import threading

from sqlalchemy import Engine, text

from prospector.core.visits.methods import Method
from prospector.spiders.ledger import Ledger
from prospector.store import spend
from prospector.store.spend import Reservation, Totals

MANY = 40


def row(lease: str, job: str) -> Reservation:
    return Reservation(lease, job, domain=0, page=1, method=Method.JS, credits=5)


def totals(engine: Engine, job: str) -> Totals:
    with engine.connect() as connection:
        return spend.job_totals(connection, job)


def test_a_reservation_is_there_for_all_to_see_when_the_call_may_be_made(engine: Engine, job: str) -> None:
    async def reserve_many() -> Totals:
        ledger = Ledger(engine)
        await asyncio.gather(*(ledger.reserve(row(f"1.{number}", job)) for number in range(MANY)))
        seen = totals(engine, job)
        await ledger.close()
        return seen

    assert asyncio.run(reserve_many()) == Totals(0, 5 * MANY)


def test_while_the_record_cannot_be_written_no_call_may_be_made(engine: Engine, job: str) -> None:
    async def reserve_one() -> bool:
        ledger = Ledger(engine)
        with engine.connect() as connection, connection.begin() as holding:
            connection.execute(text("LOCK TABLE spend IN SHARE MODE"))
            asked = asyncio.ensure_future(ledger.reserve(row("1.1", job)))
            done, _ = await asyncio.wait([asked], timeout=0.3)
            holding.rollback()
        await asked
        await ledger.close()
        return bool(done)

    assert asyncio.run(reserve_one()) is False


def test_settlements_are_in_the_record_when_a_worker_has_ended_in_good_order(engine: Engine, job: str) -> None:
    async def settle_and_end() -> None:
        ledger = Ledger(engine)
        await ledger.reserve(row("1.1", job))
        ledger.settle("1.1", 1)
        await ledger.close()

    asyncio.run(settle_and_end())

    assert totals(engine, job) == Totals(1, 0)


def test_a_call_that_is_not_made_after_all_costs_nothing_and_is_forgotten(engine: Engine, job: str) -> None:
    async def reserve_and_spare() -> set[str]:
        ledger = Ledger(engine)
        await ledger.reserve(row("1.1", job))
        ledger.spare("1.1")
        await ledger.close()
        return ledger.asked

    assert asyncio.run(reserve_and_spare()) == set()
    assert totals(engine, job) == Totals(0, 0)


def test_a_connection_that_breaks_loses_no_row(engine: Engine, job: str) -> None:
    def break_connections() -> None:
        with engine.connect() as connection:
            connection.execute(
                text(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"
                )
            )

    async def reserve_under_fire() -> None:
        ledger = Ledger(engine)
        for number in range(10):
            breaker = threading.Thread(target=break_connections)
            breaker.start()
            await ledger.reserve(row(f"1.{number}", job))
            breaker.join()
        await ledger.close()

    asyncio.run(reserve_under_fire())

    assert totals(engine, job) == Totals(0, 50)
