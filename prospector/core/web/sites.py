"""Which site a host belongs to, and which listed domain owns it: the Public Suffix List and the packaged shared hosts."""

from collections.abc import Container
from functools import cache, lru_cache

from publicsuffixlist import PublicSuffixList

from prospector.core.data import entries

KNOWN_HOSTS = 1 << 16  # remembered answers; a busy worker meets a few thousand hosts an hour
WWW = "www."


@lru_cache(KNOWN_HOSTS)
def site_of(host: str) -> str:
    """The host that has one gate: the registrable domain, private suffixes included; an address is its own site."""
    if host[-1:].isdigit() or host[:1] == "[":
        return host
    labels = host.split(".")
    length = suffix_labels(host) + 1
    site = ".".join(labels[-length:])
    shared = entries("shared_hosts")
    while site in shared and length < len(labels):
        length += 1
        site = ".".join(labels[-length:])
    return bare(site)


def bare(host: str) -> str:
    """The host without `www.`, its twin; a name that is registered as `www` under a suffix keeps it."""
    while host.startswith(WWW) and host.count(".") > max(1, suffix_labels(host)):
        host = host[len(WWW) :]
    return host


def owner(host: str, listed: Container[str]) -> str | None:
    """The longest listed host (as intake gives them, without `www.`) that covers `host`.

    Nothing covers a host of another site: github.io is only itself.
    """
    site = site_of(host)
    while host not in listed:
        if host == site:
            return None
        host = host.partition(".")[2]
    return host


def is_suffix(host: str) -> bool:
    """Whether other people's names are right below: co.uk, github.io."""
    return host.count(".") + 1 <= suffix_labels(host)


def is_registry_suffix(host: str) -> bool:
    """Whether nobody can own the name itself: co.uk, but not github.io."""
    # the two lists are asked in turn, because most hosts need only the first
    return is_suffix(host) and _registries().publicsuffix(host) == host


def registered_label(host: str) -> str:
    """What somebody registered below the suffix, shared hosts aside; a suffix gives its own first label."""
    return ".".join(host.split(".")[-suffix_labels(host) - 1 :]).partition(".")[0]


@cache
def is_known_ending(label: str) -> bool:
    """Whether a registry of that name exists, as far as the packaged list knows."""
    return _suffixes().publicsuffix(label, accept_unknown=False) == label


@lru_cache(KNOWN_HOSTS)
def suffix_labels(host: str) -> int:
    suffix = _suffixes().publicsuffix(host)
    return suffix.count(".") + 1 if suffix else host.count(".") + 1


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


@cache
def _registries() -> PublicSuffixList:
    return PublicSuffixList(only_icann=True)
