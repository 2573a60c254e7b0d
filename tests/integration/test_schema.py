"""The schema: tables and migrations agree, old ones are refused, and two who migrate at once are one."""

from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, Engine, text

from prospector.store import schema
from prospector.store.tables import metadata

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
    versions = Path(__file__).parents[2] / "migrations" / "versions"

    assert max(path.name[:4] for path in versions.glob("0*.py")) == schema.REVISION
