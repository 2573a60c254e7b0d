"""The record in force: an engine on it, its schema checked. The database of the local stack is migrated on first use."""

from sqlalchemy import Engine

from prospector import settings
from prospector.local import attach, servers
from prospector.local.home import Home
from prospector.store import activity, schema, server


def database_url() -> str:
    """Does not start the rest of the local stack for a database that is elsewhere."""
    return settings.DATABASE_URL or servers.in_force().database_url


def url_if_there() -> str | None:
    """Of a record that answers and has our tables, without starting or making anything."""
    running = None if settings.DATABASE_URL else attach.running(Home(settings.PROSPECTOR_HOME))
    local = running.servers.get("postgres") if running else None
    url = settings.DATABASE_URL or (local.url if local else None)
    return url if url and activity.is_recorded(url) else None


def operator(connections: int = 1) -> Engine:
    """For the command line and the steward."""
    made = server.engine(database_url(), connections=connections)
    schema.ensure_current(made, may_migrate=not settings.DATABASE_URL)
    return made


def reader() -> Engine:
    """For exports; of a database that the operator has checked."""
    return server.engine(settings.READER_DATABASE_URL or database_url(), "prospector export")
