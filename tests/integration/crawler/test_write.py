"""P1, P4, P6 at the pipeline: rows are committed first, then the page is settled, whatever Postgres says meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from psycopg2 import errorcodes
from scrapy.exceptions import DropItem
from sqlalchemy import TextClause, event, text

from prospector.core.system.signals import STOP_FETCHING
from prospector.core.visits.ticket import Found, Verdict
from prospector.core.web.urls import fingerprint
from prospector.demo.proxy.faults import ProxyFault
from prospector.demo.proxy.proxy import FaultProxy
from prospector.frontier import calls
from prospector.items import PageItem
from prospector.pipelines.write import WritePipeline
from prospector.store.partitions import pages_of

from .conftest import Bench, run, until, working


@asynccontextmanager
async def writing(bench: Bench, redis_url: str) -> AsyncIterator[WritePipeline]:
    pipeline = WritePipeline.from_crawler(bench.crawler)
    async with working(bench, redis_url):
        pipeline.open_spider()
        yield pipeline
        await pipeline.close_spider()


def locked(bench: Bench) -> str:
    return f"LOCK TABLE {pages_of(bench.job)} IN EXCLUSIVE MODE"


def test_a_page_is_settled_only_after_its_rows_are_committed(bench: Bench, redis_url: str) -> None:
    async def work() -> None:
        async with writing(bench, redis_url) as pipeline:
            ticket = await bench.ticket()
            with bench.engine.begin() as holding:
                holding.execute(text(locked(bench)))
                processed = asyncio.ensure_future(pipeline.process_item(bench.item(ticket)))
                await until(lambda: waits_for_a_lock(bench))
                assert bench.counter("pages") == 0
                assert ticket.lease in bench.spider.pump.hands
            await processed
            await until(lambda: bench.counter("pages") == 1)

    run(work())
    assert [row["outcome"] for row in bench.pages()] == ["read"]
    assert bench.spider.uncommitted == 0
    assert bench.counter("mentions") == 1  # one keyword, however often


def waits_for_a_lock(bench: Bench) -> bool:
    return bool(
        bench.rows("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()")
    )


def test_pages_that_a_page_names_are_in_the_frontier_before_it_is_settled(bench: Bench, redis_url: str) -> None:
    async def work() -> None:
        async with writing(bench, redis_url) as pipeline:
            ticket = await bench.ticket()
            named = f"https://{ticket.domain}/next"
            item = bench.item(ticket, found=[Found(named, fingerprint(named))])
            await pipeline.process_item(item)
            await until(lambda: [one.url for one in bench.got if one.domain == ticket.domain] == [named])

    run(work())
    assert bench.rows("SELECT found FROM pages")[0]["found"]


def test_a_page_whose_lease_was_lost_leaves_no_row(bench: Bench, redis_url: str) -> None:
    async def work() -> None:
        async with writing(bench, redis_url) as pipeline:
            ticket = await bench.ticket()
            item = bench.item(ticket)
            bench.frontier.run(calls.settle(ticket.lease, Verdict.AGAIN))
            with pytest.raises(DropItem, match="lease was lost"):
                await pipeline.process_item(item)

    run(work())
    assert bench.pages() == []
    assert bench.spider.uncommitted == 0


def test_what_the_record_has_not_taken_when_the_worker_must_end_is_left_to_others(bench: Bench, redis_url: str) -> None:
    async def work() -> None:
        async with writing(bench, redis_url) as pipeline:
            ticket = await bench.ticket()
            with bench.engine.begin() as holding:
                holding.execute(text(locked(bench)))
                processed = asyncio.ensure_future(pipeline.process_item(bench.item(ticket)))
                await until(lambda: waits_for_a_lock(bench))
                bench.crawler.signals.send_catch_log(STOP_FETCHING)
                with pytest.raises(DropItem, match="the worker ended"):
                    await processed
            assert bench.counter("pages") == 0

    run(work())


def test_what_redis_has_not_taken_when_the_worker_must_end_is_left_to_others(bench: Bench, redis_url: str) -> None:
    async def work() -> None:
        async with writing(bench, f"redis://{proxy.address}/{database}") as pipeline:
            ticket = await bench.ticket()
            proxy.order(ProxyFault.HANG)
            processed = asyncio.ensure_future(pipeline.process_item(bench.item(ticket)))
            await asyncio.sleep(0)
            bench.crawler.signals.send_catch_log(STOP_FETCHING)
            for late in (processed, pipeline.process_item(bench.item(ticket))):
                with pytest.raises(DropItem, match="the worker ended"):
                    await late
            proxy.lift(ProxyFault.HANG)

    socket, _, database = redis_url.removeprefix("unix://").partition("?db=")
    with FaultProxy(socket) as proxy:
        run(work())
    assert bench.pages() == []
    assert bench.spider.uncommitted == 0


def test_bytes_that_postgres_cannot_hold_cost_neither_their_page_nor_the_batch(bench: Bench, redis_url: str) -> None:
    async def work() -> None:
        async with writing(bench, redis_url) as pipeline:
            await until(lambda: len(bench.got) == 3)
            items = [bench.item(ticket) for ticket in bench.got]
            items[1].url = f"https://c.test/{'x' * 9_000}\0\ud800"
            items[1].spellings = ["\0", "\ud800", "\\u0000"]
            await processed(pipeline, items)

    run(work())
    pages = bench.rows("SELECT url, outcome, spellings FROM pages ORDER BY length(url) DESC")
    assert [row["outcome"] for row in pages] == ["read"] * 3
    assert pages[0]["url"] == f"https://c.test/{'x' * 9_000}\ufffd\ufffd"
    assert pages[0]["spellings"] == ["\ufffd", "\ufffd", "\\u0000"]


def test_a_row_that_postgres_refuses_is_told_and_the_others_are_stored(
    bench: Bench, redis_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def work() -> None:
        async with writing(bench, redis_url) as pipeline:
            await until(lambda: len(bench.got) == 3)
            items = [bench.item(ticket) for ticket in bench.got]
            items[1].status = 70_000  # no smallint
            await processed(pipeline, items)
            await until(lambda: bench.counter("pages") == 3)

    run(work())
    assert sorted(row["outcome"] for row in bench.pages()) == ["read", "read", "unwritable"]
    assert "row_refused" in caplog.text


async def processed(pipeline: WritePipeline, items: list[PageItem]) -> None:
    await asyncio.gather(*(pipeline.process_item(item) for item in items))


def failures_of(bench: Bench) -> list[str]:
    """What Postgres says to the worker from now on, by SQLSTATE."""
    codes: list[str] = []
    event.listen(bench.spider.engine, "handle_error", lambda told: codes.append(told.original_exception.pgcode))
    return codes


def of_this_database(bench: Bench, setting: str) -> None:
    with bench.engine.begin() as connection:
        connection.execute(text(f"ALTER DATABASE {bench.engine.url.database} SET {setting}"))


def put(bench: Bench, page: int) -> TextClause:
    return text(
        f"INSERT INTO {pages_of(bench.job)} (job, page, domain, url, outcome, settled_at, generation, attempts, depth, flags) "
        f"VALUES ('{bench.job}', {page}, 0, 'https://other.test/', 'read', now(), 0, 1, 0, 0)"
    )


# within the server, so that a test that stands still for a moment is not late for the deadlock
ONCE_ONE_WAITS = """
DO $$ BEGIN
    WHILE NOT EXISTS (SELECT FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))) LOOP
        PERFORM pg_sleep(0.01);
        PERFORM pg_stat_clear_snapshot();
    END LOOP;
    {what};
