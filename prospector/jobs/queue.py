"""What waits in the frontier, and how what was given up is tried once more."""

from dataclasses import dataclass

from sqlalchemy import Connection, Engine

from prospector.core.job.states import UNDER_WAY, JobState
from prospector.core.visits.outcomes import FINISHED, DomainState
from prospector.errors import Conflict, NotFound
from prospector.frontier import job_calls, rebuild_calls
from prospector.frontier.client import Frontier
from prospector.frontier.job_calls import Depths, Status
from prospector.jobs.follow import reconcile
from prospector.store import dead_letters, domains, jobs
from prospector.store.dead_letters import DeadLetter
from prospector.store.domains import Seed

ENDED_WELL = frozenset({JobState.COMPLETED, JobState.FAILED})
LETTERS_SHOWN = 20
MOST_DIGITS = 18  # of the number of a dead letter; a longer one is nobody's


@dataclass(frozen=True)
class QueueStatus:
    """`letters`: the oldest that were not tried again, of `letter_count`. A job that Redis has lost is in `missing`."""

    depths: Depths
    jobs: list[Status]
    missing: list[str]
    letters: list[DeadLetter]
    letter_count: int


@dataclass(frozen=True)
class Requeued:
    """`whole_domain`: it was finished, so it is crawled anew."""

    job: str
    domain: str
    pages: int
    whole_domain: bool


def queue_status(engine: Engine, frontier: Frontier) -> QueueStatus:
    with engine.connect() as connection:
        under_way = [one.id for one in jobs.listed(connection, UNDER_WAY)]
        letters = dead_letters.waiting(connection, LETTERS_SHOWN)
        letter_count = dead_letters.count(connection)
    depths, found = frontier.run_all([job_calls.depths(), job_calls.status(under_way)])
    missing = [job for job, status in zip(under_way, found, strict=True) if status is None]
    return QueueStatus(depths, [one for one in found if one], missing, letters, letter_count)


def requeue(engine: Engine, frontier: Frontier, asked: str, job: str | None = None) -> Requeued:
    """`asked`: the number of a dead letter, or a domain, of `job` where several list it."""
    with engine.begin() as connection:
        if asked.isdecimal() and len(asked) <= MOST_DIGITS:
            letter = dead_letters.requeue(connection, int(asked))
            made = _again(connection, frontier, letter.job, letter.domain, [letter])
        else:
            made = _domain_again(connection, frontier, *_listed(connection, asked.lower(), job))
    reconcile(engine, frontier, made.job, check_domains=made.whole_domain)
    return made


def _listed(connection: Connection, domain: str, job: str | None) -> tuple[str, Seed]:
    found = [one for one in domains.listed(connection, domain) if job in {None, one.job}]
    if not found:
        where = f"job {job}" if job else "any job"
        raise NotFound(f"{domain} is not listed by {where}.", "prospector system queue-status shows the dead letters.")
    if len(found) > 1:
        several = ", ".join(one.job for one in found)
        raise Conflict(f"{domain} is listed by several jobs: {several}.", f"Say which: --job {found[0].job}")
    return found[0].job, found[0]


def _domain_again(connection: Connection, frontier: Frontier, job: str, domain: Seed) -> Requeued:
    numbers = dead_letters.of_domain(connection, job, domain.number)
    if not numbers and domain.state not in FINISHED:
        words = "waits for its turn" if domain.state is DomainState.WAITING else "is being crawled"
        raise Conflict(f"{domain.domain} {words} in job {job}.", f"Look at the job: prospector job status {job}")
    letters = [dead_letters.requeue(connection, number) for number in numbers]
    return _again(connection, frontier, job, domain.number, letters)


def _again(connection: Connection, frontier: Frontier, job_id: str, number: int, letters: list[DeadLetter]) -> Requeued:
    """In the caller's transaction: should this process die, the letters wait as before and the next call finds its work done."""
    job = jobs.hold_still(connection, job_id)
    if number >= job.domains_total:
        raise Conflict(
            f"{letters[0].url} is an address of the client's own, which is asked for once.", "Nothing is lost with it."
        )
    domain = domains.seed(connection, job_id, number)
    if job.state not in UNDER_WAY | ENDED_WELL:
        raise Conflict(f"Job {job_id} is {job.state}: nothing of it is tried again.", "prospector job list shows all.")
    if domain.state not in FINISHED:
        for letter in letters:
            frontier.run(job_calls.requeue(rebuild_calls.entry(job_id, domain.domain, letter.url)))
        return Requeued(job_id, domain.domain, len(letters), whole_domain=False)
    domains.reopen(connection, job_id, [number])
    if job.state in ENDED_WELL:
        jobs.move(connection, job_id, JobState.RUNNING, f"{domain.domain} is tried again")
    return Requeued(job_id, domain.domain, len(letters), whole_domain=True)
