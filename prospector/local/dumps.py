"""Postgres' own tools, for any server: backup, restore, a shell, and the copy of every database from one to another.

Passwords go by environment: a command line is visible to everyone.
"""

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from prospector import settings
from prospector.errors import Conflict, EnvironmentInvalid, InputInvalid
from prospector.local import providers
from prospector.store import server

LOCK_TIMEOUT = "30s"
# in the transaction of the restore itself: the old data is gone exactly when the new is complete
EMPTIED = """
BEGIN;
SET LOCAL lock_timeout = '{timeout}';
SET LOCAL client_min_messages = warning;
DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP
    EXECUTE format('DROP SCHEMA %I CASCADE', name);
  END LOOP;
END $$;
CREATE SCHEMA public AUTHORIZATION pg_database_owner;
GRANT USAGE ON SCHEMA public TO PUBLIC;
"""


def tool(name: str) -> Path:
    """The newest one there is: it reads older servers, not newer ones."""
    for provider in providers.postgres(settings.POSTGRES_PROGRAMS):
        if (provider.programs / name).exists():
            return provider.programs / name
    if on_path := shutil.which(name):
        return Path(on_path)
    raise EnvironmentInvalid(
        f"This needs {name} of Postgres, and none was found.", "Install the client programs of Postgres."
    )


def backup(url: str, file: Path) -> None:
    """Complete or absent. One moment of the database, taken while it is in use."""
    if file.exists():
        raise InputInvalid(f"{file} exists already.", "Name another file, or delete that one.")
    unfinished = file.with_name(f"{file.name}.part")
    try:
        unfinished.touch(mode=0o600)  # it holds everything that the database holds
    except OSError as error:
        raise InputInvalid(f"{file} cannot be written: {error.strerror}.", "Name one where you may write.") from error
    try:
        _run([str(tool("pg_dump")), "--format=custom", f"--file={unfinished}"], url)
        unfinished.rename(file)
    finally:
        unfinished.unlink(missing_ok=True)


def refuse_full(url: str) -> None:
    tables = server.facts(url).tables
    if tables:
        raise Conflict(
            f"The database at {server.place(url)} is not empty: {tables} tables.",
            "To replace what it holds, add --replace.",
        )


def refuse_no_backup(file: Path) -> None:
    """Before anybody is told to replace what there is by it."""
    if not file.exists():
        raise InputInvalid(f"There is no file {file}.", "Check the name and the folder.")
    listed = [str(tool("pg_restore")), "--list", str(file)]
    if not file.is_file() or subprocess.run(listed, capture_output=True, check=False).returncode:
        raise InputInvalid(f"{file} is not a backup.", "Name a file that `prospector db backup` made.")


def restore(url: str, file: Path) -> None:
    """Replaces what the database holds: all or nothing, in one transaction."""
    refuse_no_backup(file)
    pg_restore = str(tool("pg_restore"))
    reading = subprocess.Popen(
        [pg_restore, "--no-owner", "--file=-", file], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    psql = [str(tool("psql")), "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null"]
    environment = os.environ | server.libpq_environment(url)
    with TemporaryFile("w+") as errors:
        writing = subprocess.Popen(psql, stdin=subprocess.PIPE, stderr=errors, env=environment)
        assert reading.stdout
        assert writing.stdin
        # what stands open when psql's input ends is rolled back: it is told to commit only when all of the file was read
        with writing, suppress(BrokenPipeError), writing.stdin, reading, reading.stdout:
            writing.stdin.write(EMPTIED.format(timeout=LOCK_TIMEOUT).encode())
            shutil.copyfileobj(reading.stdout, writing.stdin)
            if reading.wait() == 0:
                writing.stdin.write(b"\nCOMMIT;\n")
        errors.seek(0)
        if writing.returncode:
            raise _failure("psql", errors.read())
    if reading.returncode:
        raise EnvironmentInvalid(
            f"{file} is damaged: it could not be read to its end. Nothing was changed.", "Use another backup."
        )


def shell(url: str) -> None:
    """Becomes psql."""
    psql = str(tool("psql"))
    os.execve(psql, [psql], os.environ | server.libpq_environment(url))  # noqa: S606  # a program of a folder we chose, without a shell


def copy_all(old_url: str, new_url: str, owner: str) -> None:
    """Roles, then each database with its content, from one server to an empty one. URLs of their `postgres` databases."""
    roles = _run([str(tool("pg_dumpall")), "--roles-only"], old_url)
    lines = [line for line in roles.splitlines() if line != f"CREATE ROLE {owner};"]  # initdb has made that one
    psql = [str(tool("psql")), "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1"]
    with TemporaryFile("w+") as statements:
        statements.write("\n".join(lines))
        statements.seek(0)
        _run(psql, new_url, statements)
    for database in server.databases(old_url):
        dump = [str(tool("pg_dump")), "--format=custom", f"--dbname={database}"]
        reading = subprocess.Popen(dump, stdout=subprocess.PIPE, env=os.environ | server.libpq_environment(old_url))
        assert reading.stdout
        with reading, reading.stdout:
            load = [str(tool("pg_restore")), "--create", "--exit-on-error", "--dbname=postgres"]
            _run(load, new_url, reading.stdout.fileno())
        if reading.returncode:
            raise EnvironmentInvalid(f"pg_dump of the database {database} failed.", "The old data is untouched.")


def _run(command: list[str], url: str, source: int | IO[str] | None = None) -> str:
    environment = os.environ | server.libpq_environment(url)
    done = subprocess.run(command, stdin=source, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise _failure(Path(command[0]).name, done.stderr)
    return done.stdout


def _failure(program: str, words: str) -> EnvironmentInvalid:
    said = " | ".join(words.strip().splitlines()[-3:])
    return EnvironmentInvalid(
        f"{program} failed: {said}", "Nothing was changed. To look at the server: prospector doctor"
    )
