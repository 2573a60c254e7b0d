"""A Redis that is there and takes nothing, for its own state: nothing is lost, nobody spins, and it is said once."""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest
from redis.exceptions import RedisError

from prospector.core.visits.ticket import Found, Verdict
from prospector.demo.proxy.faults import ProxyFault
from prospector.demo.proxy.proxy import FaultProxy
from prospector.errors import ProspectorError, ServerUnreachable
from prospector.frontier import calls, server
from prospector.frontier.calls import Fetch
from prospector.frontier.client import Frontier

from .conftest import Hand, Server
from .test_pump import run, until, working

HANDS = "prospector:hands:node/w"


def fill_memory(server: Server, hand: Hand) -> None:
    hand.redis.config_set("maxmemory", 1)


def free_memory(hand: Hand) -> None:
    hand.redis.config_set("maxmemory", 0)


def fail_over(server: Server, hand: Hand) -> None:
    hand.redis.replicaof("127.0.0.1", "1")


def promote(hand: Hand) -> None:
    hand.redis.execute_command("REPLICAOF", "NO", "ONE")


def lose_replicas(server: Server, hand: Hand) -> None:
    hand.redis.config_set("min-replicas-to-write", 1)


def need_no_replicas(hand: Hand) -> None:
    hand.redis.config_set("min-replicas-to-write", 0)


def fill_disk(server: Server, hand: Hand) -> None:
    """A dump that cannot be written."""
    (Path(server.socket).parent / "dump.rdb").mkdir()
    hand.redis.config_set("save", "3600 1000000")
    hand.redis.bgsave()
    while hand.redis.info("persistence")["rdb_last_bgsave_status"] != "err":
        time.sleep(0.01)


def free_disk(hand: Hand) -> None:
    hand.redis.config_set("save", "")


def hang_in_a_script(server: Server, hand: Hand) -> None:
    def hang() -> None:
        with pytest.raises(RedisError):
            Hand(server.url).redis.eval("while true do end", 0)

    hand.redis.config_set("busy-reply-threshold", 1)
    Thread(target=hang, daemon=True).start()
    while not is_busy(hand):
        time.sleep(0.01)


def is_busy(hand: Hand) -> bool:
    try:
        hand.redis.get("any")
    except RedisError as error:
        return "BUSY" in str(error)
    return False


def kill_script(hand: Hand) -> None:
    hand.redis.script_kill()


STATES = [
    (fill_memory, free_memory),
    (fail_over, promote),
    (lose_replicas, need_no_replicas),
    (fill_disk, free_disk),
    (hang_in_a_script, kill_script),
]


@pytest.mark.parametrize(("begin", "end"), STATES)
def test_what_was_told_while_redis_refuses_is_told_again_when_it_takes_it(
    own_server: Server,
    begin: Callable[[Server, Hand], None],
    end: Callable[[Hand], None],
    caplog: pytest.LogCaptureFixture,
) -> None:
    hand = Hand(own_server.url)
    hand.begin()
    hand.job("one", ["shop.test", "blog.test"])

    async def work() -> None:
        async with working(own_server.url) as worker:
            await until(lambda: len(worker.got) == 2)
            first, second = worker.got
            await asyncio.to_thread(begin, own_server, hand)
            before = worker.pump.call_count
            worker.pump.settle(first, calls.settle(first.lease, Verdict.DONE, 4))
            answer = worker.pump.ask(calls.add(second.lease, [Found(f"{second.url}a", 11)]))
            await asyncio.sleep(1.5)
            assert not answer.done()
            assert worker.pump.call_count - before < 50
            end(hand)
            async with asyncio.timeout(60):
                assert await answer == [Found(f"{second.url}a", 11)]
            await until(lambda: hand.counters("one")["mentions"] == 4)
            await until(lambda: hand.redis.smembers(HANDS) == {lease.encode() for lease in worker.pump.hands})
            assert second.lease in worker.pump.hands

    run(work())

    errors = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert [record.getMessage() for record in errors] == ["frontier_refused"]
    hand.close()


