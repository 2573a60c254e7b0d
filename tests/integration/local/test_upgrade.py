"""A new major version of Postgres. Only one is locked, so here 18 stands in for its own predecessor: data in a folder
named 17, with the programs that were kept for it. All the rest is real: two servers, the dump, the load, the renaming.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import psycopg2
import pytest

from prospector.errors import EnvironmentInvalid
from prospector.local import attach, upgrade
from prospector.local.home import Home
from prospector.local.servers import with_home

CLIENT = "from prospector.local.servers import in_force; in_force()"
# the real program goes by a name that copies keep: nobody makes a data folder with the old one
SAYS_17 = """#!/bin/sh
[ "$1" = --version ] && exec echo 'postgres (PostgreSQL) 17.9'
exec "${0%/*}/initdb" "$@"
"""
# begins and never answers: an upgrade stands still in its middle for as long as a test needs
HANGS = """#!/bin/sh
[ "$1" = --version ] && exec echo 'postgres (PostgreSQL) 17.9'
while :; do sleep 0.1; done
"""


@pytest.fixture
def of_17(home: Home) -> Home:
    """A home as an older version of Prospector has left it: with data, a role and a right."""
    with (
        closing(psycopg2.connect(with_home(home).database_url)) as connection,
        connection,
        connection.cursor() as cursor,
    ):
        cursor.execute("CREATE TABLE kept AS SELECT i, repeat('ß', 50) AS words FROM generate_series(1, 5000) i")
        cursor.execute("CREATE ROLE reader LOGIN; GRANT SELECT ON kept TO reader")
    attach.detach(home)
    attach.stop(home)
    (home.postgres / "18").rename(home.postgres / "17")
    (home.postgres / "18.programs").rename(home.postgres / "17.programs")
    (program,) = home.postgres.glob("17.programs/*/pginstall/bin/postgres")
    program.rename(program.with_name("initdb"))
    program.write_text(SAYS_17, encoding="ascii")
    program.chmod(0o755)
    return home


def count_as(home: Home, role: str) -> int:
    url = with_home(home).database_url.replace("//prospector@", f"//{role}@")
    with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM kept")
        (count,) = cursor.fetchone() or (0,)
    return count


def test_data_roles_and_rights_come_over_and_the_old_data_is_kept(of_17: Home) -> None:
    after = count_as(of_17, "reader")

    assert after == 5000
    assert upgrade.kept_data(of_17) == [of_17.postgres / "17.before-18"]
    assert sorted(one.name for one in of_17.postgres.iterdir()) == ["17.before-18", "17.programs", "18", "18.programs"]


def test_an_upgrade_that_was_killed_begins_anew(of_17: Home) -> None:
    environment = os.environ | {"PROSPECTOR_HOME": str(of_17.folder)}
    (program,) = of_17.postgres.glob("17.programs/*/pginstall/bin/postgres")
    program.write_text(HANGS, encoding="ascii")
    with subprocess.Popen([sys.executable, "-c", CLIENT], env=environment, stderr=subprocess.DEVNULL) as client:
        while not (of_17.postgres / "18.upgrading" / "PG_VERSION").exists():
            assert client.poll() is None
            time.sleep(0.005)
        found = attach.running(of_17)
        assert found

        os.kill(found.pid, signal.SIGKILL)
    program.write_text(SAYS_17, encoding="ascii")

    assert count_as(of_17, "prospector") == 5000
    assert not (of_17.postgres / "18.upgrading").exists()


def test_without_the_old_programs_nothing_is_touched_and_the_message_names_them(of_17: Home) -> None:
    shutil.rmtree(of_17.postgres / "17.programs")
    before = files_below(of_17.postgres / "17")

    with pytest.raises(EnvironmentInvalid, match=r"made by Postgres 17.*Install Postgres 17"):
        with_home(of_17)

    assert files_below(of_17.postgres / "17") == before


def test_data_of_a_newer_version_is_refused(of_17: Home) -> None:
    (of_17.postgres / "17").rename(of_17.postgres / "99")

    with pytest.raises(EnvironmentInvalid, match="made by Postgres 99, and the newest found here is"):
        with_home(of_17)


def files_below(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))
