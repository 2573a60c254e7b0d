"""One JSON document to one address: checked like any other, sent once, redirects not followed."""

import http.client
import json
import socket
import ssl
from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

import certifi

from prospector.core.web.addresses import Policy
from prospector.errors import ProspectorError

SECONDS = 10
FINE = range(200, 300)
PORTS = {"https": 443, "http": 80}


class WebhookFailed(ProspectorError):
    def __init__(self, host: str, why: object) -> None:
        super().__init__(f"The webhook at {host} was not told: {why}.", "Correct ALERT_WEBHOOK_URL, or its receiver.")


def post(url: str, document: Mapping[str, object], policy: Policy) -> None:
    """Raises WebhookFailed, which names the host only: the rest of such an address is its password."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    connection = _Connection(host, parts.port or PORTS[parts.scheme], parts.scheme == "https", policy)
    body = json.dumps(document, ensure_ascii=False).encode()
    try:
        target = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
        connection.request("POST", target, body, {"Content-Type": "application/json", "Connection": "close"})
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        raise WebhookFailed(host, error) from error
    finally:
        connection.close()
    if status not in FINE:
        raise WebhookFailed(host, f"it answered HTTP {status}")


class _Connection(http.client.HTTPConnection):
    """Connects to the very address that was judged."""

    def __init__(self, host: str, port: int, secure: bool, policy: Policy) -> None:
        super().__init__(host, port, timeout=SECONDS)
        self._secure = secure
        self._policy = policy

    def connect(self) -> None:
        self.sock = socket.create_connection((self._address(), self.port), SECONDS)
        if self._secure:
            context = ssl.create_default_context(cafile=certifi.where())
            self.sock = context.wrap_socket(self.sock, server_hostname=self.host)

    def _address(self) -> str:
        found = [str(one[4][0]) for one in socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)]
        for address in found:
            if self._policy.permits(ip_address(address.partition("%")[0])):
                return address
        raise WebhookFailed(self.host, f"{found[0]} is not a public address; name its network in ALLOWED_NETWORKS")
