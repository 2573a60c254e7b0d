"""Promise 8: the pump keeps what it was told in order, loses no answer that matters, and asks rarely when there is nothing."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from prospector.core.visits.ticket import Found, Ticket, Verdict
from prospector.demo.proxy.faults import ProxyFault, Way
from prospector.demo.proxy.proxy import FaultProxy
from prospector.errors import EnvironmentInvalid
from prospector.frontier import calls, moments, pump
from prospector.frontier.client import AsyncFrontier
from prospector.frontier.desk import DelayBounds
from prospector.frontier.pump import Pump

from .conftest import Hand, Server


class Worker:
    """What a scheduler is to the pump."""

    def __init__(self, url: str, lease_ms: int = 60_000, room: int = 10) -> None:
        self.got: list[Ticket] = []
        self.room = room
        self.broken: list[BaseException] = []
        terms = replace(Hand.terms, lease_ms=lease_ms)
        self.pump = Pump(
            AsyncFrontier(url),
            "node/w",
            terms,
            lambda: self.room,
            self.got.extend,
            lambda: {"n": 1},
            self.broken.append,
        )


@asynccontextmanager
async def working(url: str, **options: Any) -> AsyncIterator[Worker]:
    worker = Worker(url, **options)
    worker.pump.start()
    try:
        yield worker
    finally:
        await worker.pump.stop(2)


async def until(what: Callable[[], object], seconds: float = 60) -> None:
    async with asyncio.timeout(seconds):
        while not what():
            await asyncio.sleep(0.01)


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(work)


def test_what_is_told_while_redis_is_away_arrives_in_order_when_it_is_back(own_server: Server) -> None:
    hand = Hand(own_server.url)
    hand.begin()
    hand.job("one", ["shop.test"])

    async def work() -> None:
        async with working(own_server.url) as worker:
            await until(lambda: worker.got)
            ticket = worker.got[0]
            await asyncio.to_thread(own_server.kill)
            worker.pump.tell(calls.add(ticket.lease, [Found("https://shop.test/a", 11)]))
            worker.pump.tell(calls.release(ticket.lease, calls.Fetch.FINE, 0, 10, 1000))
            worker.pump.settle(ticket, calls.settle(ticket.lease, Verdict.DONE, 4))
            await asyncio.sleep(0.5)
            assert len(worker.got) == 1
            await asyncio.to_thread(own_server.start)
            await until(lambda: len(worker.got) == 2)
            assert worker.got[1].url == "https://shop.test/a"

    run(work())

    assert hand.counters("one")["mentions"] == 4
    hand.close()


def test_a_ticket_whose_answer_was_lost_is_given_back(own_server: Server) -> None:
    hand = Hand(own_server.url)
    hand.begin()

    async def work() -> None:
        async with working(f"redis://{proxy.address}") as worker:
            await until(lambda: worker.pump.call_count)
            proxy.order(ProxyFault.LATENCY, 3_600_000, way=Way.DOWN)
            hand.job("one", ["shop.test"])
            await until(lambda: hand.counters("one")["flying"] == 1)
            proxy.order(ProxyFault.RESET, seconds=0)
            proxy.lift(ProxyFault.LATENCY)
            assert worker.got == []
            await until(lambda: worker.got)
            assert len(await asyncio.to_thread(hand.redis.smembers, "prospector:hands:node/w")) == 1

    with FaultProxy(own_server.socket) as proxy:
        run(work())
    hand.close()


def test_an_idle_worker_asks_less_than_twice_a_second(frontier: Hand) -> None:
    async def work() -> None:
        async with working(frontier._url) as worker:
            await until(lambda: worker.pump.call_count)
            before = worker.pump.call_count
            await asyncio.sleep(4)
            assert worker.pump.call_count - before < 8

    run(work())


def test_what_was_granted_before_a_hold_is_sent_no_more_wherever_it_waits(
    frontier: Hand, shared_server: Server
) -> None:
    """For a name server, for the record, for a connection: what is not in the queue any more cannot be taken back there."""
    frontier.job("one", ["shop.test"])

    async def work() -> None:
        async with working(shared_server.url) as worker:
            await until(lambda: worker.got)
            (waiting,) = worker.got
            await until(lambda: worker.pump.may_send(waiting))

            frontier.run(calls.hold("one"))
            await until(lambda: not worker.pump.may_send(waiting))
            frontier.run(calls.lift("one"))
            worker.pump.give_back(waiting)
            await until(lambda: len(worker.got) == 2)

            await until(lambda: worker.pump.may_send(worker.got[1]))

    run(work())


def test_a_worker_with_no_room_claims_nothing_and_still_hears_of_a_hold(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    taken_back: list[int] = []

    async def work() -> None:
        async with working(frontier._url, room=0) as worker:
            worker.pump.take_back = lambda: taken_back.append(1)
            await until(lambda: taken_back)
            taken_back.clear()
            frontier.run(calls.hold("one"))
            await until(lambda: taken_back)
            assert worker.got == []

    run(work())


def test_a_fetch_that_is_over_counts_from_then_however_late_the_busy_worker_tells_it(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])
    bounds, late_ms = DelayBounds(least_ms=10_000, most_ms=60_000), 300

    async def work() -> None:
        async with working(frontier._url) as worker:
            await until(lambda: worker.got)
            worker.pump.free(worker.got[0], calls.Fetch.FINE, 0, bounds, 0)
            time.sleep(late_ms / 1000)  # a page that takes long to read holds up everything
            await until(lambda: frontier.redis.hget("prospector:site:shop.test", "lease") is None)

    run(work())
    now = int(frontier.redis.hget("prospector:meta", "clock") or 0)
    now_ms = max(now, int(time.time() * 1000) + int(frontier.redis.hget("prospector:meta", "skew") or 0))
    next_ms = int(frontier.redis.hget("prospector:site:shop.test", "next") or 0)
    assert next_ms <= now_ms + bounds.least_ms + 1 - late_ms


def test_nothing_is_sent_under_a_lease_that_may_have_run_out_while_the_worker_slept(
    frontier: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    frontier.job("one", ["shop.test"])
    slept = 0.0
    steady = moments.steady_seconds
    monkeypatch.setattr(pump, "steady_seconds", lambda: steady() + slept)

    async def work() -> None:
        nonlocal slept
        async with working(frontier._url) as worker:
            await until(lambda: worker.got)
            assert worker.pump.may_send(worker.got[0])
            slept = 58.0
            assert not worker.pump.may_send(worker.got[0])

    run(work())


def taken_for_dead(frontier: Hand) -> bool:
    """False where it beat in between."""
    frontier.redis.zadd("prospector:workers", {"node/w": 1})
    return frontier.run(calls.reap())[0] == 1


def test_a_worker_that_was_taken_for_dead_drops_what_it_has(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])

    async def work() -> None:
        async with working(frontier._url, lease_ms=2_000) as worker:
            await until(lambda: worker.got)
            await until(lambda: taken_for_dead(frontier))
            await until(lambda: not worker.pump.may_send(worker.got[0]))

    run(work())


def test_an_empty_redis_takes_all_tickets_back(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])

    async def work() -> None:
        async with working(frontier._url) as worker:
            await until(lambda: worker.got)
            frontier.redis.flushdb()
            await until(lambda: not worker.pump.may_send(worker.got[0]))

    run(work())


def test_a_redis_that_was_rebuilt_before_a_worker_saw_it_empty_takes_all_tickets_back(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])

    async def work() -> None:
        async with working(frontier._url) as worker:
            await until(lambda: worker.got)
            frontier.redis.pipeline().flushdb().execute_command("HSET", "prospector:meta", "epoch", 2).execute()
            await until(lambda: not worker.pump.hands)
            assert not worker.pump.may_send(worker.got[0])

    run(work())


def test_what_a_restarted_redis_has_forgotten_is_not_sent(own_server: Server) -> None:
    hand = Hand(own_server.url)
    hand.begin()
    hand.job("one", ["shop.test", "blog.test"])

    async def work() -> None:
        async with working(f"redis://{proxy.address}") as worker:
            await until(lambda: len(worker.got) == 2)
            kept, forgotten = worker.got
            proxy.order(ProxyFault.DOWN)
            await until(lambda: not worker.pump.may_send(kept))  # nothing is, while Redis is away
            hand.redis.srem("prospector:hands:node/w", forgotten.lease)
            proxy.lift(ProxyFault.DOWN)
            await until(lambda: worker.pump.may_send(kept))
            assert not worker.pump.may_send(forgotten)

    with FaultProxy(own_server.socket) as proxy:
        run(work())
    hand.close()


def test_nothing_is_sent_under_a_lease_of_a_redis_that_was_not_heard_for_seconds(own_server: Server) -> None:
    hand = Hand(own_server.url)
    hand.begin()
    hand.job("one", ["shop.test"])

    async def work() -> None:
        async with working(f"redis://{proxy.address}") as worker:
            await until(lambda: worker.got)
            proxy.order(ProxyFault.HANG)
            await until(lambda: not worker.pump.may_send(worker.got[0]))
            proxy.lift(ProxyFault.HANG)
            await until(lambda: worker.pump.may_send(worker.got[0]))

    with FaultProxy(own_server.socket) as proxy:
        run(work())
    hand.close()


def test_the_next_round_trip_does_not_wait_for_the_answer_to_the_last(own_server: Server) -> None:
    hand = Hand(own_server.url)
    hand.begin()

    async def work() -> None:
        async with working(f"redis://{proxy.address}", room=0) as worker:
            await until(lambda: worker.pump.call_count)
            proxy.order(ProxyFault.HANG)
            answers = []
            for _ in range(4):
                answers.append(worker.pump.ask(calls.running()))
                await asyncio.sleep(0.05)
            assert len(worker.pump._turns) > 1
            proxy.lift(ProxyFault.HANG)
            assert [await one for one in answers] == [[]] * 4

    with FaultProxy(own_server.socket) as proxy:
        run(work())
    hand.close()


def test_a_worker_that_drains_claims_no_more_and_tells_all_it_has(frontier: Hand) -> None:
    frontier.job("one", ["shop.test"])

    async def work() -> None:
        async with working(frontier._url) as worker:
            await until(lambda: worker.got)
            worker.pump.drain()
            frontier.job("two", ["blog.test"])
            worker.pump.give_back(worker.got[0])
            await asyncio.sleep(1.5)  # longer than two claims are apart
            assert await worker.pump.stop(5)

    run(work())

    assert [len(frontier.redis.keys(f"prospector:{kind}*")) for kind in ("hands", "leases")] == [0, 0]
    assert frontier.counters("two")["open"] == 0


def test_what_a_full_server_refused_is_told_again_when_it_has_room(own_server: Server) -> None:
    hand = Hand(own_server.url)
    hand.begin()
    hand.job("one", ["shop.test"])

    async def work() -> None:
        async with working(own_server.url) as worker:
            await until(lambda: worker.got)
            hand.redis.config_set("maxmemory", 1)
            answer = worker.pump.ask(calls.add(worker.got[0].lease, [Found("https://shop.test/a", 11)]))
            await asyncio.sleep(0.5)
            assert not answer.done()
            hand.redis.config_set("maxmemory", 0)
            async with asyncio.timeout(60):
                assert await answer == [Found("https://shop.test/a", 11)]

    run(work())
    hand.close()


def test_a_server_that_evicts_ends_the_worker_with_the_remedy(own_server: Server) -> None:
    hand = Hand(own_server.url)
    hand.redis.config_set("maxmemory-policy", "allkeys-lru")
    hand.close()

    async def work() -> None:
        async with working(own_server.url) as worker:
            await until(lambda: worker.broken)
            assert isinstance(worker.broken[0], EnvironmentInvalid)
            assert "noeviction" in worker.broken[0].remedy

    run(work())


def test_the_pump_waits_for_nothing_while_the_server_is_slow(own_server: Server) -> None:
    """Telling returns at once, and the loop turns on, while no answer comes at all."""
    hand = Hand(own_server.url)
    hand.begin()
    hand.job("one", ["shop.test"])

    async def work() -> None:
        async with working(f"redis://{proxy.address}") as worker:
            await until(lambda: worker.got)
            proxy.order(ProxyFault.HANG)
            turns = 0
            for _ in range(50):
                worker.pump.tell(calls.release(worker.got[0].lease, calls.Fetch.FINE, 0, 10, 1000))
                await asyncio.sleep(0.005)
                turns += 1
            assert turns == 50
            proxy.lift(ProxyFault.HANG)

    with FaultProxy(own_server.socket) as proxy:
        run(work())
    hand.close()
