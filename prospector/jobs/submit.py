"""From what the user gave to a job in the record: made once, however often it is asked for."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlalchemy import Engine

from prospector.core.job.spec import JobSpec
from prospector.core.job.states import ENDED
from prospector.core.lists.intake import Intake
from prospector.core.lists.keyword_list import KeywordList
from prospector.core.lists.sample import sampled
from prospector.store import jobs
from prospector.store.jobs import Created, InputIssue, ListedDomain, NewJob
from prospector.store.kinds import IssueKind

NUMBERS_MOST = 1_000  # of one submission: the jobs with the same lists, one after the other


@dataclass(frozen=True)
class Submission:
    name: str
    spec: JobSpec
    max_credits: int
    intake: Intake
    keywords: KeywordList
    sample: int | None = None


def submit(engine: Engine, asked: Submission) -> Created:
    """The same name, lists and options while such a job is not over are that job: a second terminal, a second try after a
    lost connection. When it is over, they are a new one."""
    new = new_job(asked)
    prefix = f"{digest(new)}:"
    for _ in range(NUMBERS_MOST):
        with engine.begin() as connection:
            newest = jobs.newest_submission(connection, prefix)
            number = 0
            if newest:
                key, job = newest
                if job.state not in ENDED:
                    return Created(job.id, was_there=True)
                number = int(key.removeprefix(prefix)) + 1
            made = jobs.create(connection, replace(new, submission_key=f"{prefix}{number}"))
            # one that was there was made between the two statements, and may have ended since: look again
            if not made.was_there:
                return made
    raise AssertionError(f"a submission that always ends at once: {prefix}")


def new_job(asked: Submission) -> NewJob:
    intake = asked.intake
    chosen = sampled(len(intake.domains), asked.sample)
    listed = [
        ListedDomain(one.domain, one.row, intake.other_columns(one) or None)
        for place, one in enumerate(intake.domains)
        if place in chosen
    ]
    return NewJob(
        name=asked.name,
        spec=asked.spec.stored(),
        max_credits=asked.max_credits,
        keywords=[jobs.Keyword(one.text, one.label or None, one.case_sensitive) for one in asked.keywords.keywords],
        domains=listed,
        issues=list(_issues(asked, chosen)),
        input_rows=intake.rows,
        input_columns=intake.names,
    )


def digest(new: NewJob) -> str:
    """Of everything that makes a job what it is."""
    domains = [one.domain for one in new.domains]
    keywords = [(one.keyword, one.label, one.case_sensitive) for one in new.keywords]
    text = json.dumps([new.name, new.spec, new.max_credits, keywords, domains], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _issues(asked: Submission, chosen: range | frozenset[int]) -> Iterator[InputIssue]:
    """rows = duplicates + excluded + unusable + domains, also of a sample."""
    intake = asked.intake
    for one in intake.duplicates:
        reason = f"the same as row {one.first_row}, {one.domain}"
        yield InputIssue(one.row, IssueKind.DUPLICATE, one.value, reason)
    for left_out in intake.excluded:
        yield InputIssue(left_out.row, IssueKind.EXCLUDED, left_out.value, str(left_out.reason))
    for refused in intake.rejected:
        yield InputIssue(refused.row, IssueKind.UNUSABLE, refused.value, refused.reason.words)
    for place, listed in enumerate(intake.domains):
        if place not in chosen:
            reason = f"not in the sample of {asked.sample:,}"
            yield InputIssue(listed.row, IssueKind.EXCLUDED, listed.value, reason)
