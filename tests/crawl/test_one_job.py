"""`scrapy crawl domain -a job=ID`: a worker that serves one job only."""

from collections.abc import Callable

from prospector.demo.web.plan import Plan

from .conftest import Fleet

KINDS = ("twins", "idn")


def test_a_worker_of_one_job_finishes_it_and_touches_no_other(crew: Callable[..., Fleet]) -> None:
    one, plan = crew(KINDS, 4), Plan(4, len(KINDS), KINDS)
    mine, other = one.job(plan, "mine"), one.job(plan, "other")
    one.worker("-a", f"job={mine}")

    one.until_over(mine, seconds=150)
    one.stop()

    assert {row["state"] for row in one.left(plan, mine).domains.values()} == {"done"}
    assert {row["state"] for row in one.left(plan, other).domains.values()} == {"waiting"}
    assert one.left(plan, other).pages == []


def test_a_job_that_is_not_there_ends_the_worker_in_words(crew: Callable[..., Fleet]) -> None:
    one = crew(KINDS, 4)

    worker = one.worker("-a", "job=nonesuch")

    assert worker.wait(60) == 5
    assert (one.folder / "worker-0.log").read_text().splitlines() == [
        "There is no job 'nonesuch'. prospector job list shows all."
    ]
