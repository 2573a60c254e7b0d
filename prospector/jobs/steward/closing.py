"""Writes the final rows of domains that have nothing left and whose worker is gone, then lets the frontier forget them."""

from itertools import groupby

from sqlalchemy import Engine

from prospector.core.visits.outcomes import DomainState
from prospector.frontier import calls
from prospector.frontier.calls import Ended
from prospector.frontier.client import Frontier
from prospector.store import domains
from prospector.store.final_rows import final_row


def close_ended(engine: Engine, frontier: Frontier) -> int:
    """Returns how many. Workers do the same: the frontier tells each domain to one at a time."""
    ended: list[Ended] = frontier.run(calls.ended())
    ended.sort(key=lambda one: one.job)
    for job, ones in groupby(ended, key=lambda one: one.job):
        _finish(engine, frontier, job, list(ones))
    return len(ended)


def _finish(engine: Engine, frontier: Frontier, job: str, ended: list[Ended]) -> None:
    rows = [final_row(one.number, one.generation, one.counters) for one in ended]
    with engine.begin() as connection:
        domains.finish(connection, job, rows)
    frontier.run_all(
        [calls.close(one, failed=row.state is DomainState.FAILED) for one, row in zip(ended, rows, strict=True)]
    )
