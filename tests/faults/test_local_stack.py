"""The crash matrix of the local stack, each fault real: kill -9, foreign pids, full disks, taken ports."""

import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import psutil
import psycopg2
import pytest
from redis import Redis

from prospector import nodes
from prospector.errors import ServerUnreachable
from prospector.local import attach, locks, state
from prospector.local.home import SERVERS, Home
from prospector.local.servers import Servers, with_home

PATIENCE_SECONDS = 120  # of a loaded machine; every wait ends with its condition
NOBODY = 65534
CLIENT = (
    "from prospector.local.servers import in_force; s = in_force(); print(s.database_url, s.redis_url, *s.scrapyd_urls)"
)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A home of its own; afterwards nothing of its stack runs or lies about."""
    home = Home(tmp_path / "home")
    yield home
    attach.detach(home)
    attach.stop(home)
    assert until(lambda: not processes(home))
    assert leavings(home) == []
    shutil.rmtree(home.folder)  # 70 MB, of which pytest would keep three runs


def processes(home: Home) -> list[psutil.Process]:
    """Each with its `info` of this moment: a process that is asked later may have ended."""
    return [
        one
        for one in psutil.process_iter(["cmdline", "status", "username"])
        if home.mark in " ".join(one.info["cmdline"] or ()) and one.info["status"] != psutil.STATUS_ZOMBIE
    ]


def leavings(home: Home) -> list[Path]:
    return [*Path("/tmp").glob(f"{home.mark}*"), *home.folder.rglob("*.new"), *home.folder.glob("stack.json")]


def until(true: Callable[[], object]) -> bool:
    end = time.monotonic() + PATIENCE_SECONDS
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def supervisors(home: Home) -> list[psutil.Process]:
    """The supervisor and its guard, which is a fork of it."""
    return [one for one in processes(home) if "prospector.local.supervisor" in one.info["cmdline"]]


def guards(home: Home) -> list[psutil.Process]:
    return [one for one in supervisors(home) if one.pid != supervisor(home)]


def postmasters(home: Home) -> list[int]:
    """A child of it looks the same until it has given itself a title."""
    return [one.pid for one in processes(home) if one.info["cmdline"][0].endswith("/postgres")]


def end_supervisor_and_guard(home: Home) -> None:
    """Both at once: held first, or the one that dies later would act on the death of the other."""
    found = sorted(supervisors(home), key=lambda one: one.pid != supervisor(home))
    for act in (psutil.Process.suspend, psutil.Process.kill):
        for one in found:
            act(one)
    assert psutil.wait_procs(found, PATIENCE_SECONDS)[1] == []


def kill_all(home: Home) -> bool:
    """Whether there was anything to kill: a server may have been begun anew while others were killed."""
    found = processes(home)
    for one in found:
        with suppress(psutil.NoSuchProcess):  # it went with its parent
            one.kill()
    return bool(found)


def holder(home: Home, server: str) -> int:
    """0 while it is about to begin."""
    return int((home.lock(server).read_text().split() or ["0"])[0])


def supervisor(home: Home) -> int:
    found = attach.running(home)
    assert found
    return found.pid


def write(servers: Servers, value: int) -> None:
    with closing(psycopg2.connect(servers.database_url)) as connection, connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE IF NOT EXISTS kept (value int); INSERT INTO kept VALUES (%s)", (value,))
    with Redis.from_url(servers.redis_url) as redis:
        redis.set("kept", value)
        redis.execute_command("WAITAOF", 1, 0, 5000)


def read(servers: Servers) -> tuple[int, int]:
    with closing(psycopg2.connect(servers.database_url)) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT max(value) FROM kept")
        (in_postgres,) = cursor.fetchone() or (0,)
    with Redis.from_url(servers.redis_url) as redis:
        return in_postgres, int(redis.get("kept"))


def serves(servers: Servers) -> bool:
    try:
        return read(servers) and nodes.status(servers.scrapyd_urls[0])["status"] == "ok"
    except (psycopg2.OperationalError, ServerUnreachable, ConnectionError, OSError):
        return False
    except Exception as error:
        if type(error).__module__.startswith("redis."):
            return False
        raise


def client(home: Home, **options: object) -> "subprocess.Popen[str]":
    environment = os.environ | {"PROSPECTOR_HOME": str(home.folder)} | options.pop("environment", {})
    return subprocess.Popen(
        [sys.executable, "-c", CLIENT],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def test_eight_concurrent_first_starts_make_one_stack(home: Home) -> None:
    clients = [client(home) for _ in range(8)]

    answers = [one.communicate(timeout=PATIENCE_SECONDS) for one in clients]

    assert [words for _, words in answers] == [""] * 8
    assert len({urls for urls, _ in answers}) == 1
    assert until(lambda: postmasters(home) == [holder(home, "postgres")])


def test_a_killed_supervisor_takes_its_servers_with_it_and_the_next_start_has_the_data(home: Home) -> None:
    write(with_home(home), 1)

    os.kill(supervisor(home), signal.SIGKILL)

    assert until(lambda: not processes(home))
    assert read(with_home(home)) == (1, 1)


@pytest.mark.parametrize("server", ["postgres", "redis", "scrapyd"])
def test_a_killed_server_serves_again_at_the_same_address_with_the_data(home: Home, server: str) -> None:
    servers = with_home(home)
    write(servers, 2)
    killed = holder(home, server)

    os.kill(killed, signal.SIGKILL)

    assert until(lambda: holder(home, server) not in {0, killed} and serves(servers))
    assert read(servers) == (2, 2)
    assert until(lambda: state.read(home).servers[server].restarts == 1)


def test_a_killed_guard_is_replaced_and_still_guards(home: Home) -> None:
    with_home(home)
    (guard,) = guards(home)

    guard.kill()
    assert until(lambda: guards(home) and guard not in guards(home))
    os.kill(supervisor(home), signal.SIGKILL)

    assert until(lambda: not processes(home))


def test_after_kill_9_of_everything_the_next_start_has_the_data(home: Home) -> None:
    write(with_home(home), 3)

    assert until(lambda: not kill_all(home))

    assert read(with_home(home)) == (3, 3)


def test_a_stale_pid_of_a_living_stranger_is_neither_trusted_nor_touched(home: Home) -> None:
    write(with_home(home), 4)
    attach.detach(home)
    attach.stop(home)
    drop = {"user": NOBODY} if os.getuid() == 0 else {}  # Postgres itself would trust a pid of its own user
    stranger = subprocess.Popen(["sleep", "600"], **drop)
    try:
        for server in SERVERS:
            home.lock(server).write_text(f"{stranger.pid} {signal.SIGKILL:d} 0123456789abcdef")
        (data,) = [one for one in home.postgres.iterdir() if one.name.isdigit()]
        (data / "postmaster.pid").write_text(f"{stranger.pid}\n{data}\n1\n5432\n{home.sockets}\n\n1 1\nready\n")

        after = read(with_home(home))
        alive = stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()

    assert after == (4, 4)
    assert alive


def test_servers_that_outlived_supervisor_and_guard_are_ended_by_the_next_start(home: Home) -> None:
    write(with_home(home), 6)
    orphans = [holder(home, server) for server in ("postgres", "redis", "scrapyd")]

    end_supervisor_and_guard(home)

    assert read(with_home(home)) == (6, 6)
    assert not {holder(home, server) for server in ("postgres", "redis", "scrapyd")} & set(orphans)
    assert not {one.pid for one in processes(home)} & set(orphans)


def test_down_ends_what_outlived_supervisor_and_guard(home: Home) -> None:
    with_home(home)
    end_supervisor_and_guard(home)

    attach.stop(home)

    assert until(lambda: not processes(home))


def killed_in_initdb(home: Home) -> bool:
    """False where the data folder was complete before the supervisor was killed; then nothing is left of it."""
    first = client(home)
    assert until(lambda: home.postgres.exists() and any(home.postgres.iterdir()))
    os.kill(supervisor(home), signal.SIGKILL)
    first.communicate(timeout=PATIENCE_SECONDS)
    assert until(lambda: not processes(home))
    if any(home.postgres.glob("*.new")):
        return True
    shutil.rmtree(home.postgres)
    return False


def test_a_stack_whose_folder_is_deleted_ends_and_leaves_nothing(home: Home) -> None:
    with_home(home)

    shutil.rmtree(home.folder, ignore_errors=True)  # Postgres goes on to write until it notices
    ended = until(lambda: not [one for one in processes(home) if one.info["username"] != "nobody"])

    assert ended
    assert until(lambda: not leavings(home))
    home.folder.mkdir(exist_ok=True)


def test_an_initdb_that_was_killed_is_made_anew(home: Home) -> None:
    assert any(killed_in_initdb(home) for _ in range(5))

    write(with_home(home), 5)
    assert read(with_home(home)) == (5, 5)


def test_a_stack_that_nothing_uses_stops_and_leaves_nothing(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_IDLE_SECONDS", "1")
    with_home(home)
    time.sleep(2.5)
    in_use = attach.running(home)

    attach.detach(home)

    assert in_use
    assert until(lambda: not attach.running(home))
    assert until(lambda: not processes(home))


def test_a_stack_that_is_kept_up_stays(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_IDLE_SECONDS", "1")
    attach.keep_up(home)

    attach.detach(home)
    time.sleep(2.5)

    assert attach.running(home)


def test_a_socket_folder_of_somebody_else_is_refused_by_name(home: Home, tmp_path: Path) -> None:
    sockets = Path("/tmp") / home.mark
    sockets.symlink_to(tmp_path)
    through_link = client(home).communicate(timeout=PATIENCE_SECONDS)[1]
    sockets.unlink()
    other = ""
    if os.getuid() == 0:
        sockets.mkdir()
        os.chown(sockets, NOBODY, NOBODY)
        other = client(home).communicate(timeout=PATIENCE_SECONDS)[1]
        sockets.rmdir()

    assert f"{sockets} belongs to" in through_link
    assert os.getuid() or f"{sockets} belongs to user id {NOBODY}, not to you (0)" in other


def test_a_full_disk_says_what_to_do(home: Home) -> None:
    def no_file_over_a_megabyte() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

    failed = client(home, preexec_fn=no_file_over_a_megabyte)
    words = failed.communicate(timeout=PATIENCE_SECONDS)[1]

    assert "Lift it" in words or "lift it and run this again" in words
    assert not list(home.postgres.iterdir())


def test_a_taken_port_is_left_to_its_owner(home: Home) -> None:
    before = with_home(home).scrapyd_urls[0]
    attach.detach(home)
    attach.stop(home)
    port = int(before.rpartition(":")[2])
    with ExitStack() as taken:
        with suppress(OSError):  # somebody else has it by now: as good
            taken.enter_context(socket.create_server(("127.0.0.1", port)))
        after = with_home(home).scrapyd_urls[0]

        assert after != before
        assert nodes.status(after)["status"] == "ok"


def test_a_long_folder_for_temporary_files_is_no_place_for_sockets(home: Home, tmp_path: Path) -> None:
    long = tmp_path / ("x" * 120)
    long.mkdir()

    urls, words = client(home, environment={"TMPDIR": str(long)}).communicate(timeout=PATIENCE_SECONDS)

    assert words == ""
    assert f"/tmp/{home.mark}" in urls


def test_a_server_that_the_deployment_names_is_used_and_not_started(home: Home, stack: Servers) -> None:
    urls, words = client(home, environment={"DATABASE_URL": stack.database_url}).communicate(timeout=PATIENCE_SECONDS)

    assert words == ""
    assert urls.split()[0] == stack.database_url
    assert "postgres" not in attach.running(home).servers


def test_an_ordinary_user_has_a_stack_too(tmp_path: Path) -> None:
    folder, command = (short_folder_of_nobody(), as_nobody()) if os.getuid() == 0 else (tmp_path, [])
    home = Home(folder)
    environment = os.environ | {"PROSPECTOR_HOME": str(folder), "HOME": str(folder), "LOCAL_IDLE_SECONDS": "1"}
    try:
        done = subprocess.run(
            [*command, sys.executable, "-c", CLIENT], env=environment, capture_output=True, text=True, timeout=120
        )

        assert done.stderr == ""
        assert f"prospector-{folder.stat().st_uid}-" in done.stdout
        assert until(lambda: not locks.held(home.lock("supervisor")))
        assert not list(Path("/tmp").glob(f"prospector-{folder.stat().st_uid}-{home.mark.rpartition('-')[2]}*"))
    finally:
        shutil.rmtree(folder)


def short_folder_of_nobody() -> Path:
    """Outside pytest's own folder, which is closed to all but root."""
    folder = Path(tempfile.mkdtemp(prefix="own-", dir="/tmp"))
    os.chown(folder, NOBODY, NOBODY)
    return folder


def as_nobody() -> list[str]:
    """An ordinary user id that may yet read the interpreter, should that lie in root's own folder."""
    drop = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    # by a shell, because setpriv itself still has root's rights when it looks for its program
    if subprocess.run([*drop, "sh", "-c", f"exec {sys.executable} --version"], capture_output=True).returncode == 0:
        return drop
    return [*drop, "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
