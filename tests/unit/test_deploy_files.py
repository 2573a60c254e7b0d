"""What is in deploy/ cannot be run here; what it names must exist."""

import json
import os
import re
import subprocess
from configparser import ConfigParser
from pathlib import Path

import pytest

from prospector import env, settings
from prospector.jobs.exports.asking import RUNNERS_MOST
from prospector.jobs.steward.gauges import Gauges
from prospector.local.checks import GOOD_LOCKS

DEPLOY = Path(__file__).parents[2] / "deploy"
STEWARD_MB = 256
OF_SERVERS = {"POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD", "REDIS_PASSWORD", "SCRAPYD_PASSWORD"}


def metrics() -> set[str]:
    names = set()
    for one in Gauges().registry.collect():
        names.add(f"{one.name}_total" if one.type == "counter" else one.name)
    return names


@pytest.mark.parametrize("name", ["alerts.yml", "grafana.json"])
def test_every_metric_that_is_looked_at_is_served(name: str) -> None:
    asked = set(re.findall(r"prospector_[a-z0-9_]+", (DEPLOY / name).read_text(encoding="utf-8")))

    assert asked
    assert asked <= metrics()


@pytest.mark.parametrize("name", ["compose.yaml", "kubernetes/prospector.yaml"])
def test_every_option_that_is_set_is_one(name: str) -> None:
    assert settings.BOT_NAME  # reading the settings fills the list of options
    text = (DEPLOY / name).read_text(encoding="utf-8")

    named = set(re.findall(r"^ +([A-Z][A-Z_]+):", text, re.MULTILINE)) | set(re.findall(r"name: ([A-Z][A-Z_]+),", text))

    assert named
    assert named - OF_SERVERS <= set(env.READ)


def test_the_node_of_the_image_takes_no_code_and_has_room_for_more_than_its_workers() -> None:
    config = ConfigParser()
    config.read(DEPLOY / "scrapyd.conf")

    assert config["services"]["addversion.json"] == ""
    assert config["settings"]["prospector"] == "prospector.settings"
    assert config["scrapyd"].getint("max_proc") > 4


def test_the_steward_s_limit_has_room_for_the_exports_it_starts() -> None:
    steward = (DEPLOY / "kubernetes" / "prospector.yaml").read_text(encoding="utf-8").partition("name: steward }")[2]
    each_mb = int(re.findall(r'EXPORT_MEMORY_MB, value: "(\d+)"', steward)[0])
    limit_mb = int(re.findall(r"limits: { memory: (\d+)Mi }", steward)[0])

    assert limit_mb >= RUNNERS_MOST * each_mb + STEWARD_MB


def test_logs_and_locks_of_the_fleet_on_one_machine_are_bounded_and_enough() -> None:
    compose = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")

    assert compose.count("logging: *logging") == 3  # ours, Postgres, Redis
    assert f"max_locks_per_transaction={GOOD_LOCKS}" in compose


def test_the_dashboard_s_panels_have_something_to_show() -> None:
    dashboard = json.loads((DEPLOY / "grafana.json").read_text(encoding="utf-8"))

    assert all(panel["targets"] for panel in dashboard["panels"])


def test_the_image_installs_what_is_locked() -> None:
    dockerfile = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")

    assert "pip install --require-hashes -r requirements/run.txt" in dockerfile


def test_any_password_of_a_node_is_the_one_that_scrapyd_reads(tmp_path: Path) -> None:
    script = (DEPLOY / "node.sh").read_text(encoding="utf-8")
    for folder in ("/etc/scrapyd/conf.d", "/var/lib/scrapyd"):
        script = script.replace(folder, str(tmp_path))
    (tmp_path / "scrapyd").write_text("#!/bin/sh\n")
    (tmp_path / "scrapyd").chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"

    subprocess.run(
        ["sh", "-c", script], env={"PATH": path, "SCRAPYD_PASSWORD": "100% $HOME %s \\n#;"}, check=True, timeout=60
    )

    read = ConfigParser()
    read.read(tmp_path / "login.conf")
    assert read["scrapyd"]["password"] == "100% $HOME %s \\n#;"
