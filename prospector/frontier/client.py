"""Runs calls against Redis, blocking (command line, steward) or inside the event loop (workers)."""

import asyncio
import math
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeVar, cast

from redis import Redis, exceptions
from redis import asyncio as redis_asyncio
from redis.asyncio.connection import AbstractConnection
from redis.backoff import NoBackoff
from redis.retry import Retry

from prospector.errors import ProspectorError
from prospector.frontier.calls import Call
from prospector.frontier.keys import LEASES, META, PREFIX, ROBOTS, SITE, key
from prospector.frontier.scripts import every_script, script
from prospector.frontier.server import (
    ANSWER_SECONDS,
    CONNECT_SECONDS,
    NEVER_EVICTS,
    Memory,
    connect,
    memory,
    refuse_evicting,
    state_of,
    unreachable,
)

T = TypeVar("T")

# waiting, not failing: a server that restarts, loads its file (BUSYLOADING is a ConnectionError), or lost its scripts
AWAY = (exceptions.ConnectionError, exceptions.TimeoutError, exceptions.NoScriptError, OSError)

KEYS_A_CALL = 1_000
SITE_KEPT_SECONDS = 25 * 3_600  # an hour longer than a site may be blocked


class Refusing(exceptions.RedisError):
    """The server is there, and for now takes nothing."""


def is_of_state(answer: object) -> bool:
    return state_of(answer) is not None


def defect(call: Call[Any], error: exceptions.RedisError) -> ProspectorError:
    return ProspectorError(f"Redis refused {call.script}: {error}.", "This is a defect of Prospector.")


def _told_apart(error: exceptions.ResponseError) -> exceptions.RedisError:
    return Refusing(str(error)) if is_of_state(error) else error


class Frontier:
    """For processes that may wait for an answer."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.redis: Redis = connect(url)
        self._loaded = False

    def run(self, call: Call[T]) -> T:
        return cast("T", self.run_all([call])[0])

    def run_all(self, calls: Sequence[Call[Any]]) -> list[Any]:
        """In one round trip and in this order. After an error any of them may have happened. Raises ServerUnreachable also
        where the server is there and takes nothing."""
        with self._in_our_words():
            if not self._loaded:
                self._load()
            raw = self._attempt(calls)
            if any(isinstance(one, exceptions.NoScriptError) for one in raw):  # the server was restarted
                self._load()
                raw = self._attempt(calls)
            for call, one in zip(calls, raw, strict=True):
                if isinstance(one, exceptions.RedisError):
                    raise one if isinstance(one, AWAY) or is_of_state(one) else defect(call, one)
        return [call.read(one) for call, one in zip(calls, raw, strict=True)]

    @contextmanager
    def _in_our_words(self) -> Iterator[None]:
        try:
            yield
        except AWAY as error:
            raise unreachable(self._url, error) from error
        except exceptions.ResponseError as error:
            if is_of_state(error):
                raise unreachable(self._url, error) from error
            raise

    def _load(self) -> None:
        for one in every_script():
            self.redis.script_load(one.text)
        self._loaded = True

    def _attempt(self, calls: Sequence[Call[Any]]) -> list[Any]:
        with self.redis.pipeline(transaction=False) as pipeline:
            for call in calls:
                pipeline.evalsha(script(call.script).sha, 0, *call.told())
            return pipeline.execute(raise_on_error=False)  # raising, it puts its own words first

    def forget(self) -> int:
        """All but what sites and their robots.txt have asked for. Returns the epoch it had; 0: it was empty.

        The leases go first, together with the word that there is a frontier: what comes back finds no half of its domain.
        """
        with self._in_our_words():
            epoch = int(self.redis.hget(key(META), "epoch") or 0)
            self.redis.unlink(key(META), key(LEASES))
            names = self.redis.scan_iter(f"{PREFIX}*", count=KEYS_A_CALL)
            while batch := list(islice(names, KEYS_A_CALL)):
                with self.redis.pipeline(transaction=False) as pipeline:
                    for name in batch:
                        if name.startswith(key(SITE, site="").encode()):
                            pipeline.hdel(name, "lease", "slot")
                            pipeline.expire(name, SITE_KEPT_SECONDS, nx=True)  # as while it was asked: it had none
                        elif not name.startswith(key(ROBOTS, authority="").encode()):
                            pipeline.unlink(name)
                    pipeline.execute()
        return epoch

    def memory(self) -> Memory:
        with self._in_our_words():
            return memory(self.redis)

    def close(self) -> None:
        self.redis.close()


class AsyncFrontier:
    """For a worker: one connection, opened and reopened by `open`, and no retry of its own, for the pump decides."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._redis = redis_asyncio.Redis.from_url(
            url,
            socket_connect_timeout=CONNECT_SECONDS,
            socket_timeout=ANSWER_SECONDS,
            single_connection_client=True,
            retry=Retry(NoBackoff(), 0),
            redis_connect_func=self._connect,
        )
        self._opening = False
        self._asking, self._hearing = asyncio.Lock(), asyncio.Lock()
        self.run_id = ""

    async def open(self) -> None:
        """Connects, loads the scripts and learns which run of the server this is."""
        await self._redis.aclose()
        self._opening = True
        try:
            await self._redis.initialize()
            async with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.info("server", "memory")
                for one in every_script():
                    pipeline.script_load(one.text)
                answers = await pipeline.execute(raise_on_error=False)  # raising, it puts its own words first
        finally:
            self._opening = False
        for answer in answers:
            if isinstance(answer, exceptions.ResponseError):
                raise _told_apart(answer)
        refuse_evicting(self._url, answers[0].get("maxmemory_policy", NEVER_EVICTS))
        self.run_id = answers[0]["run_id"]

    async def _connect(self, connection: Any) -> None:
        """Only while it opens: redis-py would connect anew without a word, to a server that was started since. Two workers
        that know two runs of one server begin its first delay anew with every claim, for ever."""
        if not self._opening:
            raise exceptions.ConnectionError("The connection to Redis was lost.")
        await connection.on_connect()

    async def run_all(self, calls: Sequence[Call[Any]]) -> list[Any]:
        """In one round trip and in this order, behind those under way, whose answers need not be here yet: so redis-py's own
        pipeline will not do, which keeps its connection until it is answered. An answer that is an error of one call alone is
        in its place."""
        connection = self._redis.connection
        if connection is None:
            raise exceptions.ConnectionError("There is no connection to Redis.")
        async with self._asking:
            commands = (("EVALSHA", script(call.script).sha, 0, *call.told()) for call in calls)
            await connection.send_packed_command(connection.pack_commands(commands))
        async with self._hearing:  # a lock is given in the order it is asked for, which is that of sending
            async with asyncio.timeout(ANSWER_SECONDS):
                raw = [await self._answer(connection) for _ in calls]
        for one in raw:
            if isinstance(one, AWAY):
                raise one
        return [
            one if isinstance(one, exceptions.RedisError) else call.read(one)
            for call, one in zip(calls, raw, strict=True)
        ]

    async def _answer(self, connection: AbstractConnection) -> Any:
        try:
            return await connection.read_response(timeout=math.inf)  # one time-out for all: each costs
        except exceptions.ResponseError as error:
            return error

    async def hands(self, worker_key: str) -> set[str]:
        try:
            leases = await cast("Awaitable[set[bytes]]", self._redis.smembers(worker_key))
        except exceptions.ResponseError as error:
            raise _told_apart(error) from error
        return {lease.decode() for lease in leases}

    async def close(self) -> None:
        await self._redis.aclose()
