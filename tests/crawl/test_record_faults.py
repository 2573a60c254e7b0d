"""The record fails while a worker crawls: nothing is lost, nothing is doubled, and the worker holds little meanwhile."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import make_url, text

from prospector.demo.proxy.faults import ProxyFault
from prospector.demo.proxy.proxy import FaultProxy
from prospector.demo.web.plan import Plan
from prospector.demo.web.site import Page
from prospector.store.partitions import pages_of
from tests.web_log import entries_until_now

from .conftest import Crawled, Fleet, resident_mb

SITES = 24  # of twenty pages
RESULTS_MOST = 100


@contextmanager
def crawling(
    crew: Callable[..., Fleet], before: Callable[[Fleet, str, Plan], None] = lambda *_: None
) -> Iterator[tuple[Fleet, str, Plan]]:
    """A job on its way: some pages are in the record, most are not. `before`: what is done to the record beforehand."""
    kinds = ["twenty"]
    one = crew(kinds, 5, SITES)
    plan = Plan(5, SITES, kinds)
    job = one.job(plan)
    before(one, job, plan)
    one.worker()
    until(lambda: one.counters(job).get("pages", 0) > 20, "no page is settled")
    yield one, job, plan


def until(true: Callable[[], bool], why: str, seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, why
        time.sleep(0.05)


def finished(one: Fleet, job: str, plan: Plan) -> Crawled:
    one.until_over(job, seconds=150)
    one.stop()
    return one.left(plan, job)


def assert_whole(crawled: Crawled) -> None:
    """Every page of every site once, each mention once, and nothing failed."""
    assert {row["state"] for row in crawled.domains.values()} == {"done"}
    assert sum(row["outcome"] == "read" for row in crawled.pages) == sum(
        page.target != "/private/notes" for page in crawled.plan.pages
    )
    assert sum(row["mentions"] for row in crawled.domains.values()) == len(crawled.mentions)
    assert [line for line in crawled.verdict().lines if line.good is False] == []


def asked(one: Fleet) -> int:
    """Pages; robots.txt and sitemaps are no results."""
    return sum(
        not entry.path.endswith((".txt", ".xml")) for entry in entries_until_now(Path(one.ready.log), one.ready.address)
    )


def log_of(one: Fleet) -> str:
    return (one.folder / "worker-0.log").read_text(encoding="utf-8")


def behind(one: Fleet, proxy: FaultProxy) -> str:
    url = make_url(one.engine.url)
    return url.set(host="127.0.0.1", port=proxy.port, query={}).render_as_string(hide_password=False)


@pytest.fixture
def proxy(stack: object) -> Iterator[FaultProxy]:
    """In front of the run's Postgres."""
    url = make_url(stack.database_url)  # type: ignore[attr-defined]
    folder = url.query.get("host")
    upstream = f"{folder}/.s.PGSQL.{url.query.get('port', url.port or 5432)}" if folder else f"{url.host}:{url.port}"
    with FaultProxy(upstream) as made:
        yield made


def test_a_record_that_restarts_in_the_middle_of_a_batch_costs_nothing(crew: Callable[..., Fleet]) -> None:
    with crawling(crew) as (one, job, plan):
        for _ in range(5):
            one.rows(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE application_name = 'prospector worker' AND datname = current_database()"
            )
            time.sleep(0.3)

        assert_whole(finished(one, job, plan))


WAITING = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


def test_while_the_record_is_away_a_worker_holds_a_hundred_results_and_claims_nothing(
    crew: Callable[..., Fleet], proxy: FaultProxy
) -> None:
    kinds = ["twenty"]
    one, plan = crew(kinds, 5, SITES), Plan(5, SITES, kinds)
    job = one.job(plan)
    with one.engine.begin() as holding:
        holding.execute(text(f"LOCK TABLE {pages_of(job)} IN EXCLUSIVE MODE"))
        one.worker(WORKER_DATABASE_URL=behind(one, proxy))
        until(lambda: bool(one.rows(WAITING)), "no batch is written")
        proxy.order(ProxyFault.DOWN)
    until(lambda: "record_away" in log_of(one), "nobody notices")
    time.sleep(5)

    told = one.counters(job)["pages"]
    assert asked(one) - told <= RESULTS_MOST + SITES  # and what was in flight
    assert told <= RESULTS_MOST
    assert one.frontier.redis.hlen("prospector:leases") <= RESULTS_MOST + SITES
    proxy.lift(ProxyFault.DOWN)
    assert_whole(finished(one, job, plan))


