"""`prospector db migrate` and `db roles` on a database that others administer."""

import os
import secrets
import subprocess
import sys

import pytest
from sqlalchemy import Engine, text

from prospector.store import schema


def run(engine: Engine, *words: str) -> subprocess.CompletedProcess[str]:
    url = engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    return subprocess.run(
        [sys.executable, "-P", "-m", "cli", "db", *words],
        env=os.environ | {"DATABASE_URL": url},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_migrate_fills_an_empty_database_and_then_has_nothing_to_do(empty: Engine) -> None:
    first, second = run(empty, "migrate"), run(empty, "migrate")

    assert (first.returncode, first.stderr, first.stdout) == (0, f"The database has schema {schema.REVISION}.\n", "")
    assert second.stderr == f"The database has schema {schema.REVISION} already.\n"
    with empty.connect() as connection:
        schema.require_current(connection)


def test_what_postgres_does_not_do_is_told_in_one_line(empty: Engine) -> None:
    with empty.begin() as connection:
        connection.execute(text("CREATE TABLE jobs (of text)"))

    done = run(empty, "migrate")

    assert done.returncode == 3
    assert done.stderr.startswith('Postgres does not do it: relation "jobs" already exists')
    assert done.stderr.count("\n") == 1


def test_the_printed_roles_are_made_by_running_what_was_printed(engine: Engine) -> None:
    prefix = f"test_printed_{secrets.token_hex(4)}"  # roles are the server's, not the database's
    printed = run(engine, "roles", "--prefix", prefix)

    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.connection.cursor().execute(printed.stdout)
        made = connection.scalars(
            text("SELECT rolname FROM pg_roles WHERE rolname ^@ :prefix ORDER BY 1"), {"prefix": prefix}
        ).all()
        for role in made:
            connection.execute(text(f"REASSIGN OWNED BY {role} TO CURRENT_USER"))
            connection.execute(text(f"DROP OWNED BY {role}"))
            connection.execute(text(f"DROP ROLE {role}"))

    assert made == [f"{prefix}_{role}" for role in ("operator", "owner", "reader", "worker")]


@pytest.mark.parametrize("prefix", ["", "Robert'; DROP TABLE jobs", "1st", "a b"])
def test_a_prefix_that_is_no_name_is_refused(engine: Engine, prefix: str) -> None:
    done = run(engine, "roles", "--prefix", prefix)

    assert done.returncode == 2
    assert done.stderr == (
        f"{prefix!r} cannot begin the name of a role. Use small letters, digits and _, a letter first.\n"
    )


def test_a_database_that_is_away_is_named_without_its_password() -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "cli", "db", "migrate"],
        env=os.environ | {"DATABASE_URL": "postgresql://someone:hunter2@127.0.0.1:1/prospector"},
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert done.returncode == 7
    assert "Postgres at 127.0.0.1:1/prospector" in done.stderr
    assert "hunter2" not in done.stderr
