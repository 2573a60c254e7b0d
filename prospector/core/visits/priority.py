"""Who gets credits first when there are not enough for all."""

from enum import IntEnum

RANK = "rank"  # in a page's `extra`; without it a page is OTHER


class Priority(IntEnum):
    """Smaller goes first."""

    HOMEPAGE = 0
    HINTED = 1  # a keyword in its title, its address or the anchor of a link to it
    OTHER = 2


def priority(*, homepage: bool, hinted: bool) -> Priority:
    if homepage:
        return Priority.HOMEPAGE
    return Priority.HINTED if hinted else Priority.OTHER
