"""TLS on the port of plain HTTP: certificates made at start, chosen by the name that the client asks for."""

import contextlib
import ssl
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from prospector.demo.web.plan import Plan
from prospector.demo.web.site import Certificate, Schemes

CLIENT_HELLO = 0x16  # the first byte of a TLS connection; no request begins with it
CHUNK_BYTES = 64 * 1024


class Tunnel:
    """One TLS connection over bytes that something else carries."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._ready = False

    def feed(self, data: bytes) -> bytes:
        """Takes what came from the client and returns what it says. An `ssl.SSLError` ends the connection."""
        self._incoming.write(data)
        said = bytearray()
        with contextlib.suppress(ssl.SSLWantReadError):
            if not self._ready:
                self._tls.do_handshake()
                self._ready = True
            while part := self._tls.read(CHUNK_BYTES):
                said += part
        return bytes(said)

    def seal(self, data: bytes) -> bytes:
        self._tls.write(data)
        return self.outgoing()

    def outgoing(self) -> bytes:
        return self._outgoing.read()


def context(plan: Plan) -> ssl.SSLContext:
    """Serves the certificate of each site; refuses names whose site speaks no https."""
    contexts = {kind: _context(kind) for kind in Certificate}
    default = contexts[Certificate.CURRENT]

    def choose(connection: ssl.SSLObject, name: str | None, _context: ssl.SSLContext) -> int | None:
        site = plan.site_of(name or "")
        if site is None or site.schemes is Schemes.HTTP:
            return ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME
        connection.context = contexts[site.certificate]
        return None

    default.sni_callback = choose
    return default


def _context(kind: Certificate) -> ssl.SSLContext:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile(suffix=".pem") as file:
        Path(file.name).write_bytes(_certificate(kind))
        made.load_cert_chain(file.name)
    return made


def _certificate(kind: Certificate) -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    name = "other.invalid" if kind is Certificate.WRONG_NAME else "*.test"
    ends = datetime.now(UTC) + timedelta(days=-3 if kind is Certificate.EXPIRED else 30)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(ends - timedelta(days=60))
        .not_valid_after(ends)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return private + made.public_bytes(serialization.Encoding.PEM)
