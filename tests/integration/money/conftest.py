"""The frontier's own Redis, and a worker in small between it and the simulator."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from prospector.core.visits.methods import Method
from prospector.demo.control import Control
from prospector.frontier import calls
from prospector.frontier.calls import Limits, Seed

from ..conftest import KEY  # noqa: TID252  # of the simulator that all suites share
from ..frontier.conftest import Hand, own_server  # noqa: F401, TID252  # a Redis that this test may do anything to

CRAWL = Path(__file__).with_name("crawl.py")


@pytest.fixture
def frontier(own_server: Any) -> Iterator[Hand]:  # noqa: F811  # a fixture and its use
    hand = Hand(own_server.url)
    hand.begin()
    yield hand
    hand.close()


@dataclass(frozen=True)
class Crawled:
    done: dict[str, str]
    output: str


@pytest.fixture
def crawl(frontier: Hand, bee: Control, own_server: Any) -> Callable[..., Crawled]:  # noqa: F811
    """Crawls the homepages of some domains as job `one`, and ends when nothing more can be done."""

    def run(domains: list[str], cap_credits: int = 10_000, meanwhile: Any = None, **wish: Any) -> Crawled:
        frontier.run(calls.create("one", Limits(cap_credits, first_method=Method.STANDARD)))
        seeds = [Seed(one, number, one, f"http://{one}/", number) for number, one in enumerate(domains)]
        frontier.run(calls.seed("one", seeds))
        frontier.run(calls.lift("one"))
        frontier.advance(2_000)
        told = {"api_url": f"http://{bee.address}/api/v1/", "redis": own_server.url, "paid_most": 6}
        command = [sys.executable, CRAWL]
        environment = {**os.environ, "SCRAPINGBEE_API_KEY": KEY}
        with subprocess.Popen(command, stdin=-1, stdout=-1, stderr=-1, text=True, env=environment) as process:
            ended = threading.Event()
            helper = threading.Thread(target=meanwhile or (lambda _: None), args=(ended,))
            helper.start()
            timer = threading.Timer(150, process.kill)
            timer.start()
            output, log = process.communicate(json.dumps(told | {"pages": len(domains)} | wish) + "\n", timeout=160)
            timer.cancel()
            ended.set()
            helper.join()
        assert process.returncode == 0, log
        return Crawled(json.loads(output.splitlines()[-1])["done"], output + log)

    return run
