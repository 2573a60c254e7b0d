"""What is kept of a page beside its mentions."""

from enum import IntFlag, StrEnum


class LinkStatus(StrEnum):
    """What a page's own links say about the client."""

    UNLINKED = "unlinked"
    FOLLOW = "follow"
    NOFOLLOW = "nofollow"
    UGC = "ugc"
    SPONSORED = "sponsored"
    DEAD = "dead"  # links to a client address that no longer answers
    UNKNOWN = "unknown"  # would need a browser


class PageKind(StrEnum):
    HOME = "home"
    ARTICLE = "article"
    LISTING = "listing"
    RESOURCE = "resource"
    PRODUCT = "product"
    FORUM = "forum"
    CONTACT = "contact"
    LEGAL = "legal"
    OTHER = "other"


class PageFlag(IntFlag):
    """Kept as one small number a page: powers of two, never renumbered."""

    PARKED = 1
    SOFT_404 = 2
    NOINDEX = 4
    TRUNCATED = 8
    NEEDS_BROWSER = 16
    CONTACT_FOUND = 32
    BAD_CERTIFICATE = 64
    LINKS_TO_COMPETITOR = 128
    LINK_FARM = 256
    COUNTED = 512  # fetched, though neither read nor failed: a file, a link that leads off the site
