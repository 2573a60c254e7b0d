"""Which certificates a browser would warn of."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from OpenSSL.crypto import X509
from twisted.internet.ssl import Certificate

from prospector.fetch.certificates import is_bad

NOW = datetime.now(UTC)
DAY = timedelta(days=1)


def made(
    *names: str, addresses: tuple[str, ...] = (), begins: datetime = NOW - DAY, ends: datetime = NOW + DAY
) -> Certificate:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "common.test")])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), begins, ends)
    kinds = [*(x509.DNSName(one) for one in names), *(x509.IPAddress(ip_address(one)) for one in addresses)]
    if kinds:
        builder = builder.add_extension(x509.SubjectAlternativeName(kinds), critical=False)
    return Certificate(X509.from_cryptography(builder.sign(key, hashes.SHA256())))


@pytest.mark.parametrize(
    ("names", "host", "bad"),
    [
        (("a.test",), "a.test", False),
        (("A.Test",), "a.test", False),
        (("b.test", "a.test"), "a.test", False),
        (("*.a.test",), "www.a.test", False),
        (("*.a.test",), "x.www.a.test", True),
        (("*.a.test",), "a.test", True),
        (("b.test",), "a.test", True),
        ((), "common.test", True),
    ],
)
def test_a_certificate_is_for_the_names_in_it(names: tuple[str, ...], host: str, bad: bool) -> None:
    assert is_bad(made(*names), host) is bad


def test_a_certificate_for_an_address_is_for_that_address() -> None:
    one = made(addresses=("8.8.8.8",))

    assert not is_bad(one, "8.8.8.8")
    assert is_bad(one, "8.8.4.4")


def test_a_certificate_has_its_time() -> None:
    assert is_bad(made("a.test", begins=NOW - 2 * DAY, ends=NOW - DAY), "a.test")
    assert is_bad(made("a.test", begins=NOW + DAY, ends=NOW + 2 * DAY), "a.test")
