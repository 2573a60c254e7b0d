"""The revision of the database: what this version needs, what is there, and the way from one to the other."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Connection, Engine, text

from prospector.errors import EnvironmentInvalid

# the newest of migrations/versions; workers carry it, so that they need not read any migration
REVISION = "0003"

# any number, the same for all who migrate this database
MIGRATION_LOCK = 7_270_514_113


class SchemaOutdated(EnvironmentInvalid):
    def __init__(self, found: str | None) -> None:
        has = f"has schema {found}" if found else "has no tables of Prospector"
        super().__init__(
            f"The database {has}; this version of Prospector needs schema {REVISION}.",
            "Run this once, as the owner of the database: prospector db migrate",
        )


def revision(connection: Connection) -> str | None:
    if connection.scalar(text("SELECT to_regclass('alembic_version')")) is None:
        return None
    found: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return found


def require_current(connection: Connection) -> None:
    """A newer schema passes: migrations expand before they contract, so that old workers go on through a deployment."""
    found = revision(connection)
    if found is None or found < REVISION:
        raise SchemaOutdated(found)


def ensure_current(engine: Engine, may_migrate: bool) -> None:
    """`may_migrate` for the database of the local stack, which has no other operator than this program."""
    with engine.connect() as connection:
        found = revision(connection)
    if may_migrate and (found is None or found < REVISION):
        migrate(engine)
        return
    with engine.connect() as connection:
        require_current(connection)


def migrate(engine: Engine) -> bool:
    """All steps in one transaction; of several callers one migrates and the others find it done. False: nothing to do."""
    from alembic import command  # it takes longer to load than most commands take to run
    from alembic.config import Config

    with engine.begin() as connection, TemporaryDirectory() as folder:
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATION_LOCK})
        before = revision(connection)
        if before is not None and before >= REVISION:
            return False
        # Alembic reads its scripts from files, and ours may lie in a zipped egg
        unpack(files("migrations"), Path(folder))
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", folder)
        command.upgrade(config, "head")
        return True


def unpack(package: Traversable, folder: Path) -> None:
    for entry in package.iterdir():
        target = folder / entry.name
        if entry.name.endswith(".py"):
            target.write_bytes(entry.read_bytes())
        elif entry.is_dir() and entry.name != "__pycache__":
            target.mkdir()
            unpack(entry, target)
