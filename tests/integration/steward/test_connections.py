"""Postgres has only so many connections: workers never take the last ones, and who gets none is told the limit."""

import pytest
from sqlalchemy import Engine, text

from prospector.core.system.staffing import KEPT_BACK, most_workers
from prospector.errors import ServerUnreachable
from prospector.store import server


def test_workers_leave_connections_for_the_command_line_on_the_server_there_is(engine: Engine) -> None:
    with engine.connect() as connection:
        in_use, allowed = server.connections(connection)

    assert in_use >= 1
    assert most_workers(allowed) + KEPT_BACK <= allowed * 0.8


def test_whoever_gets_no_connection_is_told_the_limit_in_the_server_s_own_words(engine: Engine) -> None:
    role = f"few_{engine.url.database}"
    with engine.begin() as connection:
        connection.execute(text(f"CREATE ROLE {role} LOGIN CONNECTION LIMIT 1"))
    url = engine.url.set(username=role).render_as_string(hide_password=False)
    first, second = server.engine(url), server.engine(url)
    try:
        with first.connect(), pytest.raises(ServerUnreachable, match="too many connections"):
            second.connect()
    finally:
        first.dispose()
        second.dispose()
        with engine.begin() as connection:
            connection.execute(text(f"DROP ROLE {role}"))
