"""What a worker does all the time, beside its pages: a refusal does not end it, and a worker that has lost it is replaced."""

import time
from collections.abc import Callable
from pathlib import Path

from prospector.demo.web.plan import Plan

from .conftest import Fleet

KINDS = ["twenty"]


def until_said(one: Fleet, word: str, seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    while word not in (one.folder / "worker-0.log").read_text(encoding="utf-8"):
        assert time.monotonic() < deadline, f"{word} is not in the log"
        time.sleep(0.1)


def test_domains_are_closed_after_redis_could_not_tell_which_have_ended(crew: Callable[..., Fleet]) -> None:
    one = crew(KINDS, 5, 2)
    one.frontier.redis.set("prospector:dead", "no hash")
    job = one.job(Plan(5, 2, KINDS))
    one.worker()
    until_said(one, "endings_wait")

    one.frontier.redis.delete("prospector:dead")

    one.until_over(job, seconds=150)


def test_a_worker_that_has_lost_a_task_of_its_own_gives_back_what_it_has_and_ends(crew: Callable[..., Fleet]) -> None:
    one = crew(KINDS, 5, 2)
    one.job(Plan(5, 2, KINDS))

    worker = one.worker(PYTHONPATH=str(Path(__file__).parent), SCRAPY_SETTINGS_MODULE="defective_settings")

    assert worker.wait(60) == 0
    until_said(one, "worker_broken")
    until_said(one, "a defect of this test")
    assert one.frontier.redis.hlen("prospector:leases") == 0
