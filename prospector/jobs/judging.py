"""Judges domains as they finish, as an export does, so that a status can say how many prospects are qualified so far."""

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import Engine

from prospector.core.results.findings import Gathered
from prospector.core.results.score import Verdict
from prospector.jobs.exports.prospect import judge_of
from prospector.store import results, verdicts
from prospector.store.partitions import ResultsDeleted
from prospector.store.results import Results

DOMAINS_A_LOOK = 500


def judge_finished(engine: Engine, job: str | None = None) -> int:
    """Of all jobs, or of this one. Returns how many were. Done by two processes at once, both write the same."""
    with engine.connect() as connection:
        found = verdicts.unjudged(connection, DOMAINS_A_LOOK, job)
    for of, numbers in found.items():
        try:
            with results.snapshot(engine, of) as rows:
                judged = _judged(rows, numbers)
        except ResultsDeleted:  # meanwhile
            continue
        with engine.begin() as connection:
            verdicts.keep(connection, of, judged)
    return sum(map(len, found.values()))


def _judged(rows: Results, numbers: Sequence[int]) -> dict[Verdict, list[int]]:
    judge = judge_of(rows, [one.keyword for one in rows.keywords()])
    gathered: defaultdict[int, Gathered] = defaultdict(Gathered)
    for mention in rows.mentions(numbers):
        gathered[mention.domain].add(mention)
    judged: defaultdict[Verdict, list[int]] = defaultdict(list)
    for site in rows.sites(numbers):
        judged[judge.prospect(site, gathered[site.number]).verdict].append(site.number)
    return judged
