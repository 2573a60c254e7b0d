"""Ports for servers that must be told theirs before they start."""

import os
import random
import socket

# each process of a run has a sixteenth of its own: what one has looked up, another does not take before its server has begun
PROCESS = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 16
# below those that systems give to outgoing connections: nobody gets one by chance while its server starts
PORTS = range(20_000 + PROCESS, 32_000, 16)


def free_port() -> int:
    return free_ports(1)[0]


def free_ports(count: int) -> list[int]:
    return [port for port in random.sample(PORTS, count + 100) if _is_free(port)][:count]


def _is_free(port: int) -> bool:
    with socket.socket() as asking:
        try:
            asking.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
