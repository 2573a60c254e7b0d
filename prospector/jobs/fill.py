"""Fills the frontier from the record: a new job, or one that a Redis has lost. Done again, it changes nothing."""

from collections.abc import Iterator
from itertools import groupby

from sqlalchemy import Connection

from prospector.core.job.spec import spec_from
from prospector.core.visits.methods import Method
from prospector.core.visits.outcomes import DomainState, PageOutcome
from prospector.core.web.sites import site_of
from prospector.core.web.urls import homepage_fingerprint
from prospector.frontier import calls, codec, rebuild_calls
from prospector.frontier.calls import Seed
from prospector.frontier.client import Frontier
from prospector.frontier.limits import limits_of
from prospector.frontier.rebuild_calls import Counts
from prospector.store import domains, jobs, rebuild, spend
from prospector.store.rebuild import Settled

SEEDS_A_CALL = 1_000


def fill(connection: Connection, frontier: Frontier, job_id: str) -> int:
    """Makes the job known, held, with all its domains that are not finished. Returns how many wait to be opened."""
    job = jobs.job(connection, job_id)
    money = spend.job_totals(connection, job_id)
    frontier.run(calls.create(job_id, limits_of(spec_from(job.spec), job.max_credits), money.used + money.reserved))
    found = rebuild.counted(connection, job_id)
    counts = Counts(
        found.domains_done, found.domains_failed, found.pages, found.mentions, found.dead_letters, found.pages_failed
    )
    frontier.run(rebuild_calls.recount(job_id, counts))
    waiting = 0
    opened: dict[int, domains.Seed] = {}
    for batch in _unfinished(connection, job_id):
        opened |= {one.number: one for one in batch if one.state is DomainState.OPEN}
        seeds = [seed_of(one) for one in batch if one.state is DomainState.WAITING]
        if seeds:
            frontier.run(calls.seed(job_id, seeds))
            waiting += len(seeds)
    if opened:
        _restore(connection, frontier, job_id, opened)
    frontier.run(rebuild_calls.filled(job_id))
    return waiting


def add_missing(connection: Connection, frontier: Frontier, job_id: str) -> int:
    """Seeds the unfinished domains that a job known here does not have. Returns how many these were."""
    batches = _unfinished(connection, job_id)
    return sum(frontier.run(calls.seed(job_id, [seed_of(one) for one in batch])) for batch in batches)


def seed_of(one: domains.Seed) -> Seed:
    url, number = f"https://{one.domain}/", homepage_fingerprint(one.domain)
    return Seed(one.domain, one.number, site_of(one.domain), url, number, one.generation)


def _unfinished(connection: Connection, job_id: str) -> Iterator[list[domains.Seed]]:
    after = -1
    while batch := domains.unfinished(connection, job_id, after, SEEDS_A_CALL):
        yield batch
        after = batch[-1].number


def _restore(connection: Connection, frontier: Frontier, job_id: str, opened: dict[int, domains.Seed]) -> None:
    """Open domains, each with what is settled of it; one of which nothing is goes back to its homepage."""
    credits_used = {number: both.used + both.reserved for number, both in spend.domain_totals(connection, job_id)}
    untouched = dict(opened)
    for number, rows in groupby(rebuild.settled(connection, job_id), key=lambda row: row.domain):
        domain = untouched.pop(number, None)
        if domain is not None:
            frontier.run(_restored(job_id, seed_of(domain), list(rows), credits_used.get(number, 0)))
    if untouched:
        frontier.run(calls.seed(job_id, [seed_of(one) for one in untouched.values()]))


def _restored(job_id: str, seed: Seed, rows: list[Settled], credits_used: int) -> calls.Call[bool]:
    found = {page.fingerprint: page for row in rows for page in map(codec.found, row.found)}
    settled = {row.page for row in rows}
    waiting = [page for number, page in found.items() if number not in settled]
    open_ms = int(max(0.0, *(row.after_seconds for row in rows)) * 1000)
    return rebuild_calls.restore(
        job_id, seed, open_ms, _facts(seed, rows, credits_used), sorted(settled | set(found)), waiting
    )


def _facts(seed: Seed, rows: list[Settled], credits_used: int) -> dict[str, str | int]:
    """What the frontier would have counted of the domain by now (settle.lua)."""
    fetched = sum(row.counted for row in rows)
    read = any(row.outcome is PageOutcome.READ for row in rows)
    # what is skipped before anything was read is a failure: the domain has not been opened
    failed = sum(row.outcome is PageOutcome.FAILED for row in rows) if read else fetched
    facts: dict[str, str | int] = {
        "done": fetched - failed,
        "failed": failed,
        "fetched": fetched,
        "mentions": sum(row.mentions for row in rows),
        "dead": sum(row.outcome is PageOutcome.DEAD for row in rows),
        "credits": credits_used,
    }
    for method in Method:
        facts[method] = sum(row.attempts for row in rows if row.method is method)
    home = next((row for row in rows if row.page == seed.fingerprint), None)
    if home is not None and home.status is not None:
        facts |= {"status": home.status, "attempts": home.attempts}
    return {name: value for name, value in facts.items() if value}
