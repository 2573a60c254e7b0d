"""Partitions: a job's results come and go while others write and export, and nobody is locked out."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice

import pytest
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from prospector.errors import NotFound
from prospector.store import jobs, pages, partitions
from prospector.store.jobs import NewJob
from prospector.store.pages import PageRow
from prospector.store.partitions import ResultsInUse

Page = Callable[..., PageRow]
New = Callable[..., NewJob]


@contextmanager
def impatient(engine: Engine) -> Iterator[Connection]:
    """A transaction that fails at the first lock it would have to wait for."""
    with engine.begin() as connection:
        connection.execute(text("SET LOCAL lock_timeout = '1ms'"))
        yield connection


@contextmanager
def long_export(engine: Engine, job: str) -> Iterator[Iterator[object]]:
    """Half-read by a cursor of the server, in one transaction, by the partition's own name."""
    statement = text(f"SELECT * FROM {partitions.pages_of(job)} JOIN {partitions.mentions_of(job)} USING (job, page)")
    with engine.connect().execution_options(isolation_level="REPEATABLE READ", yield_per=10) as connection:
        rows = iter(connection.execute(statement))
        assert len(list(islice(rows, 10))) == 10
        yield rows


def exists(engine: Engine, job: str) -> bool:
    with engine.connect() as connection:
        return connection.scalar(text("SELECT to_regclass(:name)"), {"name": f"pages_{job}"}) is not None


def made(engine: Engine, new_job: New) -> str:
    with engine.begin() as connection:
        return jobs.create(connection, new_job()).job


def test_during_a_long_export_jobs_begin_and_end_and_write_without_waiting(
    engine: Engine, job: str, new_job: New, page: Page
) -> None:
    pages.write(engine, job, [page(number) for number in range(100)])
    ended = made(engine, new_job)
    pages.write(engine, ended, [page(1)])

    with long_export(engine, job) as rest:
        with impatient(engine) as connection:
            begun = jobs.create(connection, new_job()).job
        with impatient(engine) as connection:
            partitions.drop(connection, ended)
        with impatient(engine) as connection:
            connection.execute(text(f"INSERT INTO pages_{job} SELECT * FROM pages_{job} WHERE false"))
            connection.execute(text(f"INSERT INTO pages_{begun} SELECT * FROM pages_{job} WHERE false"))
        pages.write(engine, job, [page(100)])
        pages.write(engine, begun, [page(1)])

        assert len(list(rest)) == 90

    assert not exists(engine, ended)
    with engine.connect() as connection:
        assert pages.outcome(connection, job, 100)
        assert pages.outcome(connection, begun, 1)


def test_while_a_new_job_is_being_made_nobody_waits(engine: Engine, job: str, new_job: New, page: Page) -> None:
    pages.write(engine, job, [page(number) for number in range(20)])

    with engine.begin() as open_transaction:
        jobs.create(open_transaction, new_job())
        with impatient(engine) as connection:
            connection.execute(text(f"INSERT INTO pages_{job} SELECT * FROM pages_{job} WHERE false"))
        pages.write(engine, job, [page(100)])
        with long_export(engine, job) as rest:
            assert len(list(rest)) == 11


def test_results_that_are_being_exported_are_not_dropped_and_nobody_waits_for_the_attempt(
    engine: Engine, job: str, new_job: New, page: Page
) -> None:
    other = made(engine, new_job)
    pages.write(engine, job, [page(number) for number in range(100)])

    with long_export(engine, job) as rest:
        with pytest.raises(ResultsInUse, match=f"The results of job {job}"), engine.begin() as connection:
            partitions.drop(connection, job)
        with impatient(engine) as connection:
            connection.execute(text(f"INSERT INTO pages_{other} SELECT * FROM pages_{other} WHERE false"))
        assert len(list(rest)) == 90

    with engine.begin() as connection:
        partitions.drop(connection, job)
    assert not exists(engine, job)


def test_the_parent_is_not_touched_while_a_partition_is_waited_for(engine: Engine, job: str, page: Page) -> None:
    pages.write(engine, job, [page(number) for number in range(20)])

    with long_export(engine, job), engine.connect() as connection, pytest.raises(DBAPIError) as caught:
        connection.execute(text("SELECT drop_partitions(:job)"), {"job": job})

    assert "LOCK TABLE pages_" in str(caught.value.orig)


def test_made_twice_and_dropped_twice_is_once(engine: Engine, job: str) -> None:
    with engine.begin() as connection:
        partitions.make(connection, job)
        partitions.drop(connection, job)
        partitions.drop(connection, job)

    assert not exists(engine, job)


def test_a_partition_takes_rows_of_its_own_job_only(engine: Engine, job: str, page: Page) -> None:
    pages.write(engine, job, [page(1)])

    with pytest.raises(DBAPIError, match="violates partition constraint"), engine.begin() as connection:
        connection.execute(text(f"UPDATE pages_{job} SET job = 'abc234'"))


@pytest.mark.parametrize("hostile", ["", "abc", "x; DROP TABLE jobs", 'a"b', "ABCDEF", "abcde\n", "abcdefg"])
def test_only_an_id_becomes_part_of_a_statement(engine: Engine, hostile: str) -> None:
    with engine.connect() as connection:
        with pytest.raises(NotFound):
            partitions.make(connection, hostile)
        with pytest.raises(DBAPIError, match="not the id of a job"):
            connection.execute(text("SELECT make_partitions(:job)"), {"job": hostile})
