"""Every statement that runs often finds its rows by an index, on tables that are filled."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, text

from prospector.core.job.states import JobState
from prospector.core.visits.methods import Method
from prospector.core.visits.outcomes import DomainState
from prospector.store import (
    checkpoints,
    costs,
    dead_letters,
    domains,
    events,
    exports,
    finds,
    job_names,
    jobs,
    pages,
    rebuild,
    sites,
    spend,
    verdicts,
)
from prospector.store.checkpoints import Checkpoint
from prospector.store.dead_letters import Death
from prospector.store.jobs import ListedDomain, NewJob
from prospector.store.kinds import EventKind
from prospector.store.pages import PageRow
from prospector.store.results import Results
from prospector.store.sites import SiteMemory
from prospector.store.spend import Reservation

NOW = datetime.now(UTC)
FILL = """
INSERT INTO jobs (id, name, reason, spec, max_credits, domains_total, input_rows, input_columns)
    SELECT 'z' || lpad(to_hex(n), 5, '0'), 'x', 'x', '{}', 0, 0, 0, '{}' FROM generate_series(1, 3000) AS n;
INSERT INTO keywords SELECT id, n, 'x', NULL, false FROM jobs, generate_series(10, 12) AS n;
INSERT INTO domains (job, number, input_row, domain)
    SELECT 'z00001', n, n, 'site' || n FROM generate_series(1, 20000) AS n;
INSERT INTO events (job, kind, reason) SELECT id, 'note', 'x' FROM jobs, generate_series(1, 5);
INSERT INTO exports (id, job, state, formats, options) SELECT id || n, id, 'ready', '{}', '{}' FROM jobs, generate_series(1, 3) AS n;
INSERT INTO checkpoints (job, taken_at, state) SELECT id, now(), 'running' FROM jobs;
INSERT INTO sites SELECT 'site' || n, now(), NULL, 1000, 0 FROM generate_series(1, 10000) AS n;
INSERT INTO dead_letters (page, domain, attempts, generation, job, url, reason)
    SELECT n, 1, 3, 1, 'z00001', 'x', 'x' FROM generate_series(1, 5000) AS n;
INSERT INTO spend SELECT n, now() - (100000 - n) * interval '5 minutes', n % 500, 'direct', 5, 0, 'l' || n, 'reserved', 'z' || lpad(to_hex(n % 50), 5, '0')
    FROM generate_series(1, 100000) AS n;
INSERT INTO pages_{job} (job, page, settled_at, domain, outcome, generation, attempts, depth, flags, url)
    SELECT '{job}', n, now(), n % 2000, 'read', 1, 1, 0, 0, 'https://x.example/' || n FROM generate_series(1, 40000) AS n;
INSERT INTO mentions_{job} SELECT n, 1, 'main', k, '{job}', 'words', NULL, NULL
    FROM generate_series(1, 40000) AS n, generate_series(0, 1) AS k;
