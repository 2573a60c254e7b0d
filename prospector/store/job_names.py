"""Which job a user means: by its id, the beginning of that, or the name they gave it."""

import difflib
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, func, select

from prospector.core.job.states import JobState
from prospector.errors import NotFound
from prospector.store.tables import jobs
from prospector.store.text import storable

NEAR = 3
RECENT = 1_000  # whose ids and names are compared with one that nobody has


def find(connection: Connection, given: str) -> str:
    """The id. An id, or what one alone begins with, wins over a name; a name counts in any case, of jobs that are not archived.

    Raises NotFound with the near ones.
    """
    wanted = storable(given.strip())
    if not wanted:
        raise NotFound(f"There is no job {given!r}.", "prospector job list shows all.")
    ids = _beginning(connection, wanted.lower())
    if len(ids) == 1:
        return ids[0]
    named = _named(connection, wanted)
    if len(named) == 1:
        return str(named[0].id)
    if ids:
        raise NotFound(f"{given!r} begins the id of several jobs: {_listed(ids)}.", "Give one more letter.")
    if named:
        told = [f"{one.id} ({one.state}, made {one.created_at.astimezone():%Y-%m-%d %H:%M})" for one in named]
        raise NotFound(f"{given!r} is the name of several jobs: {_listed(told)}.", "Name one by its id.")
    raise NotFound(f"There is no job {given!r}.", _hint(connection, wanted))


def _beginning(connection: Connection, wanted: str) -> Sequence[str]:
    ids = jobs.c.id
    begin = select(ids).where(ids.startswith(wanted, autoescape=True)).order_by(ids).limit(NEAR + 1)
    return connection.scalars(begin).all()


def _named(connection: Connection, wanted: str) -> Sequence[Row[Any, Any, Any]]:
    """Newest first."""
    same = func.lower(func.btrim(jobs.c.name)) == func.lower(wanted)
    named = select(jobs.c.id, jobs.c.state, jobs.c.created_at).where(same, jobs.c.state != JobState.ARCHIVED)
    return connection.execute(named.order_by(jobs.c.created_at.desc()).limit(NEAR + 1)).all()


def _listed(found: Sequence[str]) -> str:
    return ", ".join(found[:NEAR]) + (", …" if len(found) > NEAR else "")


def _hint(connection: Connection, wanted: str) -> str:
    recent = select(jobs.c.id, jobs.c.name).order_by(jobs.c.created_at.desc()).limit(RECENT)
    known: dict[str, str] = {row.id: row.name for row in connection.execute(recent)}
    near = difflib.get_close_matches(wanted.lower(), known, NEAR)
    if not near:
        folded = {name.casefold() for name in known.values()}
        names = difflib.get_close_matches(wanted.casefold(), folded, NEAR)
        near = [f"{job} (named {name!r})" for job, name in known.items() if name.casefold() in names][:NEAR]
    return f"Did you mean {' or '.join(near)}?" if near else "prospector job list shows all."
