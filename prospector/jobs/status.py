"""How a job stands: from counters, never by counting rows of results."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Engine

from prospector.core.job.progress import Eta, Speed, eta, speed_of
from prospector.core.job.states import ENDED, IN_FLIGHT, JobState
from prospector.core.visits.methods import Method
from prospector.core.words.near import not_found
from prospector.errors import ServerUnreachable
from prospector.frontier import job_calls
from prospector.frontier.client import Frontier
from prospector.frontier.job_calls import Status
from prospector.jobs import judging
from prospector.jobs.follow import bring_on, left
from prospector.store import checkpoints, domains, finds, jobs, misses, verdicts
from prospector.store.checkpoints import Checkpoint
from prospector.store.finds import Find
from prospector.store.jobs import Job
from prospector.store.results import Results

KEYWORDS_NAMED = 3


@dataclass(frozen=True)
class JobStatus:
    """`domains_done` without those that failed. `counted_at`: when these were the counters; `is_live` where that is now.

    `parked_pages`: what they wait for -> pages. `failures`: reason -> domains; None where they were not counted.
    `methods`: domains by the dearest method they needed; of a job that has ended, or has paid for something.
    `mentions`: a keyword on a page, as results.csv has rows. `newest_find`: of a job under way.
    `qualified`: domains that are worth an outreach, of those that were judged so far, seconds after they are done.
    `client_urls_left`: addresses of the client that pages link to, and that are asked for when the list is done.
    `not_found`: about its first keywords, of a job that has found nothing at all.
    """

    job: Job
    counted_at: datetime
    is_live: bool
    domains_done: int = 0
    domains_failed: int = 0
    domains_waiting: int = 0
    domains_open: int = 0
    domains_parked: int = 0
    parked_pages: Mapping[str, int] | None = None
    domains_stalled: int = 0
    stalled_until: datetime | None = None
    in_flight: int = 0
    pages: int = 0
    mentions: int = 0
    used_credits: int = 0
    reserved_credits: int = 0
    pages_wanting_key: int = 0
    client_urls_left: int = 0
    speed: Speed | None = None
    eta: Eta | None = None
    last_activity: datetime | None = None
    failures: Mapping[str, int] | None = None
    methods: Mapping[Method, int] | None = None
    not_found: tuple[str, ...] = ()
    newest_find: Find | None = None
    qualified: int = 0

    @property
    def domains_finished(self) -> int:
        return self.domains_done + self.domains_failed

    @property
    def percent(self) -> int:
        """Never 100 before the last one."""
        total = self.job.domains_total
        return 100 if self.domains_finished >= total else min(99, round(self.domains_finished * 100 / total))

    def as_object(self) -> dict[str, Any]:
        """What `job status --json` promises."""
        job, speed = self.job, self.speed
        return {
            "id": job.id,
            "name": job.name,
            "state": job.state,
            "reason": job.reason,
            "domains": {
                "total": job.domains_total,
                "done": self.domains_done,
                "failed": self.domains_failed,
                "waiting": self.domains_waiting,
                "open": self.domains_open,
            },
            "pages": self.pages,
            "mentions": self.mentions,
            "qualified": self.qualified,
            "credits": {"used": self.used_credits, "reserved": self.reserved_credits, "cap": job.max_credits},
            "rate_per_hour": None if speed is None else round(speed.per_hour),
            "eta_seconds": None if self.eta is None else {"low": self.eta.low_seconds, "high": self.eta.high_seconds},
            "last_activity": _iso(self.last_activity),
            "newest_find": None if self.newest_find is None else asdict(self.newest_find),
            "percent": self.percent,
            "in_flight": self.in_flight,
            "pages_wanting_key": self.pages_wanting_key,
            "client_urls_left": self.client_urls_left,
            "parked_domains": self.domains_parked,
            "parked_pages": dict(self.parked_pages or {}),
            "stalled_domains": self.domains_stalled,
            "stalled_until": _iso(self.stalled_until),
            "failures": None if self.failures is None else dict(self.failures),
            "created_at": _iso(job.created_at),
            "started_at": _iso(job.started_at),
            "moved_at": _iso(job.moved_at),
            "counted_at": _iso(self.counted_at),
            "live": self.is_live,
        }


def status(engine: Engine, frontier: Frontier, job_id: str) -> JobStatus:
    """Whoever looks at a job under way also brings it on: requests that have ended make a pause, the last domain an end.

    And the domains of one that has just ended are judged, or its last word would be less than its prospects.csv has.
    """
    with engine.connect() as connection:
        job = jobs.job(connection, job_id)
    try:
        if job.state in IN_FLIGHT:
            bring_on(engine, frontier, job_id)
        known = frontier.run(job_calls.status([job_id]))[0]
    except ServerUnreachable:
        known = None
    if known and not known.filled:  # its numbers would go back to nothing, and forward again
        known = None
    with engine.connect() as connection:
        job = jobs.job(connection, job_id)
    if job.state in ENDED:
        judging.judge_finished(engine, job_id)
    with engine.connect() as connection:
        found = (
            of_counters(job, known) if known else of_checkpoint(job, checkpoints.last(connection, [job_id]).get(job_id))
        )
        newest = finds.on_page(connection, job.id, known.newest_find) if known and known.newest_find else None
        return replace(_explained(connection, found), newest_find=newest)


def of_counters(job: Job, known: Status) -> JobStatus:
    now = datetime.now(UTC)
    speed = _speed(known) if job.state is JobState.RUNNING else None
    return JobStatus(
        job,
        counted_at=now,
        is_live=True,
        domains_done=known.domains_done,
        domains_failed=known.domains_failed,
        domains_waiting=known.domains_waiting,
        domains_open=known.domains_open,
        domains_parked=known.domains_parked,
        parked_pages={reason: count for reason, count in known.parked_pages.items() if count},
        domains_stalled=known.domains_stalled,
        stalled_until=known.stalled_until,
        in_flight=known.in_flight,
        pages=known.pages,
        mentions=known.mentions,
        used_credits=known.credits_used,
        reserved_credits=known.credits_reserved,
        pages_wanting_key=known.pages_wanting_key,
        client_urls_left=_client_urls_left(known),
        speed=speed,
        eta=_eta(known, speed, now) if job.state is JobState.RUNNING else None,
        last_activity=known.last_activity,
    )


def _speed(known: Status) -> Speed | None:
    """From when the job was last begun to be handed out: a rest, and what it did before, are no part of its speed."""
    if known.running_ms is None:
        return None
    finished = known.domains_recently
    return speed_of(finished.in_15_minutes, finished.in_5_minutes, known.running_ms / 1000)


def _eta(known: Status, speed: Speed | None, now: datetime) -> Eta | None:
    """Domains whose pages wait for money or for their site are not worked at: the speed of the others says nothing of them."""
    at_work = max(0, left(known) - known.domains_stalled - known.domains_parked)
    wait = (known.stalled_until - now).total_seconds() if known.stalled_until else 0
    return eta(at_work, speed, max(0, round(wait), _client_urls_left(known)))


def _client_urls_left(known: Status) -> int:
    """The client's own addresses that are still to be asked for, when the list is done: about one a second."""
    return known.queued + known.in_flight if known.clients_open and not left(known) else 0


