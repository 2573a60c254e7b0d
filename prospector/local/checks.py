"""What `prospector doctor` checks: this machine, then every server in force, each finding with its remedy."""

import platform
import re
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from urllib.parse import urlsplit

from prospector import blobs, nodes, settings
from prospector.errors import CredentialsRejected, ProspectorError, ServerUnreachable
from prospector.frontier import server as frontier_server
from prospector.local import providers, servers
from prospector.local.home import Home
from prospector.local.servers import Servers
from prospector.store import server as store_server

MEGABYTE = 1_000_000
LEAST_FREE_BYTES = 200 * MEGABYTE
GOOD_FREE_BYTES = 2_000 * MEGABYTE
GOOD_SKEW_SECONDS = 2.0
MOST_SKEW_SECONDS = 60.0
OLDEST_POSTGRES = 150_000
OLDEST_COMMANDS = (7, 0)
LEAST_CONNECTIONS = 20
GOOD_LOCKS = 256
LOCKS_A_JOB = 24  # a restore drops and makes a job's partitions and their indexes in one transaction
SENT_HERE = re.compile(": prospector doctor$")  # whoever reads this has just done so
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Verdict(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True)
class Check:
    name: str
    state: Verdict
    found: str
    remedy: str = ""
    unreachable: bool = False


def run(home: Home) -> Iterator[Check]:
    yield from _guarded("machine", partial(machine, home))
    try:
        found = servers.with_home(home)
    except ProspectorError as error:
        yield _failure("local stack", error)
        return
    yield from _guarded("Postgres", partial(postgres, found.database_url))
    yield from _guarded("Redis", partial(redis, found.redis_url))
    for url in found.scrapyd_urls:
        yield from _guarded(f"Scrapyd {nodes.address(url)}", partial(scrapyd, url))
    yield from _guarded("files", partial(storage, found))


def machine(home: Home) -> Iterator[Check]:
    yield Check("Python", Verdict.OK, f"{platform.python_version()} on {platform.platform(terse=True)}")
    home.make()
    yield Check("data folder", Verdict.OK, str(home.folder))
    free = shutil.disk_usage(home.folder).free
    remedy = "Free some space, or set PROSPECTOR_HOME to a folder on another disk."
    yield _graded(
        "disk space", f"{free / MEGABYTE:,.0f} MB free", free >= GOOD_FREE_BYTES, free >= LEAST_FREE_BYTES, remedy
    )
    if not settings.DATABASE_URL:
        one = providers.postgres(settings.POSTGRES_PROGRAMS)[0]
        yield Check("Postgres programs", Verdict.OK, f"{one.version} of {one.name}")
    if not settings.REDIS_URL:
        one = providers.redis(settings.REDIS_PROGRAM)
        yield Check("Redis program", Verdict.OK, f"{one.version} of {one.name}")


def postgres(url: str) -> Iterator[Check]:
    before = time.time()
    facts = store_server.facts(url)
    major, minor = divmod(facts.version, 10_000)
    new = facts.version >= OLDEST_POSTGRES
    yield _graded("Postgres version", f"{major}.{minor}", new, new, "Use Postgres 15 or newer.")
    utf8 = facts.encoding == "UTF8"
    remedy = "Make the database anew: CREATE DATABASE prospector ENCODING 'UTF8' TEMPLATE template0."
    yield _graded("Postgres encoding", facts.encoding, utf8, utf8, remedy)
    rights = "may create tables" if facts.may_create else f"may not create tables; {facts.tables} are there"
    remedy = (
        "prospector db migrate needs the owner's rights: GRANT CREATE ON SCHEMA public TO the user of DATABASE_URL."
    )
    yield _graded("Postgres rights", rights, facts.may_create, facts.tables > 0, remedy)
    many = facts.connections_allowed >= LEAST_CONNECTIONS
    left = facts.connections_allowed - facts.connections > 2
    found = f"{facts.connections} of {facts.connections_allowed} in use"
    yield _graded("Postgres connections", found, many and left, left, "Raise max_connections of the server.")
    found = f"{facts.locks_per_transaction} a transaction: a restore has room for about {facts.locks_allowed // LOCKS_A_JOB:,} jobs"
    remedy = (
        f"Set max_locks_per_transaction = {GOOD_LOCKS} and restart it, or a backup of more jobs cannot be restored."
    )
    yield _graded("Postgres locks", found, facts.locks_per_transaction >= GOOD_LOCKS, True, remedy)
    yield skew("Postgres clock", facts.clock.timestamp(), before)


