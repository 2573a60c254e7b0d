"""Spider that says what a node runs: `prospector` asks each node for it before it trusts the node with work."""

import hashlib
import platform
from collections.abc import AsyncIterator, Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from scrapy import Spider

from prospector import __version__, logs

LOG = logs.named(__name__)
COMPARED = (".py", ".lua", ".txt", ".json")


class EnvironmentSpider(Spider):
    name = "environment"

    async def start(self) -> AsyncIterator[Any]:
        """As an item where the node keeps items, and as a line in its log where it does not."""
        found = environment()
        LOG.info("environment", **found)
        yield found


def environment() -> dict[str, str | int]:
    """Equal on two nodes if and only if they run the same code and data on the same minor Python."""
    digest = hashlib.sha256()
    count = 0
    for path, file in sorted(files_of(resources.files("prospector"))):
        digest.update(path.encode() + b"\0" + file.read_bytes() + b"\0")
        count += 1
    python = ".".join(platform.python_version_tuple()[:2])
    return {"version": __version__, "python": python, "files": count, "digest": digest.hexdigest()}


def files_of(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from files_of(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(COMPARED):
            yield prefix + entry.name, entry
