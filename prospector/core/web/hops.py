"""Where a domain is opened, and what a redirect means."""

from collections.abc import Callable
from enum import StrEnum
from ipaddress import ip_address

from prospector.core.web.addresses import is_public
from prospector.core.web.hosts import Reason, Refused, read

MOST_HOPS = 10
NOT_WEB = frozenset({Reason.PRIVATE, Reason.NUMBER})  # http://167772161/ is 10.0.0.1


class Hop(StrEnum):
    SAME = "same"  # another address of the same page: scheme, www, a session, or itself once its cookie is set
    INSIDE = "inside"  # another page of the domain
    MOVED = "moved"  # the domain itself answers with another site
    OUTSIDE = "outside"  # a page leads off the domain
    PRIVATE = "private"  # the domain itself leads to an address that is not public
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
    asks_for_cookie: bool,
    same_page: Callable[[str, str], bool],
    belongs: Callable[[str], bool],
) -> Hop:
    """`target` is absolute, or None where the answer names none; `belongs` says whether it is on the listed domain.

    `asks_for_cookie`: the answer sets one that the request did not carry, so the same address may answer otherwise.
    """
    if target is None:
        return Hop.BROKEN
    if hops >= MOST_HOPS or (target == source and not asks_for_cookie):
        return Hop.LOOP
    if not belongs(target):
        return Hop.MOVED if opening else Hop.OUTSIDE
    return Hop.SAME if same_page(source, target) else Hop.INSIDE


def is_web_host(host: str) -> bool:
    """Whether a domain can have moved there: a name, or an address that is public."""
    try:
        return is_public(ip_address(host.strip("[]")))
    except ValueError:
        return not any(isinstance(one, Refused) and one.reason in NOT_WEB for one in read(host))
