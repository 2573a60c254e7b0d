"""Each role, connected as it: what it may, and what it may not."""

import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from prospector.core.job.states import JobState
from prospector.core.reading.traits import LinkStatus
from prospector.core.visits.methods import Method
from prospector.core.visits.outcomes import DomainState
from prospector.errors import ServerUnreachable
from prospector.store import (
    checkpoints,
    dead_letters,
    domains,
    events,
    exports,
    job_names,
    jobs,
    pages,
    partitions,
    rebuild,
    roles,
    schema,
    server,
    sites,
    spend,
    targets,
)
from prospector.store.checkpoints import Checkpoint
from prospector.store.dead_letters import Death
from prospector.store.failures import Failure, failure
from prospector.store.jobs import NewJob
from prospector.store.kinds import EventKind
from prospector.store.pages import PageRow
from prospector.store.sites import SiteMemory
from prospector.store.spend import Reservation
from prospector.store.targets import Relabelled

NOW = datetime.now(UTC)
ROLES = ("owner", "operator", "worker", "reader")


@dataclass(frozen=True)
class Deployment:
    """An engine for each role, on one database with a job."""

    engines: Mapping[str, Engine]
    administrator: Engine
    prefix: str
    job: str


@pytest.fixture(scope="module")
def deployment(databases: Any, migrated: str) -> Iterator[Deployment]:
    prefix = f"test_{secrets.token_hex(4)}"
    with databases(migrated) as administrator, ExitStack() as stack:
        with administrator.begin() as connection:
            before = jobs.create(connection, NewJob("made before the roles", {}, 0, [], [])).job
        run(administrator, roles.sql(prefix))
        stack.callback(forget, administrator, prefix)
        engines = {role: login(administrator, f"{prefix}_{role}") for role in ROLES}
        for engine in engines.values():
            stack.callback(engine.dispose)
        yield Deployment(engines, administrator, prefix, before)


def run(engine: Engine, script: str) -> None:
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.connection.cursor().execute(script)


def login(administrator: Engine, role: str) -> Engine:
    password = secrets.token_hex(8)
    run(administrator, f"ALTER ROLE {role} PASSWORD '{password}'")
    url = administrator.url.set(username=role, password=password)
    return server.engine(url.render_as_string(hide_password=False), connections=3)


def forget(administrator: Engine, prefix: str) -> None:
    for role in ROLES:
        run(administrator, f"REASSIGN OWNED BY {prefix}_{role} TO CURRENT_USER; DROP OWNED BY {prefix}_{role}")
        run(administrator, f"DROP ROLE {prefix}_{role}")


@contextmanager
def acting(deployment: Deployment, role: str) -> Iterator[Connection]:
    with deployment.engines[role].connect() as connection:
        yield connection


def made(deployment: Deployment, new_job: Callable[..., NewJob]) -> str:
    with deployment.engines["operator"].begin() as connection:
        return jobs.create(connection, new_job()).job


WORKS_WITH_ROWS: dict[str, Callable[[Connection, str], object]] = {
    "reads a job": jobs.job,
    "reads keywords": jobs.keywords,
    "reads domains": domains.unfinished,
    "opens a domain": lambda c, job: domains.open_(c, job, [0]),
    "finishes a domain": lambda c, job: domains.finish(c, job, [domains.Finished(0, 1, DomainState.DONE)]),
    "reserves": lambda c, job: spend.reserve(c, [Reservation("1.1", job, 0, 1, Method.JS, 25)]),
    "settles": lambda c, _: spend.settle(c, {"1.1": 5}),
    "remembers a site": lambda c, _: sites.remember(c, [SiteMemory("a.example", NOW, 2_000)]),
    "buries a dead letter": lambda c, job: dead_letters.bury(c, [Death(job, 0, 1, 1, 3, "x", "x")]),
}
OPERATES: dict[str, Callable[[Connection, str], object]] = {
    "moves a job": lambda c, job: jobs.move(c, job, JobState.RUNNING, "x"),
    "checkpoints": lambda c, job: checkpoints.take(c, Checkpoint(job, NOW, NOW, 1, 0, 0, 0, 0, 0, JobState.RUNNING)),
    "records an event": lambda c, job: events.record(c, EventKind.ALERT, "x", job),
    "takes an epoch": lambda c, _: rebuild.next_epoch(c),
    "rebuilds": lambda c, job: list(rebuild.settled(c, job)),
    "checks the schema": lambda c, _: schema.require_current(c),
    "recalls sites": lambda c, _: sites.recall(c),
    "finds a job": lambda c, job: job_names.find(c, job[:5]),
    "raises a cap": lambda c, job: jobs.allow(c, job, 5),
    "reopens a domain": lambda c, job: domains.reopen(c, job, [0]),
    "asks for an export": lambda c, job: exports.ask(c, job, ["csv"], {}),
    "claims an export": lambda c, _: exports.claim(c, 60),
    "looks at dead letters": lambda c, _: dead_letters.waiting(c),
    "reads links to the client": lambda c, job: list(
        targets.linking(c, job, [url for url, _ in targets.linked(c, job)])
    ),
    "marks dead links": lambda c, job: targets.relabel(c, job, [Relabelled(1, 0, LinkStatus.DEAD)]),
    "drops partitions": partitions.drop,
    "removes a job": jobs.remove,
}


