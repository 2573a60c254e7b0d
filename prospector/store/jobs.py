"""Jobs: made whole in one transaction, listed, moved from state to state."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection, RowMapping, delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert

from prospector.core.job.states import MOVES, JobState, origins
from prospector.errors import Conflict, NotFound
from prospector.store import partitions, tables
from prospector.store.bulk import copy
from prospector.store.kinds import IssueKind
from prospector.store.text import storable, storable_json

# no 0, o, 1, l, i; a letter in front, or a spreadsheet reads 2e5234 as a number
LETTERS = "abcdefghjkmnpqrstuvwxyz"
LETTERS_AND_DIGITS = LETTERS + "23456789"
ID_LENGTH = 6


class IllegalMove(Conflict):
    def __init__(self, job: str, state: JobState, to: JobState) -> None:
        ways = ", ".join(MOVES[state]) or "nothing else"
        super().__init__(f"Job {job} is {state}: it cannot become {to}.", f"From {state} it can become: {ways}.")


@dataclass(frozen=True)
class Keyword:
    keyword: str
    label: str | None = None
    case_sensitive: bool = False


@dataclass(frozen=True)
class ListedDomain:
    """`input_row` is its row in the file, `cells` that row's other columns."""

    domain: str
    input_row: int
    cells: Mapping[str, str] | None = None


@dataclass(frozen=True)
class InputIssue:
    row: int
    kind: IssueKind
    value: str
    reason: str


@dataclass(frozen=True)
class NewJob:
    """`submission_key`: two jobs with one key are one job, for ever; what makes two submissions the same is the caller's."""

    name: str
    spec: Mapping[str, object]
    max_credits: int
    keywords: Sequence[Keyword]
    domains: Sequence[ListedDomain]
    issues: Sequence[InputIssue] = ()
    input_rows: int = 0
    input_columns: Sequence[str] = ()
    submission_key: str | None = None


@dataclass(frozen=True)
class Created:
    job: str
    was_there: bool


@dataclass(frozen=True)
class Job:
    id: str
    name: str
    state: JobState
    reason: str
    spec: Mapping[str, object]
    max_credits: int
    domains_total: int
    input_rows: int
    input_columns: Sequence[str]
    created_at: datetime
    moved_at: datetime
    started_at: datetime | None
    left_running_at: datetime | None
    warned_at: datetime | None
    submission_key: str | None = field(default=None, repr=False)


def create(connection: Connection, new: NewJob) -> Created:
    """In the caller's transaction: a second caller with the same key waits for its end, and then gets that job."""
    job = None
    while job is None:
        job = _insert(connection, new)
        if job is None and new.submission_key and (known := _submitted(connection, new.submission_key)):
            return Created(known, was_there=True)
    keywords = ((job, number, *_keyword(keyword)) for number, keyword in enumerate(new.keywords))
    copy(connection, "keywords", ("job", "number", "keyword", "label", "case_sensitive"), keywords)
    domains = ((job, number, one.input_row, one.domain, one.cells) for number, one in enumerate(new.domains))
    copy(connection, "domains", ("job", "number", "input_row", "domain", "cells"), domains)
    issues = ((job, number, one.row, one.kind, one.value, one.reason) for number, one in enumerate(new.issues))
    copy(connection, "input_issues", ("job", "number", "row", "kind", "value", "reason"), issues)
    # last, because two jobs that are made at once wait for each other here
    partitions.make(connection, job)
    return Created(job, was_there=False)


def _keyword(keyword: Keyword) -> tuple[str, str | None, bool]:
    return keyword.keyword, keyword.label, keyword.case_sensitive


def _insert(connection: Connection, new: NewJob) -> str | None:
    row = {
        "id": new_id(),
        "submission_key": new.submission_key,
        "name": storable(new.name),
        "reason": "created",
        "spec": text("CAST(:spec AS jsonb)").bindparams(spec=storable_json(new.spec)),
        "max_credits": new.max_credits,
        "domains_total": len(new.domains),
        "input_rows": new.input_rows,
        "input_columns": list(map(storable, new.input_columns)),
    }
    made: str | None = connection.scalar(
        insert(tables.jobs).values(row).on_conflict_do_nothing().returning(tables.jobs.c.id)
    )
    return made


def newest_submission(connection: Connection, prefix: str) -> tuple[str, Job] | None:
    """Of the jobs whose submission key begins so: the newest one's key and the job."""
    key = tables.jobs.c.submission_key
    wanted = select(tables.jobs).where(key.startswith(prefix, autoescape=True))
    found = connection.execute(wanted.order_by(tables.jobs.c.created_at.desc()).limit(1)).mappings().one_or_none()
    return None if found is None else (found["submission_key"], _job(found))


def _submitted(connection: Connection, key: str) -> str | None:
    known: str | None = connection.scalar(select(tables.jobs.c.id).where(tables.jobs.c.submission_key == key))
    return known


