"""Locks of the whole deployment, held in Postgres: they end with the connection of whoever holds them."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

from sqlalchemy import Connection, text


class Lock(IntEnum):
    """Numbers of advisory locks; no other program uses this database."""

    LEAD = 7_301
    STAFF = 7_302
    REBUILD = 7_303


@contextmanager
def alone(connection: Connection, lock: Lock) -> Iterator[bool]:
    """Held for the block, over any number of its transactions, and while none is open. False: somebody else has it."""
    taken = lead(connection, lock)
    connection.commit()
    try:
        yield taken
    finally:
        connection.rollback()  # of what failed, if anything did
        if taken:
            connection.execute(text("SELECT pg_advisory_unlock(:lock)"), {"lock": int(lock)})
            connection.commit()


def lead(connection: Connection, lock: Lock) -> bool:
    """Held until the connection ends. Taken twice is held twice: ask once."""
    return bool(connection.scalar(text("SELECT pg_try_advisory_lock(:lock)"), {"lock": int(lock)}))


def await_turn(connection: Connection, lock: Lock) -> None:
    """Held until this transaction ends."""
    connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": int(lock)})


# a lock of one number: its low half is objid
HELD = text("""
SELECT EXISTS (
    SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = :lock AND classid = 0 AND objsubid = 1 AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
)
""")


def is_held(connection: Connection, lock: Lock) -> bool:
    """By anybody, at this moment."""
    return bool(connection.scalar(HELD, {"lock": int(lock)}))
