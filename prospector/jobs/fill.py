"""Fills the frontier from the record: a new job, or one that a Redis has lost."""

from collections.abc import Iterator
from itertools import islice

from sqlalchemy import Connection

from prospector.core.outcomes import DomainState
from prospector.core.sites import site_of
from prospector.core.spec import spec_from
from prospector.core.urls import fingerprint
from prospector.frontier import calls, job_calls
from prospector.frontier.calls import Seed
from prospector.frontier.client import Frontier
from prospector.frontier.limits import limits_of
from prospector.store import domains, jobs, rebuild, spend

SEEDS_A_CALL = 1_000


def fill(connection: Connection, frontier: Frontier, job_id: str) -> int:
    """Makes the job known, held, with all its domains that wait to be opened. Returns how many these are."""
    job = jobs.job(connection, job_id)
    money = spend.job_totals(connection, job_id)
    before = domains.finishings(connection, job_id)
    frontier.run(calls.begin(rebuild.next_epoch(connection)))
    frontier.run(calls.create(job_id, limits_of(spec_from(job.spec), job.max_credits), money.used + money.reserved))
    frontier.run(job_calls.recount(job_id, before.done, before.failed, before.pages, before.mentions))
    waiting = (one for one in _unfinished(connection, job_id) if one.state is DomainState.WAITING)
    return _seed(frontier, job_id, waiting)


def add(connection: Connection, frontier: Frontier, job_id: str, there: frozenset[int]) -> int:
    """The unfinished domains that are not `there`. Returns how many these are."""
    missing = (one for one in _unfinished(connection, job_id) if one.number not in there)
    return _seed(frontier, job_id, missing)


def seed_of(one: domains.Seed) -> Seed:
    url = f"https://{one.domain}/"
    return Seed(one.domain, one.number, site_of(one.domain), url, fingerprint(url), one.generation)


def _seed(frontier: Frontier, job_id: str, found: Iterator[domains.Seed]) -> int:
    count = 0
    while batch := list(islice(found, SEEDS_A_CALL)):
        frontier.run(calls.seed(job_id, map(seed_of, batch)))
        count += len(batch)
    return count


def _unfinished(connection: Connection, job_id: str) -> Iterator[domains.Seed]:
    after = -1
    while batch := domains.unfinished(connection, job_id, after):
        yield from batch
        after = batch[-1].number