def new_id() -> str:
    return secrets.choice(LETTERS) + "".join(secrets.choice(LETTERS_AND_DIGITS) for _ in range(ID_LENGTH - 1))


def job(connection: Connection, job_id: str) -> Job:
    found = connection.execute(select(tables.jobs).where(tables.jobs.c.id == job_id)).mappings().one_or_none()
    if found is None:
        raise NotFound(f"There is no job {job_id!r}.", "prospector job list shows all.")
    return _job(found)


def listed(connection: Connection, states: frozenset[JobState]) -> list[Job]:
    """Newest first."""
    wanted = select(tables.jobs).where(tables.jobs.c.state.in_(states)).order_by(tables.jobs.c.created_at.desc())
    return [_job(row) for row in connection.execute(wanted).mappings()]


def tally(connection: Connection) -> dict[JobState, int]:
    counted = select(tables.jobs.c.state, func.count()).group_by(tables.jobs.c.state)
    return {JobState(state): count for state, count in connection.execute(counted)}


def _job(row: RowMapping) -> Job:
    return Job(**{**row, "state": JobState(row["state"])})


def keywords(connection: Connection, job_id: str) -> list[Keyword]:
    """In the order of their numbers, which mentions refer to."""
    table = tables.keywords
    wanted = select(table.c.keyword, table.c.label, table.c.case_sensitive).where(table.c.job == job_id)
    return [Keyword(**row) for row in connection.execute(wanted.order_by(table.c.number)).mappings()]


# `was` waits for whoever moves the job at this moment and then reads what they left; only a state in the table of moves
# passes. No row: no such job, or no such move.
MOVE = text("""
WITH was AS (
    SELECT id, state FROM jobs WHERE id = :job FOR UPDATE
), moved AS (
    UPDATE jobs SET
        state = :to, reason = :reason, moved_at = now(),
        started_at = CASE WHEN :to = 'running' THEN coalesce(jobs.started_at, now()) ELSE jobs.started_at END,
        left_running_at = CASE WHEN :to = 'running' THEN NULL
            WHEN was.state = 'running' THEN now() ELSE jobs.left_running_at END,
        warned_at = CASE WHEN :to = 'running' THEN NULL ELSE jobs.warned_at END
    FROM was WHERE jobs.id = was.id AND was.state = ANY(:origins)
    RETURNING was.state AS from_state
)
INSERT INTO events (job, kind, from_state, to_state, reason)
SELECT :job, 'moved', from_state, :to, :reason FROM moved
RETURNING from_state
""")


def move(
    connection: Connection, job_id: str, to: JobState, reason: str, only_from: frozenset[JobState] | None = None
) -> JobState:
    """The state it was in. Of callers at the same moment one moves it; IllegalMove tells the others what it is now.

    `only_from`: where the caller means fewer moves than the table allows.
    """
    allowed = origins(to) if only_from is None else origins(to) & only_from
    given = {"job": job_id, "to": to, "reason": storable(reason), "origins": sorted(allowed)}
    was = connection.scalar(MOVE, given)
    if was is None:
        raise IllegalMove(job_id, job(connection, job_id).state, to)
    return JobState(was)


def wait(connection: Connection, job_id: str, reason: str) -> bool:
    """Why a job that was to be started is not. False: it is not pending."""
    pending = (tables.jobs.c.id == job_id, tables.jobs.c.state == JobState.PENDING)
    return connection.execute(update(tables.jobs).where(*pending).values(reason=storable(reason))).rowcount == 1


def hold_still(connection: Connection, job_id: str) -> Job:
    """The job, which nobody else moves or brings the frontier in line with until this transaction ends."""
    found = connection.execute(select(tables.jobs).where(tables.jobs.c.id == job_id).with_for_update(key_share=True))
    row = found.mappings().one_or_none()
    return job(connection, job_id) if row is None else _job(row)


def hold_if_free(connection: Connection, job_id: str) -> Job | None:
    """As hold_still, without waiting. None: somebody else holds it."""
    held = select(tables.jobs).where(tables.jobs.c.id == job_id).with_for_update(key_share=True, skip_locked=True)
    row = connection.execute(held).mappings().one_or_none()
    return None if row is None else _job(row)


def allow(connection: Connection, job_id: str, max_credits: int) -> None:
    """A new cap on what the job may spend."""
    jobs = tables.jobs
    changed = connection.execute(update(jobs).where(jobs.c.id == job_id).values(max_credits=max_credits))
    if changed.rowcount == 0:
        job(connection, job_id)


def warn(connection: Connection, job_id: str) -> None:
    """Notes that the owner of a paused job was told when its results are deleted."""
    table = tables.jobs
    wanted = (table.c.id == job_id, table.c.state == JobState.PAUSED)
    connection.execute(update(table).where(*wanted).values(warned_at=func.now()))


def remove(connection: Connection, job_id: str) -> None:
    """The job and all that is its own. The ledger stays: the account has to add up after years."""
    partitions.drop(connection, job_id)
    connection.execute(delete(tables.jobs).where(tables.jobs.c.id == job_id))
