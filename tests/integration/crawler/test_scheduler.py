"""The seam to Scrapy: what the frontier hands out comes out of next_request, and what a worker holds bounds what it claims."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Event

import pytest
from scrapy import Request, signals
from scrapy.statscollectors import StatsCollector

from prospector import scheduler
from prospector.core.system.signals import STOP_FETCHING
from prospector.core.visits.purpose import Purpose
from prospector.core.web import robots
from prospector.demo.proxy.faults import ProxyFault
from prospector.demo.proxy.proxy import FaultProxy
from prospector.frontier import calls
from prospector.scheduler import Scheduler, worker_name

from .conftest import Bench, run, until


class Running:
    """Of Scrapy's engine, what the scheduler asks."""

    running = True
    _slot = None
    closed_for = ""

    async def close_spider_async(self, *, reason: str) -> None:
        self.closed_for = reason


@asynccontextmanager
async def opened(bench: Bench) -> AsyncIterator[Scheduler]:
    bench.crawler.engine = Running()  # type: ignore[assignment]
    bench.crawler.stats = StatsCollector(bench.crawler)
    made = Scheduler.from_crawler(bench.crawler)
    made.open(bench.spider)
    try:
        yield made
    finally:
        await made._close()


async def requests(made: Scheduler, number: int) -> list[Request]:
    found: list[Request] = []

    def taken() -> bool:
        while request := made.next_request():
            found.append(request)
        return len(found) >= number

    await until(taken)
    return found


def test_each_site_s_page_comes_out_as_a_request_under_its_ticket(bench: Bench) -> None:
    async def work() -> None:
        async with opened(bench) as made:
            found = await requests(made, 3)

            assert sorted(one.url for one in found) == [f"https://{name}.test/" for name in "abc"]
            assert {one.meta["purpose"] for one in found} == {Purpose.PAGE}
            assert {one.meta["ticket"].lease for one in found} == set(made.pump.hands)
            assert made.next_request() is None
            assert made.has_pending_requests()

    run(work())


def test_a_request_in_the_place_of_another_goes_before_the_others(bench: Bench) -> None:
    async def work() -> None:
        async with opened(bench) as made:
            first, *others = await requests(made, 3)
            made.queue.deliver([one.meta["ticket"] for one in others])
            instead = bench.spider.robots_request(first)

            assert made.enqueue_request(instead)

            assert made.next_request() is instead

    run(work())


def test_a_request_that_a_page_led_to_joins_the_frontier_under_that_page_s_ticket(bench: Bench) -> None:
    async def work() -> None:
        async with opened(bench) as made:
            first, *_ = await requests(made, 3)
            ticket = first.meta["ticket"]
            found = Request(f"{ticket.url}found", meta={"found_under": ticket.lease})

            assert made.enqueue_request(found)

            assert made.next_request() is None
            key = f"prospector:queue:{bench.job}:{ticket.domain}"
            await until(lambda: bench.frontier.redis.zscore(key, found.url) is not None)

    run(work())


def test_what_waited_until_its_lease_was_lost_is_not_sent(bench: Bench) -> None:
    async def work() -> None:
        async with opened(bench) as made:
            first, *_ = await requests(made, 3)
            ticket = first.meta["ticket"]
            made.queue.deliver([ticket])
            made.pump.hands.pop(ticket.lease)

            assert made.next_request() is None

    run(work())


def test_a_worker_full_of_results_claims_nothing(bench: Bench) -> None:
    async def work() -> None:
        async with opened(bench) as made:
            bench.spider.uncommitted = scheduler.RESULTS_MOST
            assert made._room() <= 0
            bench.spider.uncommitted = 0
            assert made._room() > 0

    run(work())


def test_a_worker_that_stops_gives_back_what_it_holds_as_it_was(bench: Bench) -> None:
    async def work() -> None:
        async with opened(bench) as made:
            await requests(made, 3)

    run(work())
    assert bench.frontier.redis.hlen("prospector:leases") == 0
    for name in "abc":
        queue = f"prospector:queue:{bench.job}:{name}.test"
        waiting = bench.frontier.redis.zcard(queue) + bench.frontier.redis.zcard("prospector:later")
        assert waiting >= 1


def test_a_worker_that_is_told_to_stop_while_redis_is_away_cuts_off_what_is_in_flight(
    bench: Bench, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its pump is not connected then, and asks for nothing."""
    monkeypatch.setattr(scheduler, "GRACE_SECONDS", 0.1)
    cut_off = Event()
    bench.crawler.signals.connect(cut_off.set, STOP_FETCHING)
    socket, _, database = redis_url.removeprefix("unix://").partition("?db=")

    async def work() -> None:
        async with opened(bench) as made:
            bench.crawler.signals.send_catch_log(signals.engine_started)
            await requests(made, 3)
            proxy.order(ProxyFault.DOWN)
            await until(lambda: made.pump._troubles.lasting)
            assert not cut_off.is_set()
            bench.crawler.engine.running = False  # type: ignore[union-attr]
            await until(cut_off.is_set)
            proxy.lift(ProxyFault.DOWN)

    with FaultProxy(socket) as proxy:
        bench.crawler.settings.set("REDIS_URL", f"redis://{proxy.address}/{database}", priority=100)
        run(work())


def test_a_worker_that_can_talk_to_the_frontier_no_more_closes_and_cuts_off_what_waits_for_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "GRACE_SECONDS", 0.1)
    cut_off = Event()
    bench.crawler.signals.connect(cut_off.set, STOP_FETCHING)

    async def work() -> None:
        async with opened(bench) as made:
            await requests(made, 3)
            made.pump._room = None  # type: ignore[assignment]  # a defect of the pump's own
            made.pump.poke()
            await until(cut_off.is_set)
            assert bench.crawler.engine.closed_for == "frontier_refused"  # type: ignore[union-attr]

    run(work())


def test_what_is_known_of_robots_txt_comes_with_the_tickets(bench: Bench) -> None:
    rules = robots.read(b"User-agent: *\nDisallow: /private")
    bench.frontier.run(calls.keep_robots("https://a.test", rules))

    async def work() -> None:
        async with opened(bench) as made:
            await requests(made, 3)

    run(work())
    known = bench.spider.robots.known("https://a.test/")
    assert known
    assert not known.allows("https://a.test/private")


def test_a_worker_without_work_stays_for_a_while_and_then_leaves(bench: Bench) -> None:
    bench.frontier.run(calls.hold(bench.job))

    async def work() -> None:
        bench.crawler.settings.set("WORKER_IDLE_SECONDS", 1, priority="cmdline")
        async with opened(bench) as made:
            assert made.has_pending_requests()
            await until(lambda: not made.has_pending_requests())

    run(work())


def test_a_worker_s_name_says_which_machine_it_is_on() -> None:
    assert worker_name("node-1", "run7") == "node-1/run7"
    assert worker_name("node-1", None).startswith("node-1/worker-")
    assert "/" in worker_name(None, None)