def of_checkpoint(job: Job, last: Checkpoint | None) -> JobStatus:
    """Of a job that has not begun, that has ended, or whose Redis is away. It is as of now where nothing can have changed."""
    settled = job.state in ENDED | {JobState.PENDING}
    if last is None:
        return JobStatus(job, job.moved_at, settled, domains_waiting=job.domains_total)
    return JobStatus(
        job,
        counted_at=last.taken_at,
        is_live=settled,
        domains_done=last.domains_done,
        domains_failed=last.domains_failed,
        domains_waiting=job.domains_total - last.domains_done - last.domains_failed,
        pages=last.pages,
        mentions=last.mentions,
        used_credits=last.credits,
        last_activity=last.last_processed_at,
    )


def _explained(connection: Connection, found: JobStatus) -> JobStatus:
    job = found.job
    failures = misses.reasons(connection, job.id) if found.domains_failed else {}
    methods = domains.by_dearest_method(connection, job.id) if job.state in ENDED or found.used_credits else None
    found_nothing = job.state is JobState.COMPLETED and found.mentions == 0 and found.pages > 0
    missed = _not_found(connection, found) if found_nothing else ()
    qualified = verdicts.qualified(connection, [job.id]).get(job.id, 0)
    return replace(found, failures=failures, methods=methods, not_found=missed, qualified=qualified)


def _not_found(connection: Connection, of: JobStatus) -> tuple[str, ...]:
    results = Results(connection, of.job)
    seen = results.spellings()
    return tuple(not_found(one.keyword, of.domains_done, seen) for one in results.keywords()[:KEYWORDS_NAMED])


def _iso(when: datetime | None) -> str | None:
    return None if when is None else when.astimezone(UTC).isoformat(timespec="seconds")