@pytest.mark.parametrize(
    ("begin", "end", "remedy"),
    [
        (fill_memory, free_memory, "raise its maxmemory"),
        (fill_disk, free_disk, "free some space there"),
        (fail_over, promote, "name its primary in REDIS_URL"),
        (lose_replicas, need_no_replicas, "misses its replicas"),
    ],
)
def test_a_command_is_told_what_redis_lacks_instead_of_a_defect_of_ours(
    own_server: Server, begin: Callable[[Server, Hand], None], end: Callable[[Hand], None], remedy: str
) -> None:
    hand = Hand(own_server.url)
    frontier = Frontier(own_server.url)
    frontier.run(calls.running())
    begin(own_server, hand)

    with pytest.raises(ServerUnreachable, match="takes nothing for now") as refused:
        frontier.run(calls.reap())

    assert remedy in refused.value.remedy
    end(hand)
    frontier.run(calls.reap())


def test_what_redis_cannot_do_at_all_is_a_defect_of_ours_to_who_waits_for_it(frontier: Hand) -> None:
    frontier.redis.set("prospector:finishing", "no sorted set")

    with pytest.raises(ProspectorError, match=r"Redis refused ended: .* This is a defect of Prospector"):
        frontier.run(calls.ended())


def test_a_redis_that_hangs_is_given_up(own_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "ANSWER_SECONDS", 0.2)

    with FaultProxy(own_server.socket) as proxy, closing(Hand(f"redis://{proxy.address}")) as waiting:
        proxy.order(ProxyFault.HANG)
        with pytest.raises(ServerUnreachable, match="does not answer"):
            waiting.run(calls.running())


def test_a_lease_that_redis_counts_as_held_and_the_worker_does_not_know_is_given_back_after_a_refusal(
    own_server: Server,
) -> None:
    hand = Hand(own_server.url)
    hand.begin()
    hand.job("one", ["shop.test"])

    async def work() -> None:
        async with working(own_server.url) as worker:
            await until(lambda: worker.got)
            lost = worker.pump.hands.popitem()[1]
            lose_replicas(own_server, hand)
            worker.pump.tell(calls.release(lost.lease, Fetch.FINE, 0, 10, 1000))
            await until(lambda: worker.pump._troubles.lasting)
            need_no_replicas(hand)
            await until(lambda: len(worker.got) == 2)
            assert worker.got[1].url == lost.url

    run(work())
    hand.close()


def test_an_operation_that_redis_cannot_do_at_all_is_tried_rarely_and_said_once(
    frontier: Hand, caplog: pytest.LogCaptureFixture
) -> None:
    async def work() -> None:
        async with working(frontier._url) as worker:
            await until(lambda: worker.pump.call_count)
            frontier.redis.set("prospector:nodes", "no sorted set")
            before = worker.pump.call_count
            await asyncio.sleep(2.5)
            assert worker.pump.call_count - before < 20
            frontier.redis.delete("prospector:nodes")

    run(work())

    refused = [record for record in caplog.records if record.getMessage() == "frontier_refused"]
    assert 1 <= len(refused) <= 2  # the claim, and the beat if one was due


def test_the_answer_to_what_redis_cannot_do_is_an_error_of_ours(frontier: Hand) -> None:
    frontier.redis.set("prospector:finishing", "no sorted set")

    async def work() -> None:
        async with working(frontier._url) as worker:
            with pytest.raises(ProspectorError, match="ended"):
                await worker.pump.ask(calls.ended())

    run(work())


def test_a_worker_says_whether_the_server_was_restarted(own_server: Server, caplog: pytest.LogCaptureFixture) -> None:
    Hand(own_server.url).begin()
    caplog.set_level(logging.INFO)

    def reached() -> list[bool]:
        return [
            record.fields["restarted"]  # type: ignore[attr-defined]  # prospector.logs puts it there
            for record in caplog.records
            if record.getMessage() == "frontier_reached"
        ]

    async def work() -> None:
        async with working(own_server.url):
            await until(reached)
            await asyncio.to_thread(own_server.kill)
            await asyncio.to_thread(own_server.start)
            await until(lambda: len(reached()) == 2)

    run(work())

    assert reached() == [False, True]
