"""The servers of one stack: which there are, and how each is started, awaited and restarted."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib.metadata import version

from prospector import settings
from prospector.errors import EnvironmentInvalid
from prospector.local import providers, scrapyd, upgrade, valkey
from prospector.local.children import Child
from prospector.local.home import Home
from prospector.local.state import Server

RESTARTS = 5  # more than these within RESTARTS_SECONDS: something is broken that a restart does not mend
RESTARTS_SECONDS = 60.0


@dataclass
class Service:
    name: str
    server: Server
    launch: Callable[[], Child]
    await_ready: Callable[[Child], None]
    child: Child | None = None
    deaths: deque[float] = field(default_factory=lambda: deque(maxlen=RESTARTS))

    def start(self) -> None:
        self.child = self.launch()

    def make_ready(self) -> None:
        assert self.child
        self.await_ready(self.child)

    def ended(self) -> bool:
        return self.child is not None and self.child.ended()

    def restart(self) -> None:
        assert self.child
        now = time.monotonic()
        if len(self.deaths) == RESTARTS and now - self.deaths[0] < RESTARTS_SECONDS:
            raise EnvironmentInvalid(
                f"{self.name} ended {RESTARTS + 1} times within {RESTARTS_SECONDS:.0f} s: {self.child.last_words()}",
                f"Its log is {self.child.program.log}.",
            )
        self.deaths.append(now)
        self.server = replace(self.server, restarts=self.server.restarts + 1)
        self.start()
        self.make_ready()

    def last_words(self) -> str:
        return self.child.last_words() if self.child else ""

    def stop(self) -> None:
        if self.child:
            self.child.stop()


def services(home: Home, generation: str) -> list[Service]:
    """In the order of their start; a server that the deployment names is not among them. Stopped in reverse."""
    home.make_sockets()
    found: list[Service] = []
    environment = {"PROSPECTOR_HOME": str(home.folder), "STORAGE_URL": settings.STORAGE_URL or home.files.as_uri()}
    postgres = None if settings.DATABASE_URL else _postgres(home, generation)
    redis = None if settings.REDIS_URL else _redis(home, generation)
    environment["DATABASE_URL"] = postgres.server.url if postgres else str(settings.DATABASE_URL)
    environment["REDIS_URL"] = redis.server.url if redis else str(settings.REDIS_URL)
    found += [one for one in (postgres, redis) if one]
    if not settings.SCRAPYD_URLS:
        found.append(_scrapyd(home, environment, generation))
    return found


def _postgres(home: Home, generation: str) -> Service:
    cluster = upgrade.cluster(home, providers.postgres(settings.POSTGRES_PROGRAMS))
    log, lock = home.logs / "postgres.log", home.lock("postgres")

    def launch() -> Child:
        if not cluster.exists():
            upgrade.make(home, cluster, generation)
        return cluster.start(log, lock, generation)

    def await_ready(child: Child) -> None:
        cluster.await_ready(child)
        upgrade.keep_programs(home, cluster.provider)

    provider = cluster.provider
    server = Server(cluster.url, provider.name, provider.version, str(cluster.data))
    return Service("postgres", server, launch, await_ready)


def _redis(home: Home, generation: str) -> Service:
    provider = providers.redis(settings.REDIS_PROGRAM)
    sockets = home.sockets
    log, lock = home.logs / "redis.log", home.lock("redis")
    return Service(
        "redis",
        Server(valkey.url(sockets), provider.name, provider.version, str(home.redis)),
        lambda: valkey.start(provider, home.redis, sockets, log, lock, generation),
        lambda child: valkey.await_ready(child, sockets),
    )


def _scrapyd(home: Home, environment: dict[str, str], generation: str) -> Service:
    listener = scrapyd.listen(home.scrapyd)
    return Service(
        "scrapyd",
        Server(scrapyd.url(home.scrapyd, listener), "scrapyd", version("scrapyd"), str(home.scrapyd)),
        lambda: scrapyd.start(home, listener, environment, generation),
        lambda _: None,  # its port is open already: a caller waits in line until it answers
    )
