"""The simulator as a process: it says where it is, ends when told, and what it charged outlives kill -9."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from http.client import HTTPException
from pathlib import Path

import pytest

from prospector.demo.process import Started
from prospector.demo.scrapingbee import server as scrapingbee_server
from prospector.demo.scrapingbee.server import SimulatorConfig
from prospector.errors import EnvironmentInvalid

from .conftest import KEY, Bee, Site

URL = "http://a.test/echo"


@pytest.fixture
def start(config: SimulatorConfig) -> Iterator[Callable[[], tuple[Started, Bee]]]:
    running: list[Started] = []

    def started() -> tuple[Started, Bee]:
        running.append(scrapingbee_server.start(config))
        return running[-1], Bee(running[-1].address)

    yield started
    for one in running:
        one.kill()


def shown(pid: int, what: str) -> str:
    return subprocess.run(["ps", "-o", f"{what}=", "-p", str(pid)], capture_output=True, text=True).stdout.strip()


def charges(path: Path) -> list[int]:
    return [json.loads(line)["cost"] for line in path.read_text().splitlines()]


def test_it_serves_is_ordered_about_and_ends_on_sigterm(start: Callable[[], tuple[Started, Bee]], site: Site) -> None:
    process, bee = start()

    process.order("captcha", calls=1)
    replies = [bee.call(URL), bee.call(URL)]

    assert b"human" in replies[0].body
    assert replies[1].status == 200
    assert process.truth()["credits"] == 2
    assert process.stop() == 0


def test_what_was_charged_outlives_kill_9_and_counts_after_a_restart(
    start: Callable[[], tuple[Started, Bee]], site: Site, tmp_path: Path
) -> None:
    process, bee = start()
    answered: list[int] = []

    def call(number: int) -> None:
        with suppress(OSError, HTTPException):
            answered.append(int(bee.call(f"{URL}?{number}").headers["Spb-cost"]))
            if len(answered) >= 100:
                process.kill()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(call, range(300)))
    written = charges(tmp_path / "truth.jsonl")
    again, bee = start()
    bee.call(URL)

    assert sum(answered) <= sum(written) <= sum(answered) + 8
    assert again.truth()["used_credits"] == sum(written) + 1
    assert [call["id"] for call in again.truth()["calls"]] == list(range(1, len(written) + 2))


@pytest.mark.parametrize(
    ("fault", "answered", "charged"),
    [("die_before_billing", False, 0), ("die_after_billing", False, 1), ("die_after_answer", True, 0)],
)
def test_it_can_die_on_either_side_of_the_bill(
    start: Callable[[], tuple[Started, Bee]], site: Site, tmp_path: Path, fault: str, answered: bool, charged: int
) -> None:
    process, bee = start()
    process.order(fault)

    costs: list[str] = []
    with suppress(OSError, HTTPException):
        costs = [bee.call(URL).headers["Spb-cost"]]

    assert process.wait() == 137
    assert costs == (["1"] if answered else [])
    assert sum(charges(tmp_path / "truth.jsonl")) == charged
    assert len(site.reached) == 1


def test_half_a_line_left_by_a_kill_is_cut_off(
    start: Callable[[], tuple[Started, Bee]], site: Site, tmp_path: Path
) -> None:
    process, bee = start()
    bee.call(URL)
    process.kill()
    with (tmp_path / "truth.jsonl").open("a") as file:
        file.write('{"id": 2, "url": "http://a.te')

    again, bee = start()
    bee.call(URL)

    assert again.truth()["credits"] == 2
    assert charges(tmp_path / "truth.jsonl") == [1, 1]


def test_the_key_is_not_in_the_list_of_processes(start: Callable[[], tuple[Started, Bee]], site: Site) -> None:
    process, _ = start()

    assert "demo.scrapingbee.server" in shown(process.pid, "args")
    assert KEY not in shown(process.pid, "args")


def test_it_ends_with_the_process_that_started_it(config: SimulatorConfig) -> None:
    starts = (
        "import json, sys\n"
        "from prospector.demo.scrapingbee.server import SimulatorConfig, start\n"
        "one = start(SimulatorConfig(**json.loads(sys.argv[1])))\n"
        "print(one.pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    fields = {"control_token": "t", "resolve": config.resolve}
    parent = subprocess.Popen(
        [sys.executable, "-c", starts, json.dumps(fields)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)

    while shown(child, "stat").strip("Z+s"):
        time.sleep(0.05)


def test_a_configuration_that_cannot_work_ends_the_start_in_words(
    config: SimulatorConfig, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(EnvironmentInvalid, match=r"did not start \(exit 2\)"):
        scrapingbee_server.start(replace(config, host="0.0.0.0"))

    assert capfd.readouterr().err == (
        "0.0.0.0 is not a loopback address. The demo's servers listen on 127.0.0.0/8 only.\n"
    )
