"""A web that costs next to nothing: every host has the same PAGES pages of about 20 kB, ready-made. It counts in a file.

python bench/static_web.py COUNT_FILE      prints its port; the count of pages served is the file's first eight bytes
"""

import asyncio
import mmap
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from prospector.demo.web.prose import keywords

PAGES = 20
BYTES = 20_000
ADDRESS = "127.1.0.1"
WORDS = "A river runs below the old bridge, and every spring somebody asks who keeps the lamps in order. "


def page(number: int) -> bytes:
    """Names all pages, and every keyword of the small web on some."""
    links = "".join(f'<li><a href="/p/{other}">Page {other}</a></li>' for other in range(1, PAGES))
    mention = keywords()[number % len(keywords())]
    body = f"<p>{WORDS * 4}{mention}. {WORDS * 2}</p>"
    text = f"<html><head><title>Page {number}</title></head><body><ul>{links}</ul><main>{body * 30}"
    whole = f"{text[:BYTES]}</main></body></html>".encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(whole)}\r\n\r\n"
    return head.encode() + whole


NOTHING = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n"


class Served(asyncio.Protocol):
    """A request is known by its first line, with or without the host in it (a proxy's); what comes after it is not read."""

    def __init__(self, answers: dict[bytes, bytes], count: mmap.mmap) -> None:
        self._answers, self._count, self._data = answers, count, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._data += data
        if self._data.startswith(b"\x16"):  # a TLS handshake: there is none here
            self._transport.close()
            return
        while b"\r\n\r\n" in self._data:
            head, _, self._data = self._data.partition(b"\r\n\r\n")
            target = head.split(b" ", 2)[1]
            if target.startswith(b"http"):
                target = b"/" + target.split(b"/", 3)[3] if target.count(b"/") > 2 else b"/"
            answer = self._answers.get(target)
            if answer:
                self._count[:8] = (int.from_bytes(self._count[:8], "little") + 1).to_bytes(8, "little")
            self._transport.write(answer or NOTHING)  # type: ignore[attr-defined]


async def serve(count_file: Path) -> None:
    answers = {(b"/p/%d" % number if number else b"/"): page(number) for number in range(PAGES)}
    with count_file.open("r+b") as file, mmap.mmap(file.fileno(), 8) as count:
        server = await asyncio.get_running_loop().create_server(lambda: Served(answers, count), ADDRESS, 0)
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()


@dataclass(frozen=True)
class Static:
    """What the small web's Ready says, of this one."""

    port: int
    settings: dict[str, str]
    count_file: Path

    @property
    def address(self) -> str:
        return f"{ADDRESS}:{self.port}"

    def served(self) -> int:
        return int.from_bytes(self.count_file.read_bytes()[:8], "little")


@contextmanager
def static_web(folder: Path) -> Iterator[Static]:
    count_file = folder / "served"
    count_file.write_bytes(bytes(8))
    words = [sys.executable, __file__, str(count_file)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        port = int(process.stdout.readline())
        allowed = {"ALLOWED_NETWORKS": "127.1.0.0/16", "RESOLVE": f"*.test={ADDRESS}:{port}"}
        try:
            yield Static(port, allowed, count_file)
        finally:
            process.terminate()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1])))
