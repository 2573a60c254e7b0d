"""What doctor finds on servers that are not as they should be: each a real one, set up wrongly."""

import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import psycopg2
import pytest

from prospector import blobs
from prospector.errors import EnvironmentInvalid, ServerUnreachable
from prospector.frontier import server as frontier_server
from prospector.local import checks, providers
from prospector.local.checks import Check, Verdict
from prospector.local.servers import Servers
from prospector.store import server as store_server
from tests.ports import free_port, free_ports


def verdicts(found: Iterator[Check]) -> dict[str, Verdict]:
    return {one.name: one.state for one in found}


@pytest.fixture
def database(stack: Servers) -> Iterator[str]:
    """The URL of a database that is not UTF-8, for a user that may not create anything in it."""
    name = f"doctor_{secrets.token_hex(4)}"
    with closing(psycopg2.connect(stack.database_url)) as connection:
        connection.autocommit = True
        cursor = connection.cursor()
        cursor.execute(f"CREATE DATABASE {name} ENCODING LATIN1 LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0; ")
        cursor.execute(f"CREATE ROLE {name} LOGIN")
        yield stack.database_url.replace("//prospector@/prospector", f"//{name}@/{name}")
        cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")
        cursor.execute(f"DROP ROLE {name}")


def test_a_database_of_another_encoding_and_without_rights_fails(database: str) -> None:
    found = verdicts(checks.postgres(database))

    assert found["Postgres encoding"] is Verdict.FAIL
    assert found["Postgres rights"] is Verdict.FAIL
    assert found["Postgres version"] is Verdict.OK


def test_too_few_locks_for_a_restore_are_warned_of(stack: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = replace(store_server.facts(stack.database_url), locks_per_transaction=64, locks_allowed=6_400)
    assert verdicts(checks.postgres(stack.database_url))["Postgres locks"] is Verdict.OK

    monkeypatch.setattr(store_server, "facts", lambda _: facts)

    (found,) = [one for one in checks.postgres(stack.database_url) if one.name == "Postgres locks"]
    assert found.state is Verdict.WARN
    assert "about 266 jobs" in found.found
    assert "max_locks_per_transaction = 256" in found.remedy


def listens(path: str) -> bool:
    """A socket is there before anybody listens on it."""
    with socket.socket(socket.AF_UNIX) as asking:
        return asking.connect_ex(path) == 0


@pytest.fixture
def evicting() -> Iterator[str]:
    """A Redis as many are set up: for a cache."""
    with tempfile.TemporaryDirectory(prefix="evicting-", dir="/tmp") as folder:
        options = ["--port", "0", "--unixsocket", f"{folder}/s", "--save", "", "--dir", folder]
        options += ["--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"]
        command = [str(providers.redis(None).programs), *options]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            while not listens(f"{folder}/s"):
                time.sleep(0.01)
            yield f"unix://{folder}/s"
            process.terminate()


def test_a_redis_that_evicts_fails_and_one_that_forgets_is_warned_of(evicting: str) -> None:
    found = verdicts(checks.redis(evicting))

    assert found["Redis eviction"] is Verdict.FAIL
    assert found["Redis persistence"] is Verdict.WARN
    assert found["Redis set-max-intset-entries"] is Verdict.WARN
    assert found["Redis version"] is Verdict.OK


def test_a_redis_older_than_7_fails(evicting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = replace(frontier_server.facts(evicting), commands="6.2.14")
    monkeypatch.setattr(frontier_server, "facts", lambda _: facts)

    assert verdicts(checks.redis(evicting))["Redis version"] is Verdict.FAIL


@pytest.fixture
def open_scrapyd(tmp_path: Path) -> Iterator[str]:
    """A Scrapyd as it comes: without a password."""
    port = free_port()
    (tmp_path / "scrapyd.conf").write_text(
        f"[scrapyd]\nhttp_port = {port}\n[settings]\nprospector = prospector.settings\n"
    )
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, "-m", "scrapyd", "--pidfile="], cwd=tmp_path, **quiet) as process:
        until = time.monotonic() + 60
        while time.monotonic() < until and socket.socket().connect_ex(("127.0.0.1", port)):
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
        process.terminate()


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # the probing sockets above
def test_a_scrapyd_without_a_password_fails(open_scrapyd: str) -> None:
    found = verdicts(checks.scrapyd(open_scrapyd))

    assert found[f"Scrapyd password {open_scrapyd}"] is Verdict.FAIL


def test_the_local_scrapyd_is_closed_and_on_this_machine_only(stack: Servers) -> None:
    found = verdicts(checks.scrapyd(stack.scrapyd_urls[0]))

    assert set(found.values()) == {Verdict.OK}


def test_a_wrong_password_is_a_finding_with_a_remedy(stack: Servers) -> None:
    wrong = stack.scrapyd_urls[0].replace("http://prospector:", "http://prospector:not")

    (found,) = checks._guarded("Scrapyd", lambda: checks.scrapyd(wrong))

    assert found.state is Verdict.FAIL
    assert found.remedy == "Correct SCRAPYD_URLS."
    assert "not" not in found.found.replace("not accept", "")


@pytest.mark.parametrize(
    ("off_seconds", "verdict"), [(0.0, Verdict.OK), (5.0, Verdict.WARN), (-5.0, Verdict.WARN), (3600.0, Verdict.FAIL)]
)
def test_a_clock_that_is_off_is_told_of(off_seconds: float, verdict: Verdict) -> None:
    now = time.time()

    assert checks.skew("Redis clock", now + off_seconds, before=now).state is verdict


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URL of a prefix in a real S3, of SeaweedFS."""
    parts = ("master", "volume", "filer", "s3", "admin")
    ports = free_ports(2 * len(parts))
    words = [f"-{part}.port={port}" for part, port in zip(parts, ports[: len(parts)], strict=True)]
    words += [f"-{part}.port.grpc={port}" for part, port in zip(parts, ports[len(parts) :], strict=True)]
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{ports[3]}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "prospector")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not-a-secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    weed = str(Path(sys.executable).with_name("weed"))
    words += ["-ip=127.0.0.1", "-webdav=false", "-admin.ui=false", "-bucket=files"]
    with tempfile.TemporaryDirectory(prefix="weed-", dir="/tmp") as folder:
        command = [weed, f"-logdir={folder}", "mini", f"-dir={folder}", *words]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            yield "s3://files/of/prospector"
            process.terminate()


def test_a_bucket_is_written_read_and_cleaned(bucket: str) -> None:
    until = time.monotonic() + 90
    while True:
        try:
            blobs.round_trip(bucket)
            break
        except (ServerUnreachable, EnvironmentInvalid):  # it is still starting
            assert time.monotonic() < until
            time.sleep(0.2)


def test_a_bucket_nobody_serves_is_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")

    with pytest.raises(ServerUnreachable, match="AWS_ENDPOINT_URL"):
        blobs.round_trip("s3://files/prefix")