@pytest.mark.parametrize("role", ["operator", "worker"])
@pytest.mark.parametrize("what", WORKS_WITH_ROWS)
def test_whoever_works_with_rows_may(deployment: Deployment, new_job: Any, role: str, what: str) -> None:
    job = made(deployment, new_job)

    with acting(deployment, role) as connection:
        WORKS_WITH_ROWS[what](connection, job)


@pytest.mark.parametrize("what", OPERATES)
def test_the_operator_may(deployment: Deployment, new_job: Any, what: str) -> None:
    job = made(deployment, new_job)

    with acting(deployment, "operator") as connection:
        OPERATES[what](connection, job)


@pytest.mark.parametrize("role", ["operator", "worker"])
def test_pages_are_written_to_jobs_made_before_and_after_the_roles(
    deployment: Deployment, new_job: Any, page: Callable[..., PageRow], role: str
) -> None:
    number = ROLES.index(role)
    for job in (deployment.job, made(deployment, new_job)):
        assert pages.write(deployment.engines[role], job, [page(number)]).fresh
        assert pages.write(deployment.engines[role], job, [page(number, generation=2, mentions=[])]).fresh


def test_the_reader_may_read_what_is_exported(deployment: Deployment, new_job: Any) -> None:
    job = made(deployment, new_job)

    with acting(deployment, "reader") as connection:
        jobs.job(connection, job)
        jobs.keywords(connection, job)
        list(spend.domain_totals(connection, job))
        pages.outcome(connection, job, 1)
        connection.execute(text(f"SELECT * FROM mentions_{job} JOIN domains USING (job)"))


def test_the_owner_migrates(deployment: Deployment) -> None:
    with acting(deployment, "owner") as connection:
        connection.execute(text("ALTER TABLE pages ADD COLUMN later text"))
        connection.execute(text("ALTER TYPE page_outcome RENAME TO page_ending"))
        connection.execute(text("CREATE OR REPLACE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'"))


