"""Certificates that a browser would warn of: a site with one is crawled all the same, and it is said."""

from datetime import UTC, datetime
from functools import lru_cache
from ipaddress import ip_address

from cryptography.x509 import Certificate, DNSName, ExtensionNotFound, IPAddress, SubjectAlternativeName
from twisted.internet.ssl import Certificate as PeerCertificate

KEPT = 10_000


def is_bad(peer: PeerCertificate, host: str) -> bool:
    """Over, not yet valid, or another host's. Who signed it is not asked: that would need a list of whom to trust."""
    return _is_bad(peer.original.to_cryptography(), host, datetime.now(UTC).date().toordinal())


@lru_cache(KEPT)
def _is_bad(certificate: Certificate, host: str, _day: int) -> bool:
    now = datetime.now(UTC)
    in_time = certificate.not_valid_before_utc <= now <= certificate.not_valid_after_utc
    return not in_time or not _is_for(certificate, host.strip("[]").lower())


def _is_for(certificate: Certificate, host: str) -> bool:
    """By the names it was made for, as browsers see it: the subject's common name says nothing."""
    try:
        names = certificate.extensions.get_extension_for_class(SubjectAlternativeName).value
    except ExtensionNotFound:
        return False
    try:
        return ip_address(host) in names.get_values_for_type(IPAddress)
    except ValueError:
        above = f"*.{host.partition('.')[2]}"  # a wildcard stands for one label
        return any(name.lower() in {host, above} for name in names.get_values_for_type(DNSName))