END $$
"""


def test_a_real_deadlock_with_another_writer_is_noticed_by_nobody(
    bench: Bench, redis_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The other one holds the last page of the batch and then wants the first: the batch is the one that loses."""
    of_this_database(bench, "deadlock_timeout = '3s'")
    codes = failures_of(bench)

    async def work() -> None:
        async with writing(bench, redis_url) as pipeline:
            await until(lambda: len(bench.got) == 3)
            items = [bench.item(ticket) for ticket in bench.got]
            first, _, last = sorted(fingerprint(item.ticket.url) for item in items)
            with bench.engine.connect() as other:
                other.execute(text("SET deadlock_timeout = '1min'; SET statement_timeout = '2min'"))
                other.execute(put(bench, last))
                together = asyncio.ensure_future(processed(pipeline, items))
                await asyncio.to_thread(other.execute, text(ONCE_ONE_WAITS.format(what=put(bench, first))))
                other.rollback()
                await together

    run(work())
    assert codes == [errorcodes.DEADLOCK_DETECTED]
    assert sorted(row["url"] for row in bench.pages()) == [f"https://{name}.test/" for name in "abc"]
    assert "record_away" not in caplog.text


def test_a_real_serialization_failure_is_noticed_by_nobody(
    bench: Bench, redis_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A deployment whose Postgres isolates more than the usual: a page that another committed meanwhile cannot be judged."""
    of_this_database(bench, "default_transaction_isolation = 'repeatable read'")
    codes = failures_of(bench)

    async def work() -> None:
        async with writing(bench, redis_url) as pipeline:
            item = bench.item(await bench.ticket())
            with bench.engine.connect() as other:
                other.execute(put(bench, fingerprint(item.ticket.url)))
                together = asyncio.ensure_future(processed(pipeline, [item]))
                await until(lambda: waits_for_a_lock(bench))
                other.commit()
                await together

    run(work())
    assert codes == [errorcodes.SERIALIZATION_FAILURE]
    assert [row["title"] for row in bench.pages()] == ["A CRM"]  # of a later generation than the other's
    assert "record_away" not in caplog.text
