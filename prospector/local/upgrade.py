"""Which data folder the local Postgres uses, and the way from one major version to the next: dump and load."""

from pathlib import Path

from prospector.local.home import Home
from prospector.local.postgres import Cluster
from prospector.local.providers import Provider


def cluster(home: Home, found: list[Provider]) -> Cluster:
    return Cluster(found[0], home.postgres / str(found[0].major), home.sockets() / "pg", home.mark)


def make(wanted: Cluster, log: Path, lock: Path, generation: str) -> None:
    wanted.make(log, lock, generation)
