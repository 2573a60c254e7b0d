"""Work that needs the servers although no command uses them at this moment."""

from contextlib import closing

import psycopg2

from prospector.store.server import CONNECT_SECONDS, dsn

WORK = """
SELECT EXISTS (SELECT FROM jobs WHERE state IN ('running', 'pausing')),
    EXISTS (SELECT FROM exports WHERE state IN ('waiting', 'running'))
"""


def is_recorded(url: str) -> bool:
    """Whether this database has our tables."""
    try:
        with closing(psycopg2.connect(dsn(url), connect_timeout=CONNECT_SECONDS)) as connection:
            cursor = connection.cursor()
            cursor.execute("SELECT to_regclass('exports')")
            return cursor.fetchall() != [(None,)]
    except psycopg2.OperationalError:
        return False


def under_way(url: str) -> str | None:
    """In words. Without SQLAlchemy, because the supervisor of the local stack asks and stays small."""
    try:
        with closing(psycopg2.connect(dsn(url), connect_timeout=CONNECT_SECONDS)) as connection:
            cursor = connection.cursor()
            cursor.execute("SELECT to_regclass('exports')")
            if cursor.fetchall() == [(None,)]:
                return None
            cursor.execute(WORK)
            ((job, export),) = cursor.fetchall()
    except psycopg2.OperationalError:
        return "a Postgres that does not answer"
    return "a running job" if job else "an export" if export else None
