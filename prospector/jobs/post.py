"""What the steward works with: the servers, and the deployment's promises in numbers."""

from dataclasses import dataclass, field

from sqlalchemy import Engine

from prospector.core.addresses import Policy
from prospector.frontier.client import Frontier


@dataclass(frozen=True)
class Post:
    """`webhook_url` is a secret: it is not shown."""

    engine: Engine
    frontier: Frontier
    scrapyd_urls: tuple[str, ...]
    workers_per_node: int
    checkpoint_domains: int
    retention_days: int
    paid_most: int
    scrapingbee_url: str
    webhook_url: str | None = field(default=None, repr=False)
    webhook_policy: Policy = field(default_factory=Policy)
