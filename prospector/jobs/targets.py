"""The client's own addresses at the end of a job: asked whether they still answer, then said where they do not.

What is left to ask is read from the record each time, so that a frontier that has lost everything, or a job that goes on with
its failed domains, asks for what has no answer yet and for nothing twice.
"""

from collections.abc import Iterator

from sqlalchemy import Connection

from prospector import settings
from prospector.core.job.spec import spec_from
from prospector.core.reading.linking import without_dead
from prospector.core.results import targets as rules
from prospector.core.results.targets import Health, Target
from prospector.frontier import job_calls
from prospector.frontier.client import Frontier
from prospector.frontier.job_calls import Client
from prospector.store import events
from prospector.store import targets as record
from prospector.store.jobs import Job
from prospector.store.kinds import EventKind
from prospector.store.targets import Relabelled


def ask(connection: Connection, frontier: Frontier, job: Job) -> bool:
    """True: there is something to ask, and the frontier hands it out from now on."""
    clients = spec_from(job.spec).client_domains
    if not clients or not settings.CLIENT_URLS_MOST:
        return False
    found = rules.targets(record.linked(connection, job.id), frozenset(clients))
    chosen = found[: settings.CLIENT_URLS_MOST]
    known = record.settled(connection, job.id, [one.page for one in chosen])
    left = [one for one in chosen if one.page not in known]
    if not left:
        return False
    frontier.run(job_calls.ask(job.id, _clients(job, clients, left)))
    events.record(connection, EventKind.NOTE, _in_words(len(left), len(chosen), len(found)), job.id)
    return True


def mark_dead(connection: Connection, job: Job) -> None:
    """Pages that link to addresses found dead get the status of their other links, or are `dead`."""
    clients = frozenset(spec_from(job.spec).client_domains)
    if not clients:
        return
    found = rules.targets(record.linked(connection, job.id), clients)
    known = record.settled(connection, job.id, [one.page for one in found])
    dead = [one for one in found if known.get(one.page) == Health.DEAD]
    if not dead:
        return
    changed = _relabel(connection, job, frozenset(spelling for one in dead for spelling in one.spellings))
    words = (
        f"{len(dead):,} of the client's own addresses are dead; the pages whose link status that changes: {changed:,}"
    )
    events.record(connection, EventKind.NOTE, words, job.id)


def _relabel(connection: Connection, job: Job, dead: frozenset[str]) -> int:
    changed = 0
    for pages in record.linking(connection, job.id, sorted(dead)):
        rows = list(_relabelled(pages, dead))
        record.relabel(connection, job.id, rows)
        changed += len(rows)
    return changed


def _relabelled(pages: list[record.LinkingPage], dead: frozenset[str]) -> Iterator[Relabelled]:
    for one in pages:
        link = without_dead(one.links, dead)
        if link is not None and link is not one.link:
            yield Relabelled(one.page, one.domain, link)


def _clients(job: Job, clients: tuple[str, ...], left: list[Target]) -> list[Client]:
    """Their numbers are those after the list's, and stay the same for the life of the job."""
    of = rules.by_domain(left)
    return [
        Client(domain, job.domains_total + place, tuple(of[domain]))
        for place, domain in enumerate(clients)
        if domain in of
    ]


def _in_words(left: int, chosen: int, found: int) -> str:
    cut = f", of the {chosen:,} most linked of {found:,}" if found > chosen else ""
    return f"{left:,} of the client's own addresses are asked whether they still answer{cut}"
