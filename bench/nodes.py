"""One job over four real Scrapyd nodes, one of them killed, a fifth one added: how fast it begins, and what is lost.

    python bench/nodes.py

Takes about two minutes, most of it until the leases of the killed node have run out. Each site has twenty pages and is
asked once a second, so the full rate is one page a second for each site.
"""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

from sqlalchemy import text

from prospector import nodes
from prospector.core.job.spec import JobSpec
from prospector.core.job.states import ENDED
from prospector.core.visits.methods import Mode
from prospector.demo.web.own_process import running
from prospector.errors import ProspectorError
from prospector.frontier import calls, job_calls
from prospector.frontier.client import Frontier

SITES = 48
PAGES = 20
LIMIT_SECONDS = 200
CONFIG = """\
[scrapyd]
http_port = {port}
username = prospector
password = {password}
poll_interval = 0.5
jobs_to_keep = 100
[settings]
default = prospector.settings
prospector = prospector.settings
"""


class Machine:
    """A Scrapyd and its workers, which die together."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        password = secrets.token_hex(8)
        (folder / "scrapyd.conf").write_text(CONFIG.format(port=port, password=password))
        self.url = f"http://prospector:{password}@127.0.0.1:{port}"
        self.folder = folder
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, environment: dict[str, str]) -> None:
        environment = os.environ | environment | {"SCRAPY_SETTINGS_MODULE": "prospector.settings"}
        with (self.folder / "out").open("w") as out:
            command = [sys.executable, "-P", "-m", "scrapyd"]
            self.process = subprocess.Popen(command, cwd=self.folder, env=environment, stdout=out, stderr=out)

    def kill(self) -> None:
        if self.process and self.process.poll() is None:
            try:
                pids = [one["pid"] for one in nodes.call(self.url, "listjobs.json")["running"]]
            except ProspectorError:
                pids = []
            for pid in [*pids, self.process.pid]:
                os.kill(pid, signal.SIGKILL)
            self.process.wait()


def main(folder: Path) -> None:
    machines = [Machine(folder / f"node{number}") for number in range(5)]
    os.environ["SCRAPYD_URLS"] = ",".join(one.url for one in machines)
    os.environ["LOCAL_IDLE_SECONDS"] = "5"
    os.environ["WORKERS_PER_NODE"] = "1"
    with running(folder / "web.jsonl", sites=SITES, kinds=("twenty",)) as web:
        os.environ.update(web.settings)
        try:
            crawl(folder, machines)
        finally:
            for one in machines:
                one.kill()
    judge(folder / "web.jsonl")


def crawl(folder: Path, machines: list[Machine]) -> None:
    from prospector.jobs import control, workers  # the settings are read when these are imported
    from prospector.local import attach
    from prospector.local.home import Home
    from prospector.local.servers import with_home
    from prospector.store import jobs, schema, server
    from prospector.store.jobs import Keyword, ListedDomain, NewJob
    from prospector.store.partitions import pages_of

    home = Home(folder / "home")
    servers = with_home(home)
    environment = {"DATABASE_URL": servers.database_url, "REDIS_URL": servers.redis_url}
    for one in machines[:4]:
        one.start(environment)
    engine, frontier = server.engine(servers.database_url), Frontier(servers.redis_url)
    schema.migrate(engine)
    time.sleep(5)  # the nodes and the steward are there; no worker is
    listed = [ListedDomain(f"twenty-{number:04}.test", number) for number in range(SITES)]
    with engine.begin() as connection:
        new = NewJob("four nodes", JobSpec(mode=Mode.FREE_ONLY).stored(), 0, [Keyword("acme crm")], listed)
        job = jobs.create(connection, new).job
    began = time.monotonic()
    control.start(engine, frontier, job)
    workers.call_workers(engine, frontier, servers.scrapyd_urls, per_node=1)  # as `job run` does
    try:
        follow(machines, frontier, environment, job, began)
        with engine.connect() as connection:
            ended = jobs.job(connection, job)
            read = text(f"SELECT count(*) FROM {pages_of(job)} WHERE outcome = 'read'")
            pages = connection.scalar(read)
        assert ended.state in ENDED
        print(f"job is {ended.state}: {ended.reason}; {pages} of {SITES * PAGES} pages")
    finally:
        attach.detach(home)
        attach.stop(home)


def follow(machines: list[Machine], frontier: Frontier, environment: dict[str, str], job: str, began: float) -> None:
    marks: dict[str, float] = {}
    pages = [(began, 0)]
    while time.monotonic() - began < LIMIT_SECONDS:
        time.sleep(0.25)
        now = time.monotonic()
        (status,) = frontier.run(job_calls.status([job]))
        if status is None:
            break
        pages.append((now, status.pages))
        at_work = {one.node for one in frontier.run(calls.workers())}
        lately = next((past for past in reversed(pages) if now - past[0] >= 3), pages[0])
        rate = (status.pages - lately[1]) / (now - lately[0])
        for name, reached in {
            "first page is read": status.pages > 0,
            "four nodes are at work": len(at_work) >= 4,
            "nine tenths of the full rate": rate >= 0.9 * SITES,
        }.items():
            if reached and name not in marks:
                marks[name] = now - began
                print(f"{name:40}{marks[name]:8.1f} s")
        if "killed" not in marks and status.pages > SITES * PAGES / 3:
            machines[1].kill()
            machines[4].start(environment)
            marks["killed"] = now
            print(f"one node killed, another one started    {now - began:8.1f} s, {status.pages} pages")
        if "killed" in marks and "joined" not in marks and nodes.name(machines[4].url) in at_work:
            marks["joined"] = now
            print(f"the new node is at work after           {now - marks['killed']:8.1f} s")
    print(f"{'all is read':40}{time.monotonic() - began:8.1f} s")


def judge(log: Path) -> None:
    """By what the web itself has seen."""
    asked: Counter[tuple[str, str]] = Counter()
    seen_of: dict[str, list[tuple[int, int]]] = {}
    for line in log.read_text(encoding="utf-8").splitlines()[1:]:  # after the heading
        seen = json.loads(line)
        asked[seen["host"], seen["path"]] += 1
        seen_of.setdefault(seen["site"], []).append((seen["at_ns"], seen["end_ns"]))
    gaps = [later[0] - earlier[1] for ones in seen_of.values() for earlier, later in pairwise(sorted(ones))]
    print(f"{'requests made again':40}{sum(asked.values()) - len(asked):8}")
    print(f"{'smallest gap at a site':40}{min(gaps) / 1e9:8.3f} s")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        main(Path(made))
