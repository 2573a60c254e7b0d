"""The record in force: the local stack's is migrated on first use, another one is only checked."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from sqlalchemy import Engine

from prospector import settings
from prospector.local import record
from prospector.local.servers import Servers
from prospector.store import schema
from prospector.store.schema import SchemaOutdated


def url(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=False)


def test_an_external_database_is_refused_until_it_is_migrated(empty: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DATABASE_URL", url(empty))

    with pytest.raises(SchemaOutdated, match="prospector db migrate"):
        record.operator()

    schema.migrate(empty)
    record.operator().dispose()


def test_the_database_of_the_local_stack_is_migrated_on_first_use(
    stack: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "DATABASE_URL", None)
    monkeypatch.setattr(settings, "PROSPECTOR_HOME", Path(urlsplit(stack.storage_url).path).parent)

    engine = record.operator()

    with engine.connect() as connection:
        schema.require_current(connection)
    engine.dispose()


def test_exports_read_as_the_reader_where_there_is_one(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nothing")
    monkeypatch.setattr(settings, "READER_DATABASE_URL", url(engine))

    reader = record.reader()

    with reader.connect() as connection:
        schema.require_current(connection)
    reader.dispose()