def redis(url: str) -> Iterator[Check]:
    before = time.time()
    facts = frontier_server.facts(url)
    new = tuple(int(part) for part in facts.commands.split(".")[:2]) >= OLDEST_COMMANDS
    found = f"{facts.product} {facts.version}"
    yield _graded("Redis version", found, new, new, "Use Redis 7.0 or newer, or Valkey.")
    keeps = facts.eviction == "noeviction"
    remedy = "A server that evicts loses work: CONFIG SET maxmemory-policy noeviction, and in its configuration."
    yield _graded("Redis eviction", facts.eviction, keeps, keeps, remedy)
    persistence = "append-only file" if facts.append_only else f"snapshots: {facts.snapshots or 'none'}"
    remedy = "After a restart the work is rebuilt from Postgres, which takes a minute: appendonly yes avoids it."
    yield _graded("Redis persistence", persistence, facts.append_only, True, remedy)
    wanted = frontier_server.INTSET_ENTRIES
    found = "not shown by this server" if facts.intset_entries is None else str(facts.intset_entries)
    remedy = f"CONFIG SET set-max-intset-entries {wanted}: the pages seen take a fifth of the memory."
    yield _graded("Redis set-max-intset-entries", found, (facts.intset_entries or 0) >= wanted, True, remedy)
    limit = facts.limit_bytes or float("inf")
    found = f"{facts.used_bytes / MEGABYTE:,.0f} MB used, " + (
        f"limit {limit / MEGABYTE:,.0f} MB" if facts.limit_bytes else "no limit"
    )
    yield _graded("Redis memory", found, facts.used_bytes < limit * 0.8, facts.used_bytes < limit, "Raise maxmemory.")
    yield skew("Redis clock", facts.clock, before)


def scrapyd(url: str) -> Iterator[Check]:
    address, host = nodes.address(url), urlsplit(url).hostname or ""
    status = nodes.status(url)
    running = f"{status['running']} spiders run, {status['pending']} wait"
    yield Check(f"Scrapyd {address}", Verdict.OK, running)
    remedy = (
        "Anyone who reaches it can run code there: set username and password in its scrapyd.conf, and in SCRAPYD_URLS."
    )
    closed = asks_for_password(url)
    found = "asked for" if closed else "not asked for"
    yield _graded(f"Scrapyd password {address}", found, closed, closed, remedy)
    private = host in LOOPBACK or urlsplit(url).scheme == "https"
    found = "this machine only" if host in LOOPBACK else urlsplit(url).scheme
    remedy = "The password travels in clear: keep it in a private network, or put TLS in front and use https."
    yield _graded(f"Scrapyd address {address}", found, private, True, remedy)


def asks_for_password(url: str) -> bool:
    try:
        nodes.status(nodes.address(url))
    except CredentialsRejected:
        return True
    return False


def storage(found: Servers) -> Iterator[Check]:
    blobs.round_trip(found.storage_url, settings.AWS_ENDPOINT_URL)
    yield Check("files", Verdict.OK, f"{found.storage_url}: written, read and deleted")


def skew(name: str, theirs: float, before: float) -> Check:
    """Theirs was read between `before` and now."""
    now = time.time()
    off = max(theirs - now, before - theirs, 0.0)
    remedy = "Keep the clocks of all machines right with NTP."
    there = datetime.fromtimestamp(theirs, UTC).strftime("%H:%M:%S UTC")
    return _graded(name, f"{there}, {off:.1f} s off", off <= GOOD_SKEW_SECONDS, off <= MOST_SKEW_SECONDS, remedy)


def _graded(name: str, found: str, good: bool, usable: bool, remedy: str) -> Check:
    if good:
        return Check(name, Verdict.OK, found)
    return Check(name, Verdict.WARN if usable else Verdict.FAIL, found, remedy)


def _guarded(name: str, checks: Callable[[], Iterator[Check]]) -> Iterator[Check]:
    """A check that cannot go on is a finding, not the end of the others."""
    try:
        yield from checks()
    except ProspectorError as error:
        yield _failure(name, error)


def _failure(name: str, error: ProspectorError) -> Check:
    remedy = SENT_HERE.sub(".", error.remedy)
    return Check(name, Verdict.FAIL, error.problem, remedy, isinstance(error, ServerUnreachable))
