"""A process with Scrapy's reactor that makes paid calls."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from prospector.core.visits.methods import Method
from prospector.demo.control import Control

from ..conftest import KEY  # noqa: TID252  # of the simulator that all suites share

CALLER = Path(__file__).with_name("caller.py")


class Caller:
    """Makes calls at once with the others of the same list, and tells of each what came of it."""

    def __init__(self, process: subprocess.Popen[str], api_url: str) -> None:
        self._process = process
        self.api_url = api_url

    def call(self, path: str = "/", method: Method = Method.STANDARD, **more: Any) -> dict[str, Any]:
        return self.calls([path], method, **more)[0]

    def calls(self, paths: list[str], method: Method = Method.STANDARD, **more: Any) -> list[dict[str, Any]]:
        common = {"api_url": self.api_url, "key": KEY, "method": method}
        wishes = [{**common, "url": f"http://a.test{path}", **more} for path in paths]
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(wishes) + "\n")
        self._process.stdin.flush()
        answers: list[dict[str, Any]] = json.loads(self._process.stdout.readline())
        return answers


@pytest.fixture(scope="session")
def caller_process() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, CALLER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        assert process.stdin
        process.stdin.close()
        assert process.wait(30) == 0


@pytest.fixture
def caller(caller_process: subprocess.Popen[str], bee: Control) -> Caller:
    return Caller(caller_process, f"http://{bee.address}/api/v1/")
