"""Spiders of the local Scrapyd: they know the deployment, and end in good order before the servers they write to."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from redis import Redis

from prospector import env, nodes
from prospector.local import attach, locks, log_files, options, scrapyd
from prospector.local.home import Home
from prospector.local.servers import with_home

CLONE = Path(__file__).parents[3]
LINGERS = '''
"""Keeps a spider running until it is told to end; then its last batch takes a moment and goes to Redis."""

import os
import time

from redis import Redis
from scrapy import signals
from scrapy.exceptions import DontCloseSpider


class Lingers:
    @classmethod
    def from_crawler(cls, crawler):
        made = cls()
        crawler.signals.connect(made.idle, signals.spider_idle)
        crawler.signals.connect(made.closed, signals.spider_closed)
        return made

    def idle(self):
        Redis.from_url(os.environ["REDIS_URL"]).set("began", 1)
        raise DontCloseSpider

    def closed(self, reason):
        time.sleep(0.5)
        Redis.from_url(os.environ["REDIS_URL"]).set("last batch", reason)
'''

TELLS = '''
"""Tells again and again which key is in force in this spider."""

import os

from redis import Redis
from scrapy import signals
from scrapy.exceptions import DontCloseSpider

from prospector.fetch import key

key.READ_AGAIN_SECONDS = 0.0


class Tells:
    @classmethod
    def from_crawler(cls, crawler):
        made = cls()
        crawler.signals.connect(made.idle, signals.spider_idle)
        return made

    def idle(self):
        Redis.from_url(os.environ["REDIS_URL"]).set("key", key.key_in_force()() or "")
        raise DontCloseSpider
'''


@pytest.fixture
def lingering(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home with one running spider."""
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "lingers.py").write_text(LINGERS, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "modules"))
    url = with_home(home).scrapyd_urls[0]
    nodes.schedule(url, "environment", "lingering", {"EXTENSIONS": '{"lingers.Lingers": 0}'})
    assert until(lambda: nodes.status(url)["running"] == 1 and locks.shared(home.lock("spiders")))
    # not earlier: a signal while Scrapy is still opening the spider ends it without closing it
    assert until(lambda: in_redis(home, "began") is not None)
    return home


def command(home: Home, folder: Path, modules: Path, **environment: str) -> str:
    """A command of this user's in that folder; its words are the address of Scrapyd."""
    return subprocess.run(
        [sys.executable, "-c", "from prospector.local.servers import in_force; print(*in_force().scrapyd_urls)"],
        cwd=folder,
        env=os.environ
        | {"PROSPECTOR_HOME": str(home.folder), "PYTHONPATH": f"{CLONE}:{modules}", "XDG_CONFIG_HOME": str(modules)}
        | environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    ).stdout.strip()


def until(true: Callable[[], bool]) -> bool:
    end = time.monotonic() + 90
    while not true() and time.monotonic() < end:
        time.sleep(0.05)
    return true()


def in_redis(home: Home, key: str) -> str | None:
    with Redis.from_url(with_home(home).redis_url, decode_responses=True) as redis:
        return redis.get(key)


def test_a_stop_waits_for_the_last_batch_of_running_spiders(lingering: Home) -> None:
    attach.detach(lingering)

    attach.stop(lingering)

    assert in_redis(lingering, "last batch") == "shutdown"


def test_a_killed_scrapyd_takes_its_spiders_to_an_orderly_end(lingering: Home) -> None:
    scrapyd = int(lingering.lock("scrapyd").read_text().split()[0])

    os.kill(scrapyd, signal.SIGKILL)

    assert until(lambda: not locks.shared(lingering.lock("spiders")))
    assert in_redis(lingering, "last batch") == "shutdown"


def test_nobody_may_upload_code(home: Home) -> None:
    url = with_home(home).scrapyd_urls[0]

    with pytest.raises(nodes.NodeRefused, match="404"):
        nodes.add_version(url, "1", b"an egg")


