"""A name server for the web (UDP, A records, no caching): names that fail, that are slow, that change their address.

RESOLVE alone is enough for a crawl. This is for what a map cannot show: rebinding, SERVFAIL, an answer that comes late.
"""

import asyncio
import struct
from collections import Counter
from ipaddress import IPv4Address
from typing import cast

from prospector.demo.web.kinds.canaries import CANARY_ADDRESS
from prospector.demo.web.plan import Plan

HEADER = struct.Struct("!6H")
ANSWER = struct.Struct("!HHHIH4s")
NAME_ABOVE = 0xC00C  # a pointer to the name in the question
RESPONSE, RECURSION = 0x8400, 0x0180
NO_ERROR, SERVER_FAILURE, NO_SUCH_NAME = 0, 2, 3
A_RECORD, INTERNET = 1, 1
SLOW_SECONDS = 20.0


class Names(asyncio.DatagramProtocol):
    def __init__(self, plan: Plan, web_address: str) -> None:
        self._plan = plan
        self._web_address = web_address
        self._asked: Counter[str] = Counter()
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # until Python 3.12 a datagram transport does not say that it is one
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        assert self._transport
        if len(data) <= HEADER.size:
            return
        name, end = name_asked(data)
        code, found = self.answer(name)
        message = reply(data, end, code, found)
        wait = SLOW_SECONDS if name.startswith("slow-") else 0.0
        asyncio.get_running_loop().call_later(wait, self._transport.sendto, message, address)

    def answer(self, name: str) -> tuple[int, str]:
        """A response code and an address. A rebinding name leads to the web first, and to the canary from then on."""
        if name.startswith("broken-"):
            return SERVER_FAILURE, ""
        if not name.endswith(".test"):
            return NO_SUCH_NAME, ""
        site = self._plan.site_of(name)
        if site and name in site.resolve:
            return NO_ERROR, site.resolve[name].partition(":")[0]
        self._asked[name] += 1
        if site and site.rebinds and self._asked[name] > 1:
            return NO_ERROR, CANARY_ADDRESS
        return NO_ERROR, self._web_address


def name_asked(data: bytes) -> tuple[str, int]:
    """The name in the question, and where the question ends."""
    labels, position = [], HEADER.size
    while position < len(data) and data[position]:
        length = data[position]
        labels.append(data[position + 1 : position + 1 + length].decode("latin-1").lower())
        position += 1 + length
    return ".".join(labels), position + 5


def reply(question: bytes, end: int, code: int, address: str) -> bytes:
    number = HEADER.unpack_from(question)[0]
    wants_a = struct.unpack_from("!H", question, end - 4)[0] == A_RECORD
    records = 1 if address and wants_a else 0
    head = HEADER.pack(number, RESPONSE | RECURSION | code, 1, records, 0, 0)
    record = ANSWER.pack(NAME_ABOVE, A_RECORD, INTERNET, 0, 4, IPv4Address(address).packed) if records else b""
    return head + question[HEADER.size : end] + record
