"""What the steward works with: the servers, and the deployment's promises in numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import Engine

from prospector.blobs import Storage
from prospector.core.web.addresses import Policy
from prospector.frontier.client import Frontier


@dataclass(frozen=True)
class Post:
    """`webhook_url` is a secret and `runner_environment` holds some: they are not shown."""

    engine: Engine
    frontier: Frontier
    scrapyd_urls: tuple[str, ...]
    workers_per_node: int
    checkpoint_domains: int
    retention_days: int
    paid_most: int
    scrapingbee_url: str
    files: Storage
    runner_environment: Mapping[str, str] = field(repr=False)  # for the child processes that make exports
    webhook_url: str | None = field(default=None, repr=False)
    webhook_policy: Policy = field(default_factory=Policy)
