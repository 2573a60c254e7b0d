"""Addresses that an answer names: which of them are pages of the domain, and where a redirect leads."""

from collections.abc import Iterable

from scrapy.http import Response

from prospector.core.visits.ticket import Found, Ticket
from prospector.core.web.sites import site_of
from prospector.core.web.urls import UrlInvalid, canonical, fingerprint, resolve
from prospector.spiders.brief import Brief

REDIRECTS = frozenset({301, 302, 303, 307, 308})


def leads(urls: Iterable[str], ticket: Ticket, brief: Brief) -> list[Found]:
    """Those of the domain, each page once."""
    found: dict[int, Found] = {}
    for url in urls:
        if brief.belongs(url, ticket.domain):
            page = fingerprint(url)
            found.setdefault(page, Found(url, page))
    return list(found.values())


def same_page(one: str, other: str) -> bool:
    try:
        return canonical(one) == canonical(other)
    except UrlInvalid:
        return False


def location_of(response: Response) -> str:
    """Where a redirect leads, absolute; '' if to no web address."""
    raw = response.headers.get("Location")
    if raw is None:
        return ""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    try:
        return resolve(text, response.url).partition("#")[0]
    except UrlInvalid:
        return ""


def host_site(url: str) -> str:
    return site_of(url.partition("//")[2].partition("/")[0].rpartition("@")[2].partition(":")[0])


def absolute(urls: Iterable[str], base: str) -> list[str]:
    """Without those that are no web addresses."""
    found = []
    for url in urls:
        try:
            found.append(resolve(url, base))
        except UrlInvalid:
            continue
    return found
