"""Downloader middleware: the same consistent browser for a domain through the whole job."""

from scrapy import Request

from prospector.core.visits.identity import CRAWLER, identity
from prospector.core.visits.purpose import Purpose


class IdentityMiddleware:
    def process_request(self, request: Request) -> None:
        ticket = request.meta["ticket"]
        headers = CRAWLER if request.meta["purpose"] is Purpose.ROBOTS else identity(ticket.job, ticket.domain)
        for name, value in headers.items():
            request.headers.setdefault(name, value)
