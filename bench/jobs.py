"""How long it takes to make, start, look at and cancel a job, at three sizes; and the command as a user types it.

    python bench/jobs.py

Takes about 40 s. A status has to take as long for 50,000 domains as for 500: the last column says how many times as long.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Engine

from prospector.core.job.spec import JobSpec
from prospector.core.lists.exclusions import exclusions
from prospector.core.lists.intake import take
from prospector.core.lists.keyword_list import read_keywords
from prospector.frontier.client import Frontier
from prospector.jobs import control
from prospector.jobs.status import status
from prospector.jobs.submit import Submission, submit
from prospector.local import attach
from prospector.local.home import Home
from prospector.local.servers import with_home
from prospector.store import schema, server

T = TypeVar("T")
SIZES = (500, 10_000, 50_000)
RUNS = 5
LOOKS = 50


def timed(work: Callable[[], T]) -> tuple[float, T]:
    begun = time.monotonic()
    result = work()
    return time.monotonic() - begun, result


def listed(count: int) -> bytes:
    return "\n".join(["domain", *(f"site-{number}.com" for number in range(count))]).encode()


def measured(engine: Engine, frontier: Frontier, count: int) -> dict[str, float]:
    intake_seconds, intake = timed(lambda: take(listed(count), "domains.csv", exclusions()))
    asked = Submission(f"of {count}", JobSpec(), 10_000, intake, read_keywords(b"crm\n", "keywords.txt"))
    made_seconds, made = timed(lambda: submit(engine, asked))
    started_seconds, _ = timed(lambda: control.start(engine, frontier, made.job))
    looks_seconds, _ = timed(lambda: [status(engine, frontier, made.job) for _ in range(LOOKS)])
    paused_seconds, _ = timed(lambda: control.pause(engine, frontier, made.job))
    resumed_seconds, _ = timed(lambda: control.resume(engine, frontier, made.job))
    cancelled_seconds, _ = timed(lambda: control.cancel(engine, frontier, made.job))
    return {
        "read the list": intake_seconds,
        "make it in the record": made_seconds,
        "fill the frontier and start": started_seconds,
        "made and started": made_seconds + started_seconds,
        "status": looks_seconds / LOOKS,
        "pause": paused_seconds,
        "resume": resumed_seconds,
        "cancel": cancelled_seconds,
    }


def commands(folder: Path) -> None:
    (folder / "domains.csv").write_bytes(listed(SIZES[-1]))
    (folder / "keywords.txt").write_text("crm\n")
    environment = os.environ | {"PROSPECTOR_HOME": str(folder / "home")}

    def prospector(*words: str) -> str:
        command = [sys.executable, "-m", "cli", "job", *words]
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout

    files = ("--domains", "domains.csv", "--keywords", "keywords.txt", "--mode", "free-only")
    ran = []
    for number in range(RUNS):
        ran.append(timed(lambda number=number: prospector("run", "--name", f"run {number}", *files).strip()))
        job = ran[-1][1]
        prospector("cancel", job)
    seconds = sorted(seconds for seconds, _ in ran)
    print(f"\n{'job run, 50,000 domains, as a command':36}" + " ".join(f"{one:8.2f}" for one in seconds) + " s")
    print(f"{'job status, as a command':36}{timed(lambda: prospector('status', job))[0]:8.2f} s")
    prospector("delete", job, "--yes")


def main(folder: Path) -> None:
    home = Home(folder / "home")
    servers = with_home(home)
    engine, frontier = server.engine(servers.database_url, connections=2), Frontier(servers.redis_url)
    schema.migrate(engine)
    found = [measured(engine, frontier, count) for count in SIZES]
    print(f"{'domains':36}" + "".join(f"{count:10,}" for count in SIZES) + "   largest : smallest")
    for what in found[0]:
        row = [one[what] for one in found]
        print(f"{what + ', s':36}" + "".join(f"{one:10.3f}" for one in row) + f"{row[-1] / row[0]:10.1f}")
    commands(folder)
    frontier.close()
    engine.dispose()
    attach.stop(home)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        main(Path(made))
