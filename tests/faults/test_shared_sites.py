"""L1 and L2: workers and jobs share sites, and each site is asked once a second at most: the real second."""

from collections import Counter
from pathlib import Path

from sqlalchemy import Engine

from .crawl import crawling

KINDS = ("company", "subdomains", "family", "twins", "idn")


def test_four_workers_with_two_jobs_on_the_same_sites_keep_one_gate_a_site(folder: Path, engine: Engine) -> None:
    """Hosts of one domain, domains of one site, with and without www, two jobs: one gate. robots.txt is read once."""
    with crawling(folder, engine, kinds=KINDS, sites=len(KINDS), delay_ms=1_000) as crawl:
        crawl.job("one")
        crawl.job("two")
        for number in range(4):
            crawl.worker(f"node-{number % 2}")
        verdict = crawl.finish()

    assert verdict.broken == []
    robots = Counter(host for _, host, path in verdict.requests if path == "/robots.txt")
    assert float(verdict.lines["smallest gap"].split()[0]) >= 1.0
    assert max(robots.values()) <= 2  # over https, and over http where that is another authority