def test_options_of_a_later_command_reach_the_spiders_that_start_after_it(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_home(home)
    monkeypatch.setattr(options, "given", lambda: {"DELAY_MS": "2000", "DATABASE_URL": "postgresql://elsewhere"})

    with_home(home)

    recorded = options.recorded(home.sockets)
    assert recorded["DELAY_MS"] == "2000"
    assert "DATABASE_URL" not in recorded
    assert (home.sockets / options.FILE).stat().st_mode & 0o777 == 0o600


def test_a_spider_that_runs_makes_room_for_one_with_the_options_of_a_later_command(
    lingering: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(options, "given", lambda: {"SCRAPINGBEE_API_KEY": "a-key-at-last"})

    with_home(lingering)

    assert until(lambda: not locks.shared(lingering.lock("spiders")))
    assert in_redis(lingering, "last batch") == "shutdown"


def test_a_key_that_is_corrected_in_the_file_reaches_spiders_that_run(home: Home, tmp_path: Path) -> None:
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "tells.py").write_text(TELLS, encoding="utf-8")
    folder = tmp_path / "client"
    folder.mkdir()
    (folder / "prospector.toml").write_text('scrapingbee_api_key = "misspelt"\n', encoding="utf-8")
    # the stack was started with the key in the environment, then a command came that has it in a file
    command(home, tmp_path, tmp_path / "modules", SCRAPINGBEE_API_KEY="of-the-shell")
    url = command(home, folder, tmp_path / "modules").split()[-1]
    nodes.schedule(url, "environment", "telling", {"EXTENSIONS": '{"tells.Tells": 0}'})
    assert until(lambda: in_redis(home, "key") == "misspelt")

    (folder / "prospector.toml").write_text('scrapingbee_api_key = "corrected"\n', encoding="utf-8")

    assert until(lambda: in_redis(home, "key") == "corrected")
    assert "misspelt" not in (home.sockets / options.FILE).read_text(encoding="utf-8")


def test_a_command_without_a_file_leaves_that_of_the_last_one_in_force(home: Home, tmp_path: Path) -> None:
    for name in ("first", "without"):
        (tmp_path / name).mkdir()
    (tmp_path / "first" / "prospector.toml").write_text("delay_ms = 2000\n", encoding="utf-8")

    for name in ("without", "first", "without"):
        command(home, tmp_path / name, tmp_path)

    recorded = options.recorded(home.sockets)
    assert recorded[env.FOLDER_VARIABLE] == str(tmp_path / "first")
    assert recorded["DELAY_MS"] is None


def test_an_edit_of_the_file_is_seen_by_what_compares_the_options(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "prospector.toml"
    file.write_text("workers_per_node = 2\n", encoding="utf-8")
    command(home, tmp_path, tmp_path)
    before = options.recorded(home.sockets)

    file.write_text("workers_per_node = 3\n", encoding="utf-8")
    command(home, tmp_path, tmp_path)

    assert options.recorded(home.sockets) != before


def test_a_log_that_has_grown_is_set_aside_while_the_stack_runs(home: Home) -> None:
    with_home(home)
    for name in ("supervisor", "exports", "redis"):
        with (home.logs / f"{name}.log").open("ab") as log:
            log.truncate(log_files.BYTES_MOST + 1)

    for name in ("supervisor", "exports", "redis"):
        assert until(lambda name=name: (home.logs / f"{name}.log").stat().st_size < log_files.BYTES_MOST)
        assert (home.logs / f"{name}.1.log").stat().st_size == log_files.BYTES_MOST


def test_its_own_lines_are_one_json_event_each_without_its_password(home: Home) -> None:
    url = with_home(home).scrapyd_urls[0]
    nodes.status(url)

    lines = (home.logs / "scrapyd.log").read_text(encoding="utf-8").splitlines()

    assert lines
    assert all({"time", "level", "event"} <= json.loads(line).keys() for line in lines)
    assert url.partition("@")[0].rpartition(":")[2] not in "".join(lines)


@pytest.mark.parametrize("left", ["", "99999", "\0\0\0\0", "none"])
def test_what_a_full_disk_or_a_loss_of_power_has_left_of_its_files_is_made_anew(left: str, tmp_path: Path) -> None:
    (tmp_path / "port").write_text(left)
    (tmp_path / "password").touch()

    with scrapyd.listen(tmp_path) as listener:
        url = scrapyd.url(tmp_path, listener)

    assert (tmp_path / "port").read_text() == url.rpartition(":")[2]
    assert len((tmp_path / "password").read_text()) >= 24