ANALYZE;
"""


@pytest.fixture(scope="module")
def filled(databases: Any, migrated: str) -> Iterator[tuple[Engine, str]]:
    """One database for all plans: nothing here is committed after it is filled."""
    with databases(migrated) as engine:
        seeds = [ListedDomain(f"site{number}.example", number) for number in range(2_000)]
        with engine.begin() as connection:
            job = jobs.create(connection, NewJob("x", {}, 0, [], seeds)).job
            jobs.move(connection, job, JobState.RUNNING, "started")
            connection.connection.cursor().execute(FILL.replace("{job}", job))
        yield engine, job


@contextmanager
def explained(connection: Connection) -> Iterator[list[dict[str, Any]]]:
    """The plan of each statement that is run meanwhile."""
    plans: list[dict[str, Any]] = []

    def explain(_: Connection, __: object, statement: str, parameters: Any, *___: object) -> None:
        with connection.connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN (FORMAT JSON) {statement}", parameters)
            plans.append(cursor.fetchone()[0][0]["Plan"])

    event.listen(connection, "before_cursor_execute", explain)
    try:
        yield plans
    finally:
        event.remove(connection, "before_cursor_execute", explain)


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from nodes(part)


def death(job: str) -> Death:
    return Death(job, 0, 1, 1, 3, "x", "x")


HOT: dict[str, Callable[[Connection, str], object]] = {
    "a job by its id": jobs.job,
    "a job by the beginning of its id": job_names.find,
    "a move": lambda c, job: jobs.move(c, job, JobState.PAUSING, "x"),
    "the keywords of a job": jobs.keywords,
    "seeding": lambda c, job: domains.unfinished(c, job, after=100, limit=100),
    "opening domains": lambda c, job: domains.open_(c, job, [1, 2, 3]),
    "finishing a domain": lambda c, job: domains.finish(c, job, [domains.Finished(1, 1, DomainState.DONE)]),
    "reopening a domain": lambda c, job: domains.reopen(c, job, [1]),
    "the outcome of a page": lambda c, job: pages.outcome(c, job, 5),
    "a reservation": lambda c, job: spend.reserve(c, [Reservation("9.9", job, 0, 1, Method.JS, 25)]),
    "a settlement": lambda c, _: spend.settle(c, {"l77": 5}),
    "what a job has spent": lambda c, _: spend.job_totals(c, "z00007"),
    "what each domain has spent": lambda c, _: list(spend.domain_totals(c, "z00007")),
    "what is unsettled of a job": lambda c, _: spend.unsettled(c, ["z00007"], NOW),
    "what a job may still have to pay for": lambda c, _: spend.unsettled_of(c, "z00007"),
    "how many calls were made lately": lambda c, _: spend.calls_lately(c, 5),
    "a call that is unsettled": lambda c, _: spend.unsettled_call(c, "l77"),
    "what was spent since a moment": lambda c, _: costs.used_since(c, NOW - timedelta(days=30)),
    "the history of a job": lambda c, _: events.of_job(c, "z00007", 10),
    "following moves": lambda c, _: events.moves_beside(c, list(range(14_500, 14_990))),
    "the exports of a job": lambda c, _: exports.of_job(c, "z00007"),
    "a checkpoint": lambda c, job: checkpoints.take(c, Checkpoint(job, NOW, NOW, 1, 1, 1, 1, 1, 1, JobState.RUNNING)),
    "the checkpoints of some jobs": lambda c, _: checkpoints.last(c, ["z00007", "z00008"]),
    "remembering a site": lambda c, _: sites.remember(c, [SiteMemory("site7", NOW, 2_000)]),
    "burying a dead letter": lambda c, job: dead_letters.bury(c, [death(job)]),
    "what is yet to be judged": lambda c, _: verdicts.unjudged(c, 500),
    "what is yet to be judged of a job": lambda c, job: verdicts.unjudged(c, 500, job),
    "how many are qualified": lambda c, job: verdicts.qualified(c, [job, "z00007"]),
    "the newest find": lambda c, job: finds.on_page(c, job, "https://x.example/"),
    "whether an interruption was told": lambda c, _: events.has(c, EventKind.NOTE, "z00007", {"x": 1}),
    "what was found on some domains": lambda c, job: list(Results(c, jobs.job(c, job)).mentions([5, 7])),
    "queueing a dead letter again": lambda c, _: dead_letters.requeue(c, 7),
}


@pytest.mark.parametrize("name", HOT)
def test_a_hot_statement_reads_no_table_from_end_to_end(filled: tuple[Engine, str], name: str) -> None:
    engine, job = filled

    with engine.connect() as connection, explained(connection) as plans:
        HOT[name](connection, job)

    assert plans
    assert [node["Relation Name"] for plan in plans for node in nodes(plan) if node["Node Type"] == "Seq Scan"] == []


def test_a_batch_of_pages_reads_no_table_from_end_to_end(
    filled: tuple[Engine, str], page: Callable[..., PageRow]
) -> None:
    engine, job = filled
    rows = [page(number, generation=2) for number in range(39_950, 40_050)]
    given = {
        "job": job,
        "pages": pages.records({**vars(row), "mentions": None} for row in rows),
        "mentions": pages.records(pages._mentions(rows)),
    }

    with engine.connect() as connection, explained(connection) as plans:
        connection.execute(pages._statement(job), given)

    assert [node["Relation Name"] for node in nodes(plans[0]) if node["Node Type"] == "Seq Scan"] == []
    assert {node.get("Index Name") for node in nodes(plans[0])} >= {f"mentions_{job}_pkey"}


def test_a_rebuild_reads_the_pages_of_open_domains_only(filled: tuple[Engine, str]) -> None:
    engine, job = filled

    with engine.connect() as connection:
        domains.open_(connection, job, [1, 2, 3])
        connection.execute(text("ANALYZE domains"))
        with explained(connection) as plans:
            assert len(list(rebuild.settled(connection, job))) == 60

    assert f"pages_{job}_domain_idx" in {node.get("Index Name") for node in nodes(plans[0])}
    (mentions,) = (node for node in nodes(plans[0]) if node.get("Index Name") == f"mentions_{job}_pkey")
    assert "job =" in mentions["Index Cond"], "before Postgres 18 an index cannot be searched without its first column"


def test_a_statement_that_does_read_a_whole_table_is_noticed(filled: tuple[Engine, str]) -> None:
    engine, job = filled

    with engine.connect() as connection, explained(connection) as plans:
        connection.execute(text(f"SELECT * FROM pages_{job} WHERE url = 'x'"))

    assert [node["Node Type"] for node in nodes(plans[0])] == ["Seq Scan"]