def test_a_slow_record_slows_the_crawl_and_nothing_grows(crew: Callable[..., Fleet], proxy: FaultProxy) -> None:
    proxy.order(ProxyFault.LATENCY, 150)  # each way: 300 ms for a round trip
    kinds, sites = ["twenty"], SITES // 2
    one, plan = crew(kinds, 5, sites), Plan(5, sites, kinds)
    job = one.job(plan)
    worker = one.worker(WORKER_DATABASE_URL=behind(one, proxy))
    until(lambda: one.counters(job).get("pages", 0) > 20, "no page is settled")
    before_mb = resident_mb(worker.pid)

    one.until_over(job, seconds=150)

    assert resident_mb(worker.pid) < 1.5 * before_mb
    assert_whole(finished(one, job, plan))


def test_a_record_that_takes_no_connection_is_waited_for_and_named(crew: Callable[..., Fleet]) -> None:
    """A role at its limit of connections: the worker waits in line, and its log says what is full."""
    kinds = ["twenty"]
    one, plan = crew(kinds, 5, SITES), Plan(5, SITES, kinds)
    role = f"limited_{one.engine.url.database}"
    with one.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"CREATE ROLE {role} LOGIN PASSWORD 'x' CONNECTION LIMIT 1"))
        try:
            connection.execute(text(f"GRANT pg_read_all_data, pg_write_all_data TO {role}"))
            job = one.job(plan)
            url = one.engine.url.set(username=role, password="x").render_as_string(hide_password=False)
            one.worker(WORKER_DATABASE_URL=url)
            until(lambda: one.counters(job).get("pages", 0) > 20, "no page is settled")
            connection.execute(text(f"ALTER ROLE {role} CONNECTION LIMIT 0"))
            connection.execute(
                text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = :role"), {"role": role}
            )
            one.job(Plan(5, 2, kinds), "more")  # something is left to write, however long this took
            until(lambda: "too many connections" in log_of(one), "the limit is not named")
            connection.execute(text(f"ALTER ROLE {role} CONNECTION LIMIT 5"))

            assert_whole(finished(one, job, plan))
        finally:
            one.stop()
            connection.execute(text(f"DROP OWNED BY {role}"))
            connection.execute(text(f"DROP ROLE {role}"))


# A fault at the boundary of the store, by a trigger: what Postgres says when its disk is full, when two transactions
# have locked each other out, and when a value cannot be stored. The statement, the driver and the server are real.
RAISE = """
CREATE SEQUENCE fault_count;
CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF {when} THEN RAISE EXCEPTION '{words}' USING ERRCODE = '{code}'; END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER fault BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION fault();
"""

COUNT = "nextval('fault_count')"  # of the rows that were tried


def break_store(one: Fleet, job: str, code: str, words: str, when: str) -> None:
    with one.engine.begin() as connection:
        connection.execute(text(RAISE.format(table=pages_of(job), code=code, words=words, when=when)))


def test_a_full_disk_loses_nothing_once_there_is_room_again(crew: Callable[..., Fleet]) -> None:
    def fill(one: Fleet, job: str, plan: Plan) -> None:
        break_store(one, job, "53100", "could not extend file: No space left on device", f"{COUNT} > 100")

    with crawling(crew, fill) as (one, job, plan):
        until(lambda: "No space left on device" in log_of(one), "nobody notices")
        time.sleep(2)
        with one.engine.begin() as connection:
            connection.execute(text(f"DROP TRIGGER fault ON {pages_of(job)}"))

        assert_whole(finished(one, job, plan))


def test_lost_deadlocks_are_no_error_to_anyone(crew: Callable[..., Fleet]) -> None:
    def lock_out(one: Fleet, job: str, plan: Plan) -> None:
        break_store(one, job, "40P01", "deadlock detected", f"{COUNT} % 300 = 0")

    with crawling(crew, lock_out) as (one, job, plan):
        assert_whole(finished(one, job, plan))
        assert "deadlock" not in log_of(one)


def last_page(plan: Plan) -> Page:
    return next(page for site in reversed(plan.sites) for page in reversed(list(site.pages.values())))


def test_a_row_that_cannot_be_stored_is_told_and_the_others_are_stored(crew: Callable[..., Fleet]) -> None:
    def spoil(one: Fleet, job: str, plan: Plan) -> None:
        bad = last_page(plan)
        where = f"NEW.url LIKE '%{bad.host}{bad.target}' AND NEW.outcome = 'read'"
        break_store(one, job, "22021", "invalid byte sequence", where)

    with crawling(crew, spoil) as (one, job, plan):
        crawled = finished(one, job, plan)

    bad = last_page(plan)
    ends = {row["url"].partition("//")[2]: row["outcome"] for row in crawled.pages}
    assert ends[f"{bad.host}{bad.target}"] == "unwritable"
    assert (
        sum(end == "read" for end in ends.values()) == sum(page.target != "/private/notes" for page in plan.pages) - 1
    )
    assert "row_refused" in log_of(one)
