"""What an export costs, and whether the rows of other jobs make it dearer: 50,000 domains and 1,000,000 mentions.

    .venv/bin/python -m bench.export [--others 20] [--rounds 2] [--domains 50000]

One Postgres with two databases: in the first the job is alone, in the second it stands beside `--others` jobs of the same size.
All is measured in turn in both, so that whatever else the machine does meets both. An export is the child process that the
steward starts: its time, its CPU and that of its Postgres backends, the most memory it ever held. Then batches of 100
pages and looks at a job's status. Generating takes most of the run: 10-30 s and 0.6 GB a job; it ends early where the disk fills up.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory

from sqlalchemy import Engine, make_url, text

from bench.generated import KEYWORDS, MENTIONS_PER_PAGE, PAGES_PER_DOMAIN, batch, make
from prospector.core.job.states import JobState
from prospector.frontier.client import Frontier
from prospector.jobs import control
from prospector.jobs.exports.order import Format, Order
from prospector.jobs.status import status
from prospector.local import attach
from prospector.local.home import Home
from prospector.local.servers import with_home
from prospector.store import exports, jobs, pages, schema, server
from prospector.store.jobs import Keyword, ListedDomain, NewJob

ORDERS = {str(one): Order((one,)) for one in Format} | {"all of them": Order(tuple(Format))}
BATCHES, LOOKS = 200, 200
LOOK_SECONDS = 0.02
SPARE_BYTES = 25 * 10**9
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Side:
    """`looked_at`: a running job whose status is asked for."""

    name: str
    engine: Engine
    job: str
    looked_at: str
    postmaster: int

    @property
    def url(self) -> str:
        return self.engine.url.render_as_string(hide_password=False)

    def backends_cpu_seconds(self) -> float:
        """Of all that have ended."""
        fields = Path(f"/proc/{self.postmaster}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[13]) + int(fields[14])) / TICKS


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--others", type=int, default=20)
    options.add_argument("--rounds", type=int, default=2)
    options.add_argument("--domains", type=int, default=50_000)
    given = options.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        home = Home(folder / "stack")
        servers = with_home(home)
        frontier = Frontier(servers.redis_url)
        try:
            sides = [side(servers.database_url, frontier, name, given.domains) for name in ("alone", "beside")]
            crowd(sides[1].engine, given.others, given.domains, folder)
            for number in range(given.rounds):
                print(f"round {number + 1}, load {os.getloadavg()[0]:.1f}", flush=True)
                for order in ORDERS:
                    for one in sides:
                        print(f"  {order:<12} {one.name:<7} {exported(one, ORDERS[order], folder)}", flush=True)
            beside_each_other("batch of 100 pages", sides, BATCHES, lambda one: lambda: write(one, given.domains))
            beside_each_other("status", sides, LOOKS, lambda one: lambda: status(one.engine, frontier, one.looked_at))
        finally:
            frontier.close()
            attach.detach(home)
            attach.stop(home)


def side(maintenance_url: str, frontier: Frontier, name: str, domains: int) -> Side:
    server.make_database(maintenance_url, f"bench_{name}")
    url = make_url(maintenance_url).set(database=f"bench_{name}").render_as_string(hide_password=False)
    engine = server.engine(url, connections=2)
    schema.migrate(engine)
    job = make(engine, domains)
    listed = [ListedDomain(f"site-{n}.example.com", n + 2) for n in range(domains)]
    with engine.begin() as connection:
        looked_at = jobs.create(connection, NewJob("looked at", {}, 10_000, [Keyword("crm")], listed)).job
        backend: int = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
    assert control.start(engine, frontier, looked_at) is JobState.RUNNING
    parent = int(Path(f"/proc/{backend}/stat").read_text().rpartition(")")[2].split()[1])
    return Side(name, engine, job, looked_at, parent)


def crowd(engine: Engine, others: int, domains: int, folder: Path) -> None:
    began, made = time.monotonic(), 0
    while made < others and shutil.disk_usage(folder).free > SPARE_BYTES:
        make(engine, domains)
        made += 1
    rows = domains * PAGES_PER_DOMAIN * MENTIONS_PER_PAGE
    with engine.connect() as connection:
        size = connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one()
    print(
        f"{rows:,} mentions, {domains:,} domains; beside it {made * rows:,} mentions and {made * domains:,} domains of {made} "
        f"other jobs, {size / 1e9:.1f} GB in all, generated in {time.monotonic() - began:.0f} s",
        flush=True,
    )


def exported(one: Side, order: Order, folder: Path) -> str:
    with one.engine.begin() as connection:
        exports.ask(connection, one.job, list(map(str, order.formats)), order.options)
    environment = os.environ | {
        "DATABASE_URL": one.url,
        "STORAGE_URL": (folder / "files").as_uri(),
        "TMPDIR": str(folder),
    }
    backends, began = one.backends_cpu_seconds(), time.monotonic()
    process = subprocess.Popen([sys.executable, "-m", "prospector.jobs.exports"], env=environment)
    peak_mb = highest_mb(process.pid)
    _, code, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - began
    process.returncode = os.waitstatus_to_exitcode(code)
    time.sleep(1)  # until the postmaster has reaped its backends
    with one.engine.connect() as connection:
        made = exports.of_job(connection, one.job)[0]
    assert made.state == "ready", made.reason
    size_mb = sum(int(str(file["bytes"])) for file in made.files) / 1e6
    shutil.rmtree(folder / "files")
    return (
        f"{seconds:6.1f} s   CPU {usage.ru_utime + usage.ru_stime:5.1f} s, of Postgres {one.backends_cpu_seconds() - backends:4.1f} s"
        f"   {peak_mb:4.0f} MB at most   {size_mb:5.0f} MB of files"
    )


def highest_mb(pid: int) -> float:
    """Until it ends. Not ru_maxrss: that begins with what this process holds, from before its exec."""
    highest_kb, status_file = 0, Path(f"/proc/{pid}/status")
    while line := re.search(r"VmHWM:\s*(\d+)", status_file.read_text()):
        highest_kb = int(line[1])
        time.sleep(LOOK_SECONDS)
    return highest_kb / 1024


def beside_each_other(what: str, sides: list[Side], times: int, work: Callable[[Side], Callable[[], object]]) -> None:
    taken: dict[str, list[float]] = {one.name: [] for one in sides}
    for _ in range(times):
        for one in random.sample(sides, len(sides)):
            began = time.perf_counter()
            work(one)()
            taken[one.name].append((time.perf_counter() - began) * 1_000)
    print(f"{what}, {times} times, load {os.getloadavg()[0]:.1f}")
    for name, milliseconds in taken.items():
        cut = quantiles(milliseconds, n=100)
        print(f"  {name:<7} P50 {cut[49]:6.1f} ms   P95 {cut[94]:6.1f} ms", flush=True)


def write(one: Side, domains: int) -> None:
    pages.write(one.engine, one.job, batch(domains, KEYWORDS))


if __name__ == "__main__":
    main()
