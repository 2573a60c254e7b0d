"""Addresses of the client: what an answer says of one. Nothing of it is read or followed, and nothing of it is counted."""

from datetime import UTC, datetime

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from prospector.core.results.targets import WAIT_MOST_MS, Health, conclude, settled
from prospector.core.visits.answers import Answer
from prospector.core.visits.ticket import Kind, Ticket
from prospector.core.visits.visit import Conclusion
from prospector.fetch.failures import DelayTooLong, NoSuchName
from prospector.items import PageItem
from prospector.spiders.leads import same_page
from prospector.spiders.symptoms import evidence_of_failure


def is_target(ticket: Ticket) -> bool:
    return ticket.state.kind is Kind.TARGET


def target_of(response: Response, answer: Answer) -> PageItem:
    ticket: Ticket = response.meta["ticket"]
    end = conclude(ticket, answer, same_page)
    return PageItem(ticket, response.url, response.status, datetime.now(UTC), end)


def without_target(request: Request, failure: Failure) -> PageItem:
    """No answer, from the address or from its robots.txt."""
    ticket: Ticket = request.meta["ticket"]
    evidence = None if isinstance(failure.value, DelayTooLong) else evidence_of_failure(failure)
    end = settled(Health.UNKNOWN)
    if evidence is not None:
        name_exists = not isinstance(failure.value, NoSuchName)
        end = conclude(ticket, Answer(evidence), same_page, name_exists=name_exists)
    return PageItem(ticket, request.url, None, datetime.now(UTC), end)


def ended(ticket: Ticket, end: Conclusion) -> Conclusion:
    """What ends a page for another reason than its own answer leaves an address unknown."""
    over = end.outcome is not None or end.wait_ms > WAIT_MOST_MS
    return settled(Health.UNKNOWN) if is_target(ticket) and over else end
