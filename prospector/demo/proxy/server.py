"""The fault proxy as a process with a control endpoint: `python -m prospector.demo.proxy.server < config.json`."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass

from aiohttp import web

from prospector.demo import process
from prospector.demo.control import ControlInvalid, control_routes, fields_of
from prospector.demo.proxy.faults import ProxyFault, ProxyOrder, Way
from prospector.demo.proxy.proxy import Endpoint, Proxy

CONTROL_FIELDS = {"orders": (list,), "lift": (list,)}
ORDER_FIELDS = {"fault": (str,), "value": (int,), "seconds": (int, float), "way": (str,)}
LONGEST_LINE_BYTES = 8 * 1024


@dataclass(frozen=True)
class ProxyConfig:
    upstream: str
    listen: str = "127.0.0.1:0"
    control_token: str = "demo-control"  # noqa: S105  # a loopback server for the demo and the tests
    host: str = "127.0.0.1"  # of the control endpoint
    port: int = 0


@asynccontextmanager
async def proxy(config: ProxyConfig) -> AsyncIterator[Mapping[str, str]]:
    served = Proxy(Endpoint.read(config.upstream), Endpoint.read(config.listen))

    async def control(wish: object) -> object:
        wishes = fields_of(wish, CONTROL_FIELDS)
        orders = [read_order(one) for one in wishes.get("orders", [])]
        for fault in [read_fault(one) for one in wishes.get("lift", [])]:
            await served.lift(fault)
        for order in orders:
            await served.order(order)
        return {"in_force": served.in_force()}

    async def truth(_since_id: int) -> object:
        return asdict(served.counts())

    await served.open()
    try:
        application = web.Application()
        application.add_routes(control_routes(config.control_token, control, truth))
        async with process.listening(application, config.host, config.port, LONGEST_LINE_BYTES) as address:
            yield {"address": address, "listens": str(served.endpoint)}
    finally:
        await served.close()


def read_order(wish: object) -> ProxyOrder:
    fields = dict(fields_of(wish, ORDER_FIELDS))
    try:
        fields["way"] = Way(fields.get("way", Way.BOTH))
    except ValueError:
        raise ControlInvalid(f"There is no way {fields['way']!r}. Ways: {', '.join(Way)}.") from None
    return ProxyOrder(**{**fields, "fault": read_fault(fields.get("fault"))})


def read_fault(name: object) -> ProxyFault:
    try:
        return ProxyFault(str(name))
    except ValueError:
        raise ControlInvalid(f"There is no fault {name!r}. Faults: {', '.join(ProxyFault)}.") from None


def start(config: ProxyConfig) -> process.Started:
    """The proxy as a process of its own; `started.listens` is where its clients connect."""
    return process.start("prospector.demo.proxy.server", config)


if __name__ == "__main__":
    process.main(ProxyConfig, proxy)
