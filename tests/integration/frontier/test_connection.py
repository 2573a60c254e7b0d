"""A worker's connection: it is never made anew without the worker knowing."""

import asyncio

import pytest
from redis.exceptions import ConnectionError as Lost

from prospector.frontier import calls
from prospector.frontier.client import AsyncFrontier, Frontier

from .conftest import Hand, Server


def test_a_server_that_was_restarted_between_two_round_trips_is_noticed(own_server: Server) -> None:
    """Though another client has loaded the scripts again, so that no call fails by itself."""
    Hand(own_server.url).begin()

    async def restarted() -> tuple[str, str]:
        frontier = AsyncFrontier(own_server.url)
        await frontier.open()
        before = frontier.run_id
        await frontier.run_all([calls.reap()])
        own_server.kill()
        own_server.start()
        Frontier(own_server.url).run(calls.reap())
        await asyncio.sleep(0.1)  # the loop sees the end of the old connection

        with pytest.raises(Lost):
            await frontier.run_all([calls.reap()])
        await frontier.open()
        await frontier.run_all([calls.reap()])
        await frontier.close()
        return before, frontier.run_id

    before, after = asyncio.run(restarted())
    assert before != after
