"""Several workers and jobs on the same sites: one gate a site, one robots.txt an authority, and each job its own results (L1, L2)."""

from collections import Counter
from collections.abc import Callable

from prospector.demo.plan import Plan
from prospector.demo.request_log import entries

from .conftest import Fleet

KINDS = ("company", "subdomains", "family", "twins", "idn")
SEED = 6


def test_two_workers_and_two_jobs_keep_one_gate_a_site(crew: Callable[..., Fleet]) -> None:
    """The real second: the sites see no two requests closer, whoever sent them and to whichever of their hosts."""
    one, plan = crew(KINDS, SEED), Plan(SEED, len(KINDS), KINDS)
    both = one.job(plan, "first"), one.job(plan, "second")
    for _ in range(2):
        one.worker(DELAY_MS="1000")

    one.until_over(*both, seconds=100)
    one.stop()

    for job in both:
        crawled = one.left(plan, job)
        verdict = crawled.verdict(delay_seconds=1.0)
        assert [(line.what, line.seen, line.examples) for line in verdict.lines if line.good is False] == []
        assert {row["state"] for row in crawled.domains.values()} == {"done"}
    log = list(entries(crawled.log))
    robots = Counter((entry.scheme, entry.host) for entry in log if entry.path == "/robots.txt" and entry.status < 300)
    assert set(robots.values()) == {1}
    agents = Counter(entry.agent for entry in log if entry.path != "/robots.txt")
    assert len(agents) > 1
