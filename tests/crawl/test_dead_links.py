"""Links to the client's own addresses, some of which are no more: asked for at the end of a job, by real workers."""

import time
from collections import Counter
from collections.abc import Callable

from prospector.core.job.states import ENDED, JobState
from prospector.core.results.targets import Health
from prospector.demo.web.plan import Plan
from prospector.demo.web.request_log import entries
from prospector.demo.web.site import CLIENT
from prospector.demo.web.truth import canonical, expected_links
from prospector.frontier import job_calls
from prospector.jobs.follow import reconcile

from .conftest import LIMITS, Fleet

KINDS, SITES, SEED = ("company", "blog", "subdomains"), 12, 89
PATIENCE_SECONDS = 120
ONCE = {"/retired", "/discontinued", "/emptied"}  # the others lead on, or are asked as homepages are


def follow(one: Fleet, job: str) -> JobState:
    """As the steward does."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (state := reconcile(one.engine, one.frontier, job)) not in ENDED:
        assert time.monotonic() < deadline, one.frontier.run(job_calls.status([job]))
        assert all(worker.poll() is None for worker in one.workers), "a worker ended"
        time.sleep(0.2)
    return state


def test_pages_whose_links_to_the_client_are_dead_say_so_and_asking_is_polite_and_counted_nowhere(
    crew: Callable[..., Fleet],
) -> None:
    one, plan = crew(KINDS, SEED, SITES), Plan(SEED, SITES, KINDS)
    job = one.job(plan)
    one.worker()
    one.worker()

    state = follow(one, job)
    one.stop()

    left = one.left(plan, job)
    planned = {canonical(found.url): found.status for found in expected_links(plan, LIMITS)}
    assert state is JobState.COMPLETED
    assert {"dead", "follow"} < set(planned.values())
    assert {canonical(row["url"]): row["link"] for row in left.pages if row["link"] in {*planned.values()}} == planned

    beyond = one.rows("SELECT * FROM pages WHERE job = :job AND domain >= :listed", job=job, listed=len(left.domains))
    assert Counter(row["detail"] for row in beyond) == {Health.DEAD: 4, Health.ALIVE: 3}
    assert {row["outcome"] for row in beyond} == {"skipped"}
    asked = [entry for entry in entries(left.log) if entry.host.removeprefix("www.") == CLIENT]
    assert Counter(entry.path for entry in asked if entry.path in ONCE) == dict.fromkeys(ONCE, 1)
    assert [line for line in left.verdict().lines if line.good is False] == []

    [kept] = one.rows("SELECT * FROM checkpoints WHERE job = :job", job=job)
    assert kept["domains_total"] == kept["domains_done"] + kept["domains_failed"] == len(left.domains)
    assert kept["pages"] == sum(row["pages"] for row in left.domains.values())
