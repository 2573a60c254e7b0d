"""The simulator of ScrapingBee as an HTTP server: `python -m prospector.demo.scrapingbee.server < config.json`."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from aiohttp import web

from prospector.demo import process
from prospector.demo.control import ControlInvalid, control_routes, fields_of
from prospector.demo.resets import reset
from prospector.demo.scrapingbee import rules
from prospector.demo.scrapingbee.account import Account
from prospector.demo.scrapingbee.call import KILLED, Asked, Ending, Provider, outage_answer
from prospector.demo.scrapingbee.faults import Fault, Faults, Order
from prospector.demo.scrapingbee.rules import Answer
from prospector.demo.scrapingbee.target import Names, Target
from prospector.demo.scrapingbee.truth import Truth

CALL_PATHS = ("/api/v1", "/api/v1/")
USAGE_PATH = "/api/v1/usage"
LONGEST_LINE_BYTES = 256 * 1024  # a 9 kB URL, encoded
ORDER_FIELDS = {
    "fault": (str,),
    "probability": (int, float),
    "seconds": (int, float),
    "calls": (int,),
    "low_ms": (int,),
    "high_ms": (int,),
}
ACCOUNT_FIELDS = {"key": (str,), "max_credits": (int,), "used_credits": (int,), "max_concurrency": (int,)}
CONTROL_FIELDS = {"orders": (list,), "lift": (list,), "account": (dict,)}
ALWAYS = (
    ("Server", "gunicorn"),
    ("Access-Control-Allow-Origin", "*"),
    (
        "Access-Control-Expose-Headers",
        "Spb-cost, Spb-auto-cost, Spb-initial-status-code, Spb-resolved-url, Spb-request-id",
    ),
    ("Vary", "Cookie"),
)


@dataclass(frozen=True)
class SimulatorConfig:
    key: str = "demo-key"
    control_token: str = "demo-control"  # noqa: S105  # a loopback server for the demo and the tests
    via_token: str = "demo-via"  # noqa: S105  # what the small web knows the simulator by
    host: str = "127.0.0.1"
    port: int = 0
    resolve: str = "*.test=127.1.0.1:18080"
    allowed_networks: str = "127.1.0.0/16"
    seed: int = 1
    max_credits: int = 250_000
    max_concurrency: int = 50
    usage_lag_seconds: float = 60.0
    truth_file: str | None = None


class Simulator:
    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    async def call(self, request: web.Request) -> web.StreamResponse:
        attempt = self._provider.faults.attempt(request.query.get("url", ""))
        asked = Asked(request.query, request.headers, time.monotonic(), attempt)
        answer, ending = await self._provider.answer(asked)
        return await send(request, answer, ending)

    async def usage(self, request: web.Request) -> web.StreamResponse:
        """Outages reach it too; a slot it does not take, and it is not a call in the truth."""
        self._provider.truth.usage_requests += 1
        now = time.monotonic()
        account = self._provider.account
        outage = self._provider.faults.outage(now)
        if outage is not None:
            await self._provider.outage_answered()
            return await send(request, *outage_answer(outage))
        asked = Asked(request.query, request.headers, now, "")
        if asked.key != account.key:
            return await send(request, rules.bad_key(asked.key), Ending.SENT)
        if not account.admits_usage(now):
            return web.json_response({"message": "Too many requests: 6 per 1 minute"}, status=429)
        return web.json_response(account.usage(now, datetime.now(UTC)))

    async def control(self, wish: object) -> object:
        faults, account = self._provider.faults, self._provider.account
        now = time.monotonic()
        wishes = fields_of(wish, CONTROL_FIELDS)
        placed = [read_order(one) for one in wishes.get("orders", [])]
        lifted = [read_fault(one) for one in wishes.get("lift", [])]
        change_account(account, wishes.get("account", {}), now)
        for fault in lifted:
            faults.lift(fault)
        for order in placed:
            faults.place(order, now)
        return {"in_force": sorted(faults.in_force(now))}

    async def truth(self, since_id: int) -> object:
        account = self._provider.account
        state = {"used_credits": account.used_credits, "peak_concurrency": account.peak_concurrent}
        return {**self._provider.truth.summary(since_id), **state}


async def send(request: web.Request, answer: Answer, ending: Ending) -> web.StreamResponse:
    response = web.StreamResponse(status=answer.status)
    for name, value in (*ALWAYS, *answer.headers):
        response.headers.add(name, value)
    response.content_length = len(answer.body)
    with suppress(ConnectionError):  # the caller has hung up; its call is in the truth all the same
        if ending is not Ending.RESET:
            await response.prepare(request)
            await response.write(answer.body[: len(answer.body) // 2] if ending is Ending.CUT else answer.body)
            await _flush(request)
    if ending is Ending.SENT_THEN_DEAD:
        os._exit(KILLED)
    if ending in {Ending.RESET, Ending.CUT} and request.transport is not None:
        reset(request.transport)
    return response


async def _flush(request: web.Request) -> None:
    transport = request.transport
    while isinstance(transport, asyncio.Transport) and transport.get_write_buffer_size() and not transport.is_closing():
        await asyncio.sleep(0.001)


def read_fault(name: object) -> Fault:
    try:
        return Fault(str(name))
    except ValueError:
        raise ControlInvalid(f"There is no fault {name!r}. Faults: {', '.join(Fault)}.") from None


def read_order(wish: object) -> Order:
    fields = dict(fields_of(wish, ORDER_FIELDS))
    return Order(**{**fields, "fault": read_fault(fields.get("fault"))})


def change_account(account: Account, wish: object, now: float) -> None:
    fields = fields_of(wish, ACCOUNT_FIELDS)
    account.key = fields.get("key", account.key)
    account.max_credits = fields.get("max_credits", account.max_credits)
    account.max_concurrency = fields.get("max_concurrency", account.max_concurrency)
    if "used_credits" in fields:
        account.set_used(fields["used_credits"], now)


@asynccontextmanager
async def simulator(config: SimulatorConfig) -> AsyncIterator[Mapping[str, str]]:
    """Serves inside the running loop."""
    account = Account(config.key, config.max_credits, config.max_concurrency, config.usage_lag_seconds)
    names = Names.read(config.resolve, config.allowed_networks)
    with Truth(Path(config.truth_file) if config.truth_file else None) as truth:
        account.set_used(truth.credits, time.monotonic() - config.usage_lag_seconds)
        async with Target(names) as target:
            provider = Provider(account, target, Faults(config.seed), truth, config.via_token)
            served = Simulator(provider)
            application = web.Application()
            for path in CALL_PATHS:
                application.router.add_get(path, served.call, allow_head=False)
            application.router.add_get(USAGE_PATH, served.usage, allow_head=False)
            application.add_routes(control_routes(config.control_token, served.control, served.truth))
            async with process.listening(application, config.host, config.port, LONGEST_LINE_BYTES) as address:
                yield {"address": address}


def start(config: SimulatorConfig) -> process.Started:
    """The simulator as a process of its own, ready when this returns; ends with this process at the latest."""
    return process.start("prospector.demo.scrapingbee.server", config)


if __name__ == "__main__":
    process.main(SimulatorConfig, simulator)
