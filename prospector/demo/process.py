"""The demo's servers as processes: configured by one JSON line on stdin (never in argv), ready when they print one."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import asdict
from ipaddress import ip_address
from types import TracebackType
from typing import Any, Self, TypeVar

from aiohttp import web

from prospector.demo.control import Control
from prospector.errors import EnvironmentInvalid, InputInvalid, end_in_words

C = TypeVar("C")
STOP_SECONDS = 10


class Started(Control):
    """A running server and its control."""

    def __init__(self, child: subprocess.Popen[bytes], addresses: Mapping[str, str], control_token: str) -> None:
        super().__init__(addresses["address"], control_token)
        self.listens = addresses.get("listens", self.address)
        self.pid = child.pid
        self._child = child

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> int:
        """Its exit code; twice does no harm."""
        if self._child.poll() is None:
            self._child.terminate()
        return self.wait()

    def kill(self) -> int:
        if self._child.poll() is None:
            self._child.kill()
        return self.wait()

    def wait(self) -> int:
        try:
            return self._child.wait(STOP_SECONDS)
        finally:
            for stream in (self._child.stdin, self._child.stdout):
                if stream is not None:
                    stream.close()


def start(module: str, config: Any) -> Started:
    """`config` is a dataclass with a control_token; the child ends when this process does."""
    child = subprocess.Popen(
        [sys.executable, "-P", "-m", module], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(json.dumps({**asdict(config), "ends_with_stdin": True}).encode() + b"\n")
    child.stdin.flush()
    ready = child.stdout.readline()
    if not ready:
        child.stdin.close()
        child.stdout.close()
        raise EnvironmentInvalid(f"{module} did not start (exit {child.wait()}).", "Its own words are above.")
    return Started(child, json.loads(ready), config.control_token)


def main(kind: Callable[..., C], serving: Callable[[C], AbstractAsyncContextManager[Mapping[str, str]]]) -> None:
    """The process itself: reads its configuration, serves, says where, and ends on SIGTERM, Ctrl-C or a closed stdin."""
    sys.excepthook = end_in_words
    fields: Mapping[str, Any] = json.loads(sys.stdin.buffer.readline() or b"{}")
    ends_with_stdin = fields.get("ends_with_stdin", False)
    config = kind(**{name: value for name, value in fields.items() if name != "ends_with_stdin"})
    asyncio.run(_serve(serving(config), ends_with_stdin=ends_with_stdin))


async def _serve(serving: AbstractAsyncContextManager[Mapping[str, str]], *, ends_with_stdin: bool) -> None:
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    async with serving as addresses:
        sys.stdout.write(json.dumps(addresses) + "\n")
        sys.stdout.flush()
        if ends_with_stdin:
            loop.add_reader(sys.stdin.fileno(), ended.set)
        await ended.wait()


@asynccontextmanager
async def listening(application: web.Application, host: str, port: int, longest_line_bytes: int) -> AsyncIterator[str]:
    if not ip_address(host).is_loopback:
        raise InputInvalid(f"{host} is not a loopback address.", "The demo's servers listen on 127.0.0.0/8 only.")
    runner = web.AppRunner(
        application,
        access_log=None,
        max_line_size=longest_line_bytes,
        max_field_size=longest_line_bytes,
        shutdown_timeout=1.0,
    )
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        yield f"{host}:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
