"""The schema: tables and migrations agree, old ones are refused, and those who migrate at once are one."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zipfile import ZipFile

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from prospector.store import schema
from prospector.store.schema import SchemaOutdated
from prospector.store.tables import metadata

CLONE = Path(__file__).parents[2]

# what Alembic's comparison does not look at: keys, checks, partitioning, collations, sequences, values of closed sets
CATALOG = {
    "columns": """
        SELECT attrelid::regclass::text, attname, attnum, format_type(atttypid, atttypmod), attnotnull, attidentity,
            attcollation::regcollation::text, pg_get_expr(adbin, adrelid)
        FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE attnum > 0 AND attrelid IN (SELECT oid FROM ours)""",
    "constraints": """
        SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE contype <> 'n' AND conrelid IN (SELECT oid FROM ours)""",
    "indexes": "SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid IN (SELECT oid FROM ours)",
    "partitions": "SELECT oid::regclass::text, relkind::text, pg_get_partkeydef(oid) FROM ours",
    "closed sets": "SELECT typname, enumlabel, enumsortorder FROM pg_enum JOIN pg_type ON pg_type.oid = enumtypid",
}


def catalog(connection: Connection) -> dict[str, set[tuple[object, ...]]]:
    ours = """WITH ours AS (SELECT * FROM pg_class WHERE relnamespace = current_schema()::regnamespace
        AND relkind IN ('r', 'p', 'S') AND relname <> 'alembic_version') """
    return {part: {tuple(row) for row in connection.execute(text(ours + query))} for part, query in CATALOG.items()}


def test_tables_and_migrated_schema_agree(engine: Engine, empty: Engine) -> None:
    with empty.begin() as connection:
        metadata.create_all(connection)
        described = catalog(connection)

    with engine.connect() as connection:
        migrated = catalog(connection)

    assert migrated == described


def test_alembic_finds_nothing_to_migrate(engine: Engine) -> None:
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        differences = compare_metadata(context, metadata)

    assert differences == []


def test_the_revision_of_this_version_is_the_newest_migration() -> None:
    numbers = [path.name[:4] for path in (CLONE / "migrations" / "versions").glob("0*.py")]

    assert max(numbers) == schema.REVISION


def stamp(engine: Engine, revision: str) -> None:
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})


def test_an_empty_database_is_refused_with_the_command_that_fills_it(empty: Engine) -> None:
    words = rf"The database has no tables of Prospector.*needs schema {schema.REVISION}.*prospector db migrate"

    with empty.connect() as connection, pytest.raises(SchemaOutdated, match=words):
        schema.require_current(connection)


def test_an_old_schema_is_refused_with_the_command_that_renews_it(engine: Engine) -> None:
    stamp(engine, "0000")

    with (
        engine.connect() as connection,
        pytest.raises(SchemaOutdated, match=r"has schema 0000;.*prospector db migrate"),
    ):
        schema.require_current(connection)


def test_a_newer_schema_is_accepted_so_that_old_workers_go_on_during_a_deployment(engine: Engine) -> None:
    stamp(engine, "9999")

    schema.ensure_current(engine, may_migrate=True)

    with engine.connect() as connection:
        assert schema.revision(connection) == "9999"


def test_a_database_of_others_is_never_migrated_unasked(empty: Engine) -> None:
    with pytest.raises(SchemaOutdated):
        schema.ensure_current(empty, may_migrate=False)

    with empty.connect() as connection:
        assert schema.revision(connection) is None


def test_the_database_of_the_local_stack_is_migrated_on_first_use(empty: Engine) -> None:
    schema.ensure_current(empty, may_migrate=True)

    with empty.connect() as connection:
        schema.require_current(connection)


def test_eight_who_migrate_at_once_are_one(empty: Engine) -> None:
    with ThreadPoolExecutor(8) as pool:
        migrated = list(pool.map(lambda _: schema.migrate(empty), range(8)))

    assert migrated.count(True) == 1
    with empty.connect() as connection:
        schema.require_current(connection)


def test_a_migration_that_fails_leaves_nothing(empty: Engine) -> None:
    with empty.begin() as connection:
        connection.execute(text("CREATE TABLE spend (mine int)"))

    with pytest.raises(DBAPIError, match='"spend" already exists'):
        schema.migrate(empty)

    with empty.connect() as connection:
        assert catalog(connection)["closed sets"] == set()
        assert schema.revision(connection) is None


def test_migrations_run_from_a_zipped_package(empty: Engine, tmp_path: Path) -> None:
    egg = tmp_path / "backlink_prospector.egg"
    with ZipFile(egg, "w") as packed:
        for package in ("prospector", "migrations"):
            for file in (CLONE / package).rglob("*.py"):
                packed.write(file, file.relative_to(CLONE))
    script = (
        "import sys; from prospector.store import schema, server; "
        "print(schema.__file__, schema.migrate(server.engine(sys.argv[1])))"
    )
    url = empty.url.render_as_string(hide_password=False)

    ran = subprocess.run(
        [sys.executable, "-P", "-c", script, url],
        env=os.environ | {"PYTHONPATH": str(egg)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    assert ran.stdout.split() == [f"{egg}/prospector/store/schema.py", "True"]
    with empty.connect() as connection:
        schema.require_current(connection)
