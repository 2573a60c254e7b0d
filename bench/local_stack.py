"""How long the local stack takes to start, to attach to, and to serve again after each kill; its memory and its size.

    python bench/local_stack.py

Takes about 20 s. Every time is from the call, or the kill, until Postgres and Redis have given back what was written.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psutil
import psycopg2
from redis import Redis, RedisError

from prospector import nodes
from prospector.local import attach
from prospector.local.home import Home
from prospector.local.servers import Servers, with_home

ATTACHES = 1000
CLIENT = "from prospector.local.servers import in_force; in_force()"


def seconds(work: Callable[[], object]) -> float:
    begun = time.monotonic()
    work()
    return time.monotonic() - begun


def served(servers: Servers) -> None:
    while True:
        try:
            with closing(psycopg2.connect(servers.database_url)) as connection, connection.cursor() as cursor:
                cursor.execute("SELECT value FROM kept")
                assert cursor.fetchone() == (1,)
            with Redis.from_url(servers.redis_url) as redis:
                assert redis.get("kept") == b"1"
        except (psycopg2.OperationalError, RedisError):
            time.sleep(0.005)
        else:
            return


def processes(home: Home) -> list[psutil.Process]:
    return [
        one for one in psutil.process_iter(["cmdline", "status"]) if home.mark in " ".join(one.info["cmdline"] or [])
    ]


def gone(home: Home) -> None:
    while any(one.info["status"] != psutil.STATUS_ZOMBIE for one in processes(home)):
        time.sleep(0.01)


def stop(home: Home) -> None:
    attach.detach(home)
    attach.stop(home)


def server(home: Home, name: str) -> int:
    return int(home.lock(name).read_text().split()[0])


def supervisor(home: Home) -> int:
    found = attach.running(home)
    assert found
    return found.pid


def eight_first_starts(folder: Path) -> None:
    environment = os.environ | {"PROSPECTOR_HOME": str(folder)}
    clients = [subprocess.Popen([sys.executable, "-c", CLIENT], env=environment) for _ in range(8)]
    assert [one.wait() for one in clients] == [0] * 8


def kills(home: Home, servers: Servers) -> None:
    for name in ("postgres", "redis"):
        os.kill(server(home, name), signal.SIGKILL)
        show(f"kill -9 {name}: serves again", seconds(lambda: served(servers)))
        time.sleep(0.5)
    os.kill(server(home, "scrapyd"), signal.SIGKILL)
    show("kill -9 scrapyd: answers again", seconds(lambda: nodes.status(servers.scrapyd_urls[0])))
    os.kill(supervisor(home), signal.SIGKILL)
    show("kill -9 supervisor: nothing runs any more", seconds(lambda: gone(home)))
    show("  next start, with the data", seconds(lambda: served(with_home(home))))
    for one in processes(home):
        one.kill()
    show("kill -9 of everything: nothing runs any more", seconds(lambda: gone(home)))
    show("  next start, with the data", seconds(lambda: served(with_home(home))))


def show(what: str, took: float) -> None:
    print(f"{what:48}{took:9.4f} s")


def main(folder: Path) -> None:
    home = Home(folder / "home")
    show("first start", seconds(lambda: with_home(home)))
    stop(home)
    show("second start", seconds(lambda: with_home(home)))
    servers = with_home(home)
    show("attach", seconds(lambda: [with_home(home) for _ in range(ATTACHES)]) / ATTACHES)
    show("command that attaches, Python included", seconds(lambda: eight_first_starts(home.folder)) / 8)
    with closing(psycopg2.connect(servers.database_url)) as connection, connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE kept AS SELECT 1 AS value")
    with Redis.from_url(servers.redis_url) as redis:
        redis.set("kept", 1)
    time.sleep(2)
    memory = {one.pid: one.memory_full_info().pss for one in processes(home)}
    print(f"{'memory at rest (PSS)':48}{sum(memory.values()) / 1e6:9.1f} MB in {len(memory)} processes")
    size = sum(file.lstat().st_blocks * 512 for file in home.folder.rglob("*"))
    print(f"{'data folder, new':48}{size / 1e6:9.1f} MB")
    kills(home, servers)
    show("stop", seconds(lambda: stop(home)))
    show("eight first starts at once", seconds(lambda: eight_first_starts(folder / "eight")))
    stop(Home(folder / "eight"))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        main(Path(made))
