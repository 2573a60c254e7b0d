"""Which processes of an earlier stack are ended, and which are not."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from prospector.errors import EnvironmentInvalid
from prospector.local import leftovers, locks

HOLDS = "import fcntl, sys, time; file = open(sys.argv[1], 'r+'); fcntl.flock(file, fcntl.LOCK_EX); print(flush=True); time.sleep(float(sys.argv[2]))"
MARK = "prospector-of-a-test"


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    path = tmp_path / "redis"
    path.touch()
    return path


@pytest.fixture
def stranger() -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process
        process.kill()


def holder(lock: Path, seconds: float, *marks: str) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen([sys.executable, "-c", HOLDS, str(lock), str(seconds), *marks], stdout=subprocess.PIPE)
    assert process.stdout
    process.stdout.readline()
    return process


def test_a_holder_that_carries_the_mark_is_ended(lock: Path) -> None:
    with holder(lock, 600, MARK) as process:
        lock.write_text(f"{process.pid} {signal.SIGTERM:d} of-before")

        leftovers.end([lock], MARK)

        assert process.wait(60) == -signal.SIGTERM


def test_a_holder_that_does_not_listen_is_killed(lock: Path) -> None:
    with holder(lock, 600, MARK) as process:
        lock.write_text(f"{process.pid} {signal.SIGCONT:d} of-before")

        leftovers.end([lock], MARK)

        assert process.wait(60) == -signal.SIGKILL


def test_a_stranger_with_the_pid_of_a_dead_server_lives_while_orphans_hold_the_lock(
    lock: Path, stranger: "subprocess.Popen[bytes]"
) -> None:
    with holder(lock, 1):
        lock.write_text(f"{stranger.pid} {signal.SIGKILL:d} of-before")

        leftovers.end([lock], MARK)

        assert not locks.held(lock)
        assert stranger.poll() is None


def test_a_guard_leaves_the_servers_of_a_later_supervisor_alone(lock: Path) -> None:
    with holder(lock, 600, MARK) as process:
        lock.write_text(f"{process.pid} {signal.SIGTERM:d} of-later")

        leftovers.end([lock], MARK, generation="of-before")

        assert process.poll() is None
        process.kill()


def test_a_lock_that_stays_held_ends_in_words_that_name_it(lock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftovers, "LIMIT_SECONDS", 0.2)
    with holder(lock, 600) as process:
        with pytest.raises(EnvironmentInvalid, match=f"fuser -v {lock}"):
            leftovers.free(lock)
        process.kill()


def test_probes_do_not_see_each_other(lock: Path) -> None:
    with holder(lock, 600) as process:
        assert locks.held(lock)
        process.kill()
    shared = locks.share(lock)

    assert not locks.held(lock)
    assert locks.shared(lock)
    assert locks.take(lock) is None
    assert shared
