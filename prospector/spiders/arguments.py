"""What `scrapy crawl domain -a NAME=VALUE` may be given, and what is said of the rest."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from prospector.core.web import hosts
from prospector.core.web.hosts import Host
from prospector.errors import InputInvalid

WAY = 'scrapy crawl domain -a domain=example.com -a keywords="crm,erp"'
OF_WORKERS = frozenset({"job"})


@dataclass(frozen=True)
class Arguments:
    """`job` is for a worker, the others are for the debug mode, which `domain` asks for."""

    domain: str = ""
    keywords: str = ""
    keywords_file: str = ""
    max_pages: str = "50"
    job: str = ""


NAMES = tuple(one.name for one in fields(Arguments))


def arguments(given: Mapping[str, str]) -> Arguments:
    """Names that begin with _ are Scrapyd's own."""
    ours = {name: value for name, value in given.items() if not name.startswith("_")}
    for name in ours:
        if name not in NAMES:
            near = difflib.get_close_matches(name, NAMES, 1)
            hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(NAMES)}."
            raise InputInvalid(f"There is no argument {name!r}.", f"{hint} As in: {WAY}")
    debugged = "domain" in ours
    for name in ours:
        if name != "domain" and debugged == (name in OF_WORKERS):
            why = "is for a worker, and domain= debugs without one" if debugged else "is for debugging one domain"
            raise InputInvalid(f"The argument {name} {why}.", f"As in: {WAY}")
    read = Arguments(**ours)
    return replace(read, domain=_domain(read.domain)) if debugged else read


def _domain(given: str) -> str:
    read = hosts.read(given)
    if len(read) != 1 or not isinstance(read[0], Host):
        why = ", ".join(one.reason for one in read if not isinstance(one, Host))
        raise InputInvalid(f"{given!r} is not a domain{f' ({why})' if why else ''}.", f"Give one: {WAY}")
    return read[0].domain
