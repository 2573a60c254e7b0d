"""Locks of the whole deployment, held in Postgres: they end with the connection of whoever holds them."""

from enum import IntEnum

from sqlalchemy import Connection, text


class Lock(IntEnum):
    """Numbers of advisory locks; no other program uses this database."""

    LEAD = 7_301
    STAFF = 7_302
    REBUILD = 7_303


def take(connection: Connection, lock: Lock) -> bool:
    """Held until the transaction ends. False: somebody else has it."""
    return bool(connection.scalar(text("SELECT pg_try_advisory_xact_lock(:lock)"), {"lock": int(lock)}))


def lead(connection: Connection, lock: Lock) -> bool:
    """Held until the connection ends, for one that is in autocommit. Taken twice is held twice: ask once."""
    return bool(connection.scalar(text("SELECT pg_try_advisory_lock(:lock)"), {"lock": int(lock)}))


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
