"""Where a domain is opened, and what a redirect means."""

from collections.abc import Callable
from enum import StrEnum

MOST_HOPS = 10


class Hop(StrEnum):
    SAME = "same"  # another address of the same page: scheme, www, a session
    INSIDE = "inside"  # another page of the domain
    MOVED = "moved"  # the domain itself answers with another site
    OUTSIDE = "outside"  # a page leads off the domain
    LOOP = "loop"
    BROKEN = "broken"  # no http(s) address


def openings(domain: str) -> tuple[str, ...]:
    """Addresses to try one after the other: https then http, as listed, then the twin with or without `www.`."""
    twin = domain.removeprefix("www.") if domain.startswith("www.") else f"www.{domain}"
    return tuple(f"{scheme}://{host}/" for host in (domain, twin) for scheme in ("https", "http"))


def hop(
    target: str | None,
    *,
    source: str,
    hops: int,
    opening: bool,
    same_page: Callable[[str, str], bool],
    belongs: Callable[[str], bool],
) -> Hop:
    """`target` is absolute, or None where the answer names none; `belongs` says whether it is on the listed domain."""
    if target is None:
        return Hop.BROKEN
    if target == source or hops >= MOST_HOPS:
        return Hop.LOOP
    if not belongs(target):
        return Hop.MOVED if opening else Hop.OUTSIDE
    return Hop.SAME if same_page(source, target) else Hop.INSIDE
