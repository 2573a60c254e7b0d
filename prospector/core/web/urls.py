"""Addresses: resolved as browsers do, and the one form that decides whether two of them are the same page."""

import re
from collections.abc import Callable
from functools import cache, lru_cache
from hashlib import blake2b

import ada_url

from prospector.core.data import entries
from prospector.errors import InputInvalid

WWW = "www."
WEB = ("http://", "https://")
SHOWN = 200  # characters of a refused address

PARTS = re.compile(r"https?://(?:[^/@]*@)?(\[[^\]]*\]|[^/:]+)(:\d+)?(/[^?#]*)(?:\?([^#]*))?")
ESCAPE = re.compile(r"%(?:[0-9A-Fa-f]{2})?")
# written plain or escaped, these mean the same to every server, and the parser leaves the plain ones alone
UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!*'():@,$[]|"
PLAIN_IN_PATH = frozenset(UNRESERVED + "&=+")
PLAIN_IN_QUERY = frozenset(UNRESERVED + "/?")

SESSION_IN_PATH = re.compile(
    r";(?:jsessionid|phpsessid|sessionid|sid)=[^/;]*|(?<=/)\([A-Za-z]\([A-Za-z0-9]{24}\)\)(?:/|$)", re.IGNORECASE
)
SESSION_NAMES = frozenset({"jsessionid", "phpsessid", "oscsid", "zenid", "cftoken", "cfid", "xtcsid"})
SESSION_BEGINNING = "aspsessionid"
# these select content on other sites (s is a search, sid a story), so the value must look like a token
HEX_TOKEN = re.compile(r"[0-9a-fA-F]{32}")
LONG_TOKEN = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9_-]{16,128}")
TOKEN = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9_-]{8,128}")
POSSIBLE_SESSIONS = {
    "s": HEX_TOKEN,
    "sid": LONG_TOKEN,
    "session": LONG_TOKEN,
    "sess": LONG_TOKEN,
    "sessid": TOKEN,
    "sessionid": TOKEN,
    "session_id": TOKEN,
    "session-id": TOKEN,
    "phpsession": TOKEN,
}


class UrlInvalid(InputInvalid):
    def __init__(self, url: str) -> None:
        super().__init__(f"{url[:SHOWN]!r} is not a valid http or https address.", "Check its spelling.")


def resolve(url: str, base: str | None = None) -> str:
    """The address a browser would ask for (WHATWG), absolute; UrlInvalid for any other scheme and what is none."""
    try:
        href = ada_url.normalize_url(url) if base is None else ada_url.join_url(base, url)
    except ValueError:
        well_formed = _well_formed(url)
        if well_formed == url:
            raise UrlInvalid(url) from None
        return resolve(well_formed, base)
    if not href.startswith(WEB):
        raise UrlInvalid(url)
    return href


def canonical(url: str) -> str:
    """What decides identity: https, no `www.`, nothing that does not select content. It is not what is fetched."""
    parts = PARTS.match(resolve(url))
    assert parts, url
    host, port, path, query = parts.groups()
    host = _bare_host(host)
    port = "" if port is None or port == ":443" else port
    if "%" in path:
        path = _escapes_in_path(path)
    if SESSION_IN_PATH.search(path):
        path = _path_without_session(path)
    query = _canonical_query(query) if query else ""
    return f"https://{host}{port}{path}?{query}" if query else f"https://{host}{port}{path}"


def fingerprint(url: str) -> int:
    """Signed 64 bits, for a bigint and an intset: the first 8 bytes of BLAKE2b of the canonical form, big endian.

    It is in databases: never change it, nor `canonical` and its list of parameters, without a migration of both.
    """
    return _hash(canonical(url))


def homepage_fingerprint(domain: str) -> int:
    """The fingerprint of `https://domain/`, for a domain as `hosts.read` gives it: lists have 50,000, and nothing in them is
    left to resolve."""
    return _hash(f"https://{_bare_host(domain)}/")


def _hash(canonical_url: str) -> int:
    return int.from_bytes(blake2b(canonical_url.encode("ascii"), digest_size=8).digest(), "big", signed=True)


@lru_cache(1 << 16)
def _bare_host(host: str) -> str:
    """Not `sites.bare`: it asks the Public Suffix List, whose changes must not change fingerprints."""
    host = host.rstrip(".") or host
    while host.startswith(WWW) and "." in host[len(WWW) :]:
        host = host[len(WWW) :]
    return host


def _well_formed(text: str) -> str:
    """Surrogate pairs joined, lone ones replaced, as a browser's strings are before they are parsed."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescaping(plain: frozenset[str]) -> Callable[[str], str]:
    table = {"%": "%25"}  # a stray percent sign means itself
    for code in range(256):
        upper = f"%{code:02X}"
        meant = chr(code) if chr(code) in plain else upper
        for first in {upper[1], upper[1].lower()}:
            table |= {f"%{first}{second}": meant for second in {upper[2], upper[2].lower()}}
    return lambda text: ESCAPE.sub(lambda found: table[found[0]], text)


_escapes_in_path = _unescaping(PLAIN_IN_PATH)
_escapes_in_query = _unescaping(PLAIN_IN_QUERY)


def _path_without_session(path: str) -> str:
    # parsed once more, because what is left may have become a dot segment: /a/..;jsessionid=1/b
    href = ada_url.normalize_url(f"https://host{SESSION_IN_PATH.sub('', path)}")
    return href.removeprefix("https://host") or "/"


def _canonical_query(query: str) -> str:
    if "%" in query:
        query = _escapes_in_query(query).replace("%20", "+")
    kept = []
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        if pair and not _says_nothing(name) and not _is_session(name, value):
            kept.append((name, pair))
    if len(kept) > 1:
        kept.sort(key=lambda one: one[0])  # stable: equal names keep their order, which may matter
    return "&".join(pair for _, pair in kept)


@lru_cache(1 << 14)
def _says_nothing(name: str) -> bool:
    """A parameter that never selects content, whatever its value."""
    name = _parameter(name)
    names, beginnings = _tracking()
    return name in SESSION_NAMES or name in names or name.startswith((SESSION_BEGINNING, *beginnings))


def _is_session(name: str, value: str) -> bool:
    token = POSSIBLE_SESSIONS.get(_parameter(name))
    return token is not None and token.fullmatch(value) is not None


def _parameter(name: str) -> str:
    return name.lower().removeprefix("amp;")  # `&amp;` that was escaped twice


@cache
def _tracking() -> tuple[frozenset[str], tuple[str, ...]]:
    listed = entries("tracking_parameters")
    beginnings = tuple(name[:-1] for name in listed if name.endswith("*"))
    return frozenset(name for name in listed if not name.endswith("*")), beginnings
