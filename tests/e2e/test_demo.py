"""`prospector demo` as a new user runs it: a clean home, one command, files that are whole, and nothing left."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import openpyxl
import psutil
import pytest

CLONE = Path(__file__).parents[2]
SITES = 30  # enough that one of them fails
SECONDS = 240  # of a machine on which everything else runs too
LEAVES_SECONDS = 60


def command_line(process: psutil.Process) -> str:
    """Of its command line; empty where it has ended meanwhile."""
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return ""


class Running:
    """The demo as a process, and all that it starts: their environment names this test's own folder."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.folder = folder
        # what a user may have set for a deployment of their own must not reach the demo, nor be reached by it
        own = {
            "DATABASE_URL": "postgresql://user@192.0.2.1/theirs",
            "DELAY_MS": "5000",
            "SCRAPINGBEE_API_KEY": "theirs",
        }
        environment = {"HOME": str(folder), "TMPDIR": str(folder), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(CLONE)}
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "cli", "demo", f"--sites={SITES}", *words],
            cwd=folder,
            env=environment | own,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def all(self) -> list[psutil.Process]:
        return [one for one in psutil.process_iter() if self._is_ours(one)]

    def _is_ours(self, one: psutil.Process) -> bool:
        try:
            return one.environ().get("TMPDIR") == str(self.folder) and one.status() != psutil.STATUS_ZOMBIE
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            return False

    def listeners(self) -> set[str]:
        """The addresses on which anything of it listens."""
        found = set()
        for one in self.all():
            try:
                found |= {each.laddr.ip for each in one.net_connections("inet") if each.status == psutil.CONN_LISTEN}
            except psutil.NoSuchProcess:
                continue
        return found

    def ended(self) -> tuple[int, str, str]:
        said, words = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, said, words

    def left(self) -> list[str]:
        """What still runs some time after it has ended."""
        until = time.monotonic() + LEAVES_SECONDS
        while (found := self.all()) and time.monotonic() < until:
            time.sleep(0.2)
        return [command_line(one) for one in found]


@pytest.fixture
def started(tmp_path: Path) -> Iterator[list[Running]]:
    """Those a test starts; whatever happens, they end."""
    made: list[Running] = []
    yield made
    for demo in made:
        for one in demo.all():
            with suppress(psutil.NoSuchProcess):
                one.kill()


def crawling(demo: Running) -> bool:
    """True once there is a worker; False if it ended before."""
    while demo.process.poll() is None:
        if any(" crawl " in command_line(one) for one in demo.all()):
            return True
        time.sleep(0.1)
    return False


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))


def sheet(path: Path, name: str) -> list[tuple[Any, ...]]:
    book = openpyxl.load_workbook(path, read_only=True)
    found = list(book[name].iter_rows(values_only=True))
    book.close()
    return found


def test_a_new_user_sees_a_whole_job_and_has_its_files(tmp_path: Path, started: list[Running]) -> None:
    demo = Running(tmp_path, "--json")
    started.append(demo)
    assert crawling(demo)
    listeners = demo.listeners()

    code, said, words = demo.ended()

    assert code == 0, words
    told = json.loads(said)
    assert told["verdict"]["good"]
    check_files(told, {name: Path(path) for name, path in told["files"].items()})
    assert listeners
    assert all(ip_address(one).is_loopback for one in listeners)
    assert demo.left() == []
    assert [path.name for path in tmp_path.iterdir()] == ["prospector-demo"]


def check_files(told: dict[str, Any], files: dict[str, Path]) -> None:
    """All of one story: the sum, the tables, the workbook, the report."""
    total = told["sum"]
    prospects, results, errors = (rows(files[f"{name}.csv"]) for name in ("prospects", "results", "errors"))
    verdicts = Counter(row["verdict"] for row in prospects)
    assert total["rows in your list"] == parts_of_the_list(total)
    assert total["domains"] == len(prospects) == total["done"] + total["failed"]
    assert total["waiting"] == 0
    assert total["failed"] == verdicts["failed"] == len(errors)
    assert total["done"] == sum(count for verdict, count in verdicts.items() if verdict != "failed")
    assert len(sheet(files["results.xlsx"], "Mentions")) == len(results) + 1
    assert len(sheet(files["results.xlsx"], "Failed")) == len(errors) + 1
    assert sum(int(row["total_credits"]) for row in rows(files["cost.csv"])) > 0
    report = files["report.html"].read_text(encoding="utf-8")
    assert f"{verdicts['qualified']:,} qualified" in report


def parts_of_the_list(total: dict[str, int]) -> int:
    return total["duplicates"] + total["excluded"] + total["unusable"] + total["domains"]


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_one_that_is_interrupted_leaves_nothing_running(
    tmp_path: Path, started: list[Running], sign: signal.Signals
) -> None:
    demo = Running(tmp_path)
    started.append(demo)
    assert crawling(demo)

    demo.process.send_signal(sign)
    code, _, words = demo.ended()

    assert code == 130
    assert words.endswith("Interrupted. Nothing of the demo is left running.\n")
    assert demo.left() == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["prospector-demo"]


def test_a_folder_that_cannot_be_written_is_said_before_anything_starts(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")

    ended = subprocess.run(
        [sys.executable, "-P", "-m", "cli", "demo", "--out", "taken/below"],
        cwd=tmp_path,
        env=os.environ | {"TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert ended.returncode == 3
    assert "taken/below: Not a directory. Choose another --out." in ended.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
