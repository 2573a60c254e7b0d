"""How many requests a second the small web serves, and the CPU it takes for one. Ten seconds.

python bench/web.py [--sites 1000] [--seconds 10] [--connections 32]
"""

import argparse
import os
import selectors
import socket
import tempfile
import time
from pathlib import Path
from random import Random

from prospector.demo.web.own_process import running
from prospector.demo.web.plan import Plan
from prospector.demo.web.site import Reach, Schemes

TICKS = os.sysconf("SC_CLK_TCK")


def requests_of(plan: Plan) -> list[bytes]:
    """Pages of ordinary sites, in no order: most are asked for once before they are asked for again."""
    wanted = [
        f"GET {page.target} HTTP/1.1\r\nHost: {page.host}\r\nUser-Agent: bench\r\nAccept-Encoding: gzip\r\n\r\n".encode()
        for site in plan.sites
        for page in site.pages.values()
        if site.rule is None and site.schemes is Schemes.HTTP and page.reach is Reach.DIRECT
        if page.key not in site.answers
    ]
    Random(1).shuffle(wanted)
    return wanted


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def load(port: int, wanted: list[bytes], seconds: float, connections: int) -> tuple[int, int]:
    """Requests answered and bytes read: one request in flight on each connection."""
    chosen = selectors.DefaultSelector()
    turn = served = received = 0
    for _ in range(connections):
        connection = socket.create_connection(("127.1.0.1", port))
        chosen.register(connection, selectors.EVENT_READ, [0])  # bytes of the answer that are still to come
        connection.sendall(wanted[turn := turn + 1])
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for key, _ in chosen.select(1):
            data = key.fileobj.recv(262_144)
            received += len(data)
            missing = key.data
            if not missing[0]:
                head, _, body = data.partition(b"\r\n\r\n")
                missing[0] = int(head.partition(b"Content-Length: ")[2].partition(b"\r\n")[0]) - len(body)
            else:
                missing[0] -= len(data)
            if not missing[0]:
                served += 1
                key.fileobj.sendall(wanted[(turn := turn + 1) % len(wanted)])
    for key in list(chosen.get_map().values()):
        key.fileobj.close()
    return served, received


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--sites", type=int, default=1000)
    words.add_argument("--seconds", type=float, default=10)
    words.add_argument("--connections", type=int, default=32)
    given = words.parse_args()
    wanted = requests_of(Plan(1, given.sites))
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "web.jsonl", sites=given.sites) as ready:
        for passing in ("first", "second"):
            before = cpu_seconds(ready.pid)
            served, received = load(ready.port, wanted, given.seconds / 2, given.connections)
            cpu = cpu_seconds(ready.pid) - before
            print(
                f"{passing} half: {served / (given.seconds / 2):,.0f} requests/s, {received / served / 1000:.1f} kB each, "
                f"{cpu / served * 1e6:,.0f} us of CPU each ({served / cpu:,.0f} requests/s on a whole core), "
                f"{len(wanted):,} pages"
            )


if __name__ == "__main__":
    main()
