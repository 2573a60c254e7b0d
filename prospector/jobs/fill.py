"""Fills the frontier from the record: a new job, or one that a Redis has lost."""

from collections.abc import Iterator

from sqlalchemy import Connection

from prospector.core.outcomes import DomainState
from prospector.core.sites import site_of
from prospector.core.spec import spec_from
from prospector.core.urls import fingerprint
from prospector.frontier import calls
from prospector.frontier.calls import Seed
from prospector.frontier.client import Frontier
from prospector.frontier.limits import limits_of
from prospector.store import domains, jobs, spend

SEEDS_A_CALL = 1_000


def fill(connection: Connection, frontier: Frontier, job_id: str) -> int:
    """Makes the job known, held, with all its domains that wait to be opened. Returns how many these are."""
    job = jobs.job(connection, job_id)
    money = spend.job_totals(connection, job_id)
    frontier.run(calls.create(job_id, limits_of(spec_from(job.spec), job.max_credits), money.used + money.reserved))
    count = 0
    for seeds in _waiting(connection, job_id):
        frontier.run(calls.seed(job_id, [seed_of(one) for one in seeds]))
        count += len(seeds)
    return count


def seed_of(one: domains.Seed) -> Seed:
    url = f"https://{one.domain}/"
    return Seed(one.domain, one.number, site_of(one.domain), url, fingerprint(url), one.generation)


def _waiting(connection: Connection, job_id: str) -> Iterator[list[domains.Seed]]:
    after = -1
    while batch := domains.unfinished(connection, job_id, after, SEEDS_A_CALL):
        yield [one for one in batch if one.state is DomainState.WAITING]
        after = batch[-1].number
