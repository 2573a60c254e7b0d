"""P1: the very Postgres of a crawl is killed and starts again, in the middle of batches: all is there, once."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import Engine, make_url, text
from sqlalchemy.exc import DBAPIError

from prospector.errors import ServerUnreachable
from prospector.local import attach
from prospector.local.home import Home
from prospector.local.servers import with_home
from prospector.store import schema, server
from prospector.store.partitions import pages_of

from .crawl import crawling

DATABASE = "crawl"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A stack whose supervisor starts again what was killed."""
    made = Home(tmp_path / "home")
    yield made
    attach.detach(made)
    attach.stop(made)
    shutil.rmtree(made.folder)


@pytest.fixture
def record(home: Home) -> Iterator[Engine]:
    own = make_url(with_home(home).database_url)
    administrator = server.engine(own.render_as_string(hide_password=False), connections=1)
    with administrator.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"CREATE DATABASE {DATABASE}"))
    administrator.dispose()
    engine = server.engine(own.set(database=DATABASE).render_as_string(hide_password=False), connections=3)
    schema.migrate(engine)
    yield engine
    engine.dispose()


def holder(home: Home) -> int:
    """0 while it is about to begin."""
    return int((home.lock("postgres").read_text().split() or ["0"])[0])


def killed_and_back(home: Home, record: Engine) -> None:
    postmaster = holder(home)
    os.kill(postmaster, signal.SIGKILL)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            server.ping(record.url.render_as_string(hide_password=False))
        except ServerUnreachable:
            time.sleep(0.05)
        else:
            if holder(home) not in {0, postmaster}:
                return
    raise AssertionError("Postgres did not come back")


WAITING = """
SELECT count(*) FROM pg_stat_activity
WHERE application_name = 'prospector worker' AND wait_event_type = 'Lock' AND query LIKE '%WITH given%'
"""


def in_a_batch(record: Engine) -> bool:
    with record.connect() as looking:  # a new transaction each time: one sees no change of this view
        return bool(looking.scalar(text(WAITING)))


def test_a_postgres_that_is_killed_in_the_middle_of_two_batches_costs_nothing(
    home: Home, record: Engine, folder: Path
) -> None:
    with crawling(folder, record) as crawl:
        job = crawl.job()
        worker: subprocess.Popen[bytes] | None = None
        for _ in range(2):
            with suppress(DBAPIError), record.connect() as holding:
                holding.execute(text(f"LOCK TABLE {pages_of(job)} IN EXCLUSIVE MODE"))
                if worker:
                    worker.send_signal(signal.SIGCONT)
                worker = worker or crawl.worker(LOG_STYLE="json")
                crawl.wait(lambda: in_a_batch(record))
                worker.send_signal(signal.SIGSTOP)  # it writes nothing until the table is locked again
                killed_and_back(home, record)
            record.dispose()
        worker.send_signal(signal.SIGCONT)

        verdict = crawl.finish()

        assert verdict.broken == []
        assert crawl.said().count('"event": "record_away"') >= 2
