"""What every suite may ask for. Real servers: the local stack itself, one for the whole run."""

import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from redis import Redis
from sqlalchemy import Engine, make_url, text

from prospector import settings
from prospector.local import attach
from prospector.local.home import Home
from prospector.local.servers import Servers, with_home
from prospector.store import schema, server

# files that take longest; of all others, those that need servers come before those that need none
LONGEST = (
    "crawl/test_hostile_web.py",
    "faults/test_shared_sites.py",
    "crawl/test_record_faults.py",
    "faults/test_workers.py",
    "faults/test_redis.py",
    "crawl/paid/test_hybrid.py",
    "crawl/paid/test_money.py",
    "faults/test_local_stack.py",
    "e2e/test_demo.py",
    "cli/test_job.py",
    "faults/test_record_restarts.py",
    "e2e/test_job_on_the_small_web.py",
    "integration/nodes/test_workers_on_nodes.py",
)

Databases = Callable[..., AbstractContextManager[Engine]]

IDLE_SECONDS = "2"  # should the run be killed, its stack ends by itself this much later


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Servers:
    """The URLs of one stack for all processes of the run: the first one that asks starts it, pytest_unconfigure stops it.

    A DATABASE_URL, REDIS_URL or SCRAPYD_URLS of the environment is used instead, as everywhere.
    """
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("LOCAL_IDLE_SECONDS", IDLE_SECONDS)
        return with_home(Home(_run_folder(request.config, tmp_path_factory) / "stack"))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Also after Ctrl-C. Workers of xdist have only used the stack; it ends with the process that started them."""
    factory = getattr(config, "_tmp_path_factory", None)
    if factory is None:
        return
    home = Home(_run_folder(config, factory) / "stack")
    attach.detach(home)
    if not hasattr(config, "workerinput") and home.folder.exists():
        attach.stop(home)
        # a worker that ends late (after Ctrl-C, -x) still makes and removes files in it; pytest removes what is left
        shutil.rmtree(home.folder, ignore_errors=True)


def _run_folder(config: pytest.Config, factory: pytest.TempPathFactory) -> Path:
    """Where a worker of xdist has a folder of its own below that of the run."""
    own = factory.getbasetemp()
    return own.parent if hasattr(config, "workerinput") else own


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deals the files out in turn, the longest first: xdist gives each process an equal stretch of this order to begin with.

    So all processes begin with what takes long, and what is left to be shared at the end is short.
    """
    count = getattr(config, "workerinput", {}).get("workercount", 1)
    if count == 1:
        return
    files: dict[str, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path.relative_to(Path(__file__).parent).as_posix(), []).append(item)
    long = [name for name in LONGEST if name in files]
    others = [name for name in files if name not in long and not name.startswith("unit/")]
    quick = [item for name in files if name.startswith("unit/") for item in files[name]]
    dealt = [[item for name in (*long, *others)[place::count] for item in files[name]] for place in range(count)]
    items[:] = []
    for place, hand in enumerate(dealt):
        stretch = (sum(map(len, dealt[place:])) + len(quick)) // (count - place)
        items += hand + [quick.pop(0) for _ in range(min(len(quick), max(0, stretch - len(hand))))]
    items += quick


@pytest.fixture(scope="session")
def databases(stack: Servers) -> Iterator[Databases]:
    """Makes a database, empty or as a copy of a template, that is gone when it is left."""
    administrator = server.engine(stack.database_url, connections=2).execution_options(isolation_level="AUTOCOMMIT")
    if not settings.DATABASE_URL:
        # what a test leaves behind need not survive the machine: a database costs 50 ms instead of 800
        with administrator.connect() as connection:
            connection.execute(text("ALTER SYSTEM SET fsync = off"))
            connection.execute(text("SELECT pg_reload_conf()"))

    @contextmanager
    def made(template: str = "template1") -> Iterator[Engine]:
        name = f"test_{secrets.token_hex(6)}"
        url = make_url(stack.database_url).set(database=name).render_as_string(hide_password=False)
        with administrator.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy"))
        engine = server.engine(url, connections=12)
        try:
            yield engine
        finally:
            engine.dispose()
            with administrator.connect() as connection:
                connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))

    yield made
    administrator.dispose()


@pytest.fixture(scope="session")
def migrated(databases: Databases) -> Iterator[str]:
    """The name of a migrated database that nobody is connected to: a template."""
    with databases() as engine:
        schema.migrate(engine)
        engine.dispose()
        assert engine.url.database
        yield engine.url.database


@pytest.fixture
def engine(databases: Databases, migrated: str) -> Iterator[Engine]:
    """The record, migrated, this test's own."""
    with databases(migrated) as made:
        yield made


@pytest.fixture
def empty(databases: Databases) -> Iterator[Engine]:
    """A database with nothing in it."""
    with databases() as made:
        yield made


@pytest.fixture
def redis_url(stack: Servers, request: pytest.FixtureRequest) -> Iterator[str]:
    """A Redis database of this process's own, empty: processes of a run are numbered, and there are 16 databases."""
    worker = getattr(request.config, "workerinput", {"workerid": "gw0"})["workerid"]
    url = make_url(stack.redis_url)
    number = str(int(worker.removeprefix("gw")) + 1)
    url = url.update_query_dict({"db": number})
    with Redis.from_url(url.render_as_string(hide_password=False)) as redis:
        assert redis.dbsize() == 0, f"database {number} of the Redis of this run is in use"
        yield url.render_as_string(hide_password=False)
        redis.flushdb()
