"""/metrics and /healthz of the steward, on loopback unless METRICS_ADDRESS says otherwise."""

import json
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from prospector import logs

LOG = logs.named(__name__)
OK, UNAVAILABLE, ABSENT = 200, 503, 404
Health = Callable[[], Mapping[str, Any]]


class MetricsServer(ThreadingHTTPServer):
    """`health` says how it stands; it is well where its `healthy` is true."""

    daemon_threads = True

    def __init__(self, address: str, registry: CollectorRegistry, health: Health) -> None:
        self.registry = registry
        self.health = health
        super().__init__(host_and_port(address), _Handler)

    @property
    def url(self) -> str:
        host, port = self.server_address[:2]
        return f"http://{host if isinstance(host, str) else host.decode()}:{port}/metrics"


class _Handler(BaseHTTPRequestHandler):
    server: MetricsServer

    def do_GET(self) -> None:  # http.server's name
        match self.path:
            case "/metrics":
                self._answer(OK, CONTENT_TYPE_LATEST, generate_latest(self.server.registry))
            case "/healthz":
                told = self.server.health()
                self._answer(
                    OK if told["healthy"] else UNAVAILABLE, "application/json", json.dumps(told, default=str).encode()
                )
            case _:
                self._answer(ABSENT, "text/plain", b"/metrics and /healthz\n")

    def _answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # http.server's name
        LOG.debug("metrics_read", request=format % args)


def serve(address: str, registry: CollectorRegistry, health: Health) -> MetricsServer | None:
    """None where the address is taken: a second steward of this machine works, and says nothing."""
    try:
        server = MetricsServer(address, registry, health)
    except OSError as error:
        LOG.warning("metrics_not_served", address=address, error=str(error))
        return None
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
    return server


def host_and_port(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)
