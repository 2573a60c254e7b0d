"""How a page and a domain can end."""

from enum import StrEnum


class PageOutcome(StrEnum):
    READ = "read"
    REDIRECTED = "redirected"
    FAILED = "failed"
    SKIPPED = "skipped"  # by a rule: robots, not HTML, too large, a private address
    DEAD = "dead"  # lost its worker again and again: a dead letter
    UNWRITABLE = "unwritable"  # Postgres refused what was found on it; the reason is beside it


# the detail of a skipped page that is none: a sitemap that was read, or was not there
SITEMAP = "sitemap"


class DomainState(StrEnum):
    WAITING = "waiting"
    OPEN = "open"
    DONE = "done"
    FAILED = "failed"


FINISHED = frozenset({DomainState.DONE, DomainState.FAILED})
