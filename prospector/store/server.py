"""Connections to a Postgres server. SQLAlchemy is imported only when an engine is made: a probe needs psycopg2 alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime  # a dataclass names its types at run time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import psycopg2
from psycopg2 import sql
from psycopg2.extensions import parse_dsn

from prospector.errors import ServerUnreachable

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine
    from sqlalchemy.engine.interfaces import Dialect

CONNECT_SECONDS = 5
POOL_WAIT_SECONDS = 30
# a peer that vanished without a word is noticed after 30 + 3 x 10 s instead of two hours, and after 60 s instead of a quarter
# of an hour where it owes an answer to what was sent
KEEPALIVE = {"keepalives": 1, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
UNANSWERED_MS = 60_000


def engine(url: str, application: str = "prospector", connections: int = 1) -> Engine:
    """`connections` is all this process may hold at once; a caller beyond it waits for up to 30 s. What cannot be reached,
    and what does not come free in that time, is ServerUnreachable."""
    from sqlalchemy import create_engine, event, make_url

    from prospector.store.pool import Pool

    made = create_engine(
        make_url(url).set(drivername="postgresql+psycopg2"),  # a bare "postgresql://" means another driver since 2.1
        poolclass=Pool,
        pool_size=connections,
        max_overflow=0,
        pool_timeout=POOL_WAIT_SECONDS,
        pool_pre_ping=True,  # a restarted server costs one round trip, not one failed statement a connection
        connect_args={
            "application_name": application,
            "connect_timeout": CONNECT_SECONDS,
            "tcp_user_timeout": UNANSWERED_MS,
            **KEEPALIVE,
        },
    )

    @event.listens_for(made, "do_connect")
    def connect(dialect: Dialect, _record: object, words: list[Any], options: dict[str, Any]) -> Any:
        try:
            return dialect.connect(*words, **options)
        except psycopg2.OperationalError as error:
            raise unreachable(url, error) from error

    return made


@contextmanager
def autocommit(engine: Engine) -> Iterator[Connection]:
    """A connection on which every statement is a transaction by itself: one round trip instead of three.

    SQLAlchemy's isolation level of this name asks the server for another one on every entry and exit, and an exit from a
    connection that broke after its statement was answered would fail with an error of the driver's own.
    """
    with engine.connect() as connection:
        driver: Any = connection.connection.dbapi_connection
        driver.autocommit = True
        try:
            yield connection
        finally:
            if not driver.closed:
                driver.autocommit = False  # nothing is sent


def ping(url: str) -> None:
    """One connection made and one answer read; raises ServerUnreachable."""
    _rows(url, "SELECT 1")


def dsn(url: str) -> str:
    """The URL as libpq reads it: without SQLAlchemy's name of a driver."""
    scheme, _, rest = url.partition("://")
    return f"{scheme.partition('+')[0]}://{rest}"


def libpq_environment(url: str) -> dict[str, str]:
    """The connection for Postgres' own programs: in a command line everyone could read the password."""
    parts = parse_dsn(dsn(url))
    names = {"dbname": "PGDATABASE", "connect_timeout": "PGCONNECT_TIMEOUT", "application_name": "PGAPPNAME"}
    return {names.get(part, f"PG{part.upper()}"): str(value) for part, value in parts.items()}


def place(url: str) -> str:
    """Where the server is, without user and password: what a message may show."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{host}{parts.path}" if host else f"its socket (database {parts.path.strip('/')})"


def unreachable(url: str, error: Exception) -> ServerUnreachable:
    words = " ".join(str(error).split())
    return ServerUnreachable(
        f"Postgres at {place(url)} does not take a connection: {words}",
        "Check that it runs and that DATABASE_URL names the right host, user and database: prospector doctor",
    )


def make_database(maintenance_url: str, name: str) -> None:
    """Creates this database if it is not there; at the same time a proof that the server answers."""
    try:
        with closing(psycopg2.connect(dsn(maintenance_url), connect_timeout=CONNECT_SECONDS)) as connection:
            connection.autocommit = True
            cursor = connection.cursor()
            cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,))
            if cursor.fetchone() is None:
                cursor.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    except psycopg2.OperationalError as error:
        raise unreachable(maintenance_url, error) from error


def databases(url: str) -> list[str]:
    """Those that hold something of ours: all but the templates and the empty `postgres`."""
    rows = _rows(
        url, "SELECT datname FROM pg_database WHERE datallowconn AND NOT datistemplate AND datname <> 'postgres'"
    )
    return [row[0] for row in rows]


@dataclass(frozen=True)
class Facts:
    """What `prospector doctor` and `status` tell of a server."""

    version: int  # as 180006 for 18.6
    encoding: str
    tables: int
    may_create: bool  # tables, in the schema public
    connections: int
    connections_allowed: int
    database_bytes: int
    clock: datetime
    locks_per_transaction: int
    locks_allowed: int  # in all transactions together


CONNECTIONS = """
SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
"""

FACTS = """
SELECT current_setting('server_version_num')::int, current_setting('server_encoding'),
       (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE c.relkind IN ('r', 'p') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'),
       has_schema_privilege('public', 'CREATE'),
       (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
       pg_database_size(current_database()), clock_timestamp(), current_setting('max_locks_per_transaction')::int,
       current_setting('max_locks_per_transaction')::int
           * (current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int)
"""


def facts(url: str) -> Facts:
    return Facts(*_rows(url, FACTS)[0])


def connections(connection: Connection) -> tuple[int, int]:
    """In use, and allowed to those who are no superuser."""
    from sqlalchemy import text

    row = connection.execute(text(CONNECTIONS)).one()
    return int(row[0]), int(row[1])


def _rows(url: str, statement: str) -> list[tuple[Any, ...]]:
    try:
        with closing(psycopg2.connect(dsn(url), connect_timeout=CONNECT_SECONDS)) as connection:
            cursor = connection.cursor()
            cursor.execute(statement)
            return cursor.fetchall()
    except psycopg2.OperationalError as error:
        raise unreachable(url, error) from error
