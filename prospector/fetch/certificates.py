"""Certificates that a browser would warn of: a site with one is crawled all the same, and it is said."""

from datetime import UTC, datetime
from functools import lru_cache
from ipaddress import ip_address

from cryptography.x509 import Certificate
from service_identity import CertificateError, VerificationError
from service_identity.cryptography import verify_certificate_hostname, verify_certificate_ip_address
from twisted.internet.ssl import Certificate as PeerCertificate

KEPT = 10_000


def is_bad(peer: PeerCertificate, host: str) -> bool:
    """Over, not yet valid, or another host's. Who signed it is not asked: that would need a list of whom to trust."""
    certificate: Certificate = peer.original.to_cryptography()
    return _is_bad(certificate, host, datetime.now(UTC).date().toordinal())


@lru_cache(KEPT)
def _is_bad(certificate: Certificate, host: str, _day: int) -> bool:
    now = datetime.now(UTC)
    if not certificate.not_valid_before_utc <= now <= certificate.not_valid_after_utc:
        return True
    try:
        _verify(certificate, host)
    except (VerificationError, CertificateError):
        return True
    return False


def _verify(certificate: Certificate, host: str) -> None:
    try:
        address = ip_address(host.strip("[]"))
    except ValueError:
        verify_certificate_hostname(certificate, host)
    else:
        verify_certificate_ip_address(certificate, str(address))