FORBIDDEN = {
    "drop a table": "DROP TABLE events",
    "drop a partition": "DROP TABLE pages_{job}",
    "alter a table": "ALTER TABLE jobs ADD COLUMN x int",
    "alter a partition": "ALTER TABLE pages_{job} DROP COLUMN url",
    "detach a partition": "ALTER TABLE pages DETACH PARTITION pages_{job}",
    "empty a table": "TRUNCATE spend",
    "make a table": "CREATE TABLE x (n int)",
    "make a temporary table": "CREATE TEMPORARY TABLE x (n int)",
    "make a schema": "CREATE SCHEMA x",
    "make a function": "CREATE FUNCTION x() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "make an index": "CREATE INDEX ON jobs (name)",
    "make a trigger": "CREATE TRIGGER x BEFORE INSERT ON jobs EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    "make a role": "CREATE ROLE x",
    "become another role": "SET ROLE {prefix}_owner",
    "give rights away": "ALTER ROLE {prefix}_reader SUPERUSER",
    "make an extension": "CREATE EXTENSION file_fdw",
    "make a database": "CREATE DATABASE x",
    "run a program": "COPY jobs FROM PROGRAM 'true'",
    "write a file": "COPY (SELECT 1) TO '/dev/null'",
    "read a file": "SELECT pg_read_file('/etc/hostname')",
    "read passwords": "SELECT rolpassword FROM pg_authid",
    "change the server": "ALTER SYSTEM SET fsync = off",
    "change the ledger": "UPDATE spend SET used_credits = 0",
    "forget the ledger": "DELETE FROM spend",
    "change what happened": "UPDATE events SET reason = ''",
    "forget what happened": "DELETE FROM events",
    "change the revision": "UPDATE alembic_version SET version_num = '9999'",
    "set the epoch back": "SELECT setval('frontier_epoch', 1)",
    "end a connection of others": "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename <> current_user",
}
FORBIDDEN_TO_WORKERS = {
    "make a job": "INSERT INTO jobs SELECT * FROM jobs WHERE false",
    "delete a job": "DELETE FROM jobs",
    "move a job": "UPDATE jobs SET state = 'paused'",
    "keep counters": "UPDATE checkpoints SET pages = 0",
    "say what happened": "INSERT INTO events (kind) VALUES ('alert')",
    "take an epoch": "SELECT nextval('frontier_epoch')",
    "change a budget": "UPDATE jobs SET max_credits = 1000000",
    "change a specification": "UPDATE jobs SET spec = '{}'",
    "change keywords": "UPDATE keywords SET keyword = ''",
    "add a domain": "INSERT INTO domains (job, number, input_row, domain) VALUES ('{job}', 99, 1, 'x')",
    "delete a domain": "DELETE FROM domains",
    "delete a page": "DELETE FROM pages_{job}",
    "read what was put in": "SELECT * FROM input_issues",
    "read exports": "SELECT * FROM exports",
    "make partitions": "SELECT make_partitions('abc234')",
    "drop partitions": "SELECT drop_partitions('{job}')",
}
FORBIDDEN_TO_READERS = {
    "read dead letters": "SELECT * FROM dead_letters",
    "read sites": "SELECT * FROM sites",
    "take an epoch": "SELECT nextval('frontier_epoch')",
    "make partitions": "SELECT make_partitions('abc234')",
    "drop partitions": "SELECT drop_partitions('{job}')",
    **{f"write to {table}": f"INSERT INTO {table} DEFAULT VALUES" for table in roles.OURS},
    **{f"change {table}": f"DELETE FROM {table}" for table in roles.OURS},
    "write to a partition": "INSERT INTO pages_{job} SELECT * FROM pages_{job} WHERE false",
    "change a partition": "UPDATE mentions_{job} SET frequency = 0",
    "lock a table": "DO $$ BEGIN LOCK TABLE pages_{job} IN ACCESS EXCLUSIVE MODE; END $$",
}


@pytest.mark.parametrize(
    ("role", "statement"),
    [
        pytest.param(role, statement, id=f"{role} may not {what}")
        for role, statements in {
            "operator": FORBIDDEN,
            "worker": FORBIDDEN | FORBIDDEN_TO_WORKERS,
            "reader": FORBIDDEN | FORBIDDEN_TO_READERS,
        }.items()
        for what, statement in statements.items()
    ],
)
def test_what_a_role_may_not_is_refused_for_want_of_a_right(deployment: Deployment, role: str, statement: str) -> None:
    statement = statement.replace("{job}", deployment.job).replace("{prefix}", deployment.prefix)
    engine = deployment.engines[role].execution_options(isolation_level="AUTOCOMMIT")

    with engine.connect() as connection, pytest.raises(DBAPIError) as caught:
        connection.execute(text(statement))

    assert caught.value.orig.pgcode == "42501", str(caught.value.orig)
    assert failure(caught.value) is Failure.MISSING


def test_a_role_of_another_deployment_may_not_even_connect(
    deployment: Deployment, databases: Any, migrated: str
) -> None:
    with databases(migrated) as other:
        run(other, roles.sql(f"{deployment.prefix}_b"))
        stranger = deployment.engines["worker"].url.set(database=other.url.database)
        engine = server.engine(stranger.render_as_string(hide_password=False))

        with pytest.raises(ServerUnreachable, match="permission denied for database"), engine.connect():
            pass

        engine.dispose()
        forget(other, f"{deployment.prefix}_b")


def test_a_right_of_an_older_version_is_taken_back(deployment: Deployment) -> None:
    worker = f"{deployment.prefix}_worker"
    run(deployment.administrator, f"GRANT UPDATE (state) ON jobs TO {worker}; GRANT INSERT ON checkpoints TO {worker}")
    run(deployment.administrator, f"GRANT USAGE ON SEQUENCE frontier_epoch TO {worker}")

    run(deployment.administrator, roles.sql(deployment.prefix))

    for statement in ("UPDATE jobs SET state = state", "SELECT nextval('frontier_epoch')"):
        with acting(deployment, "worker") as connection, pytest.raises(DBAPIError) as caught:
            connection.execute(text(statement))
        assert failure(caught.value) is Failure.MISSING


def test_the_script_may_be_run_again(deployment: Deployment) -> None:
    run(deployment.administrator, roles.sql(deployment.prefix))
    run(deployment.administrator, roles.sql(deployment.prefix))


def test_every_table_has_somebody_who_may_use_it() -> None:
    assert {table for rights in roles.RIGHTS.values() for table in rights} == set(roles.OURS)
