"""The head of an HTTP request, read leniently and fast: origin form, absolute form (as to a proxy) and CONNECT."""

from dataclasses import dataclass, field

END = b"\r\n\r\n"
MOST_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Message:
    verb: str
    scheme: str  # of an absolute target; empty: that of the connection
    host: str  # lower case, without port
    target: str
    headers: dict[bytes, bytes] = field(default_factory=dict)
    keep: bool = True

    def header(self, name: bytes) -> str:
        return self.headers.get(name, b"").decode("latin-1")


class Malformed(Exception):
    """What came is not a request."""


def message(head: bytes) -> Message:
    lines = head.split(b"\r\n")
    parts = lines[0].split(b" ")
    if len(parts) != 3:
        raise Malformed
    headers = {}
    for line in lines[1:]:
        name, _, value = line.partition(b":")
        headers[name.lower()] = value.strip()
    verb, target = parts[0].decode("latin-1"), parts[1].decode("utf-8", "replace")
    keep = headers.get(b"connection", b"").lower() != b"close" and parts[2] != b"HTTP/1.0"
    host = headers.get(b"host", b"").decode("latin-1")
    scheme = ""
    if verb == "CONNECT":
        host, target = target, ""
    elif target.startswith(("http://", "https://")):
        scheme, _, rest = target.partition("://")
        host, slash, target = rest.partition("/")
        target = slash + target or "/"
    return Message(verb, scheme, without_port(host), target.partition("#")[0], headers, keep)


def without_port(authority: str) -> str:
    if authority.startswith("["):
        return authority.partition("]")[0][1:].lower()
    return authority.partition(":")[0].lower()
