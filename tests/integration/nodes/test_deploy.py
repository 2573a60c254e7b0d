"""Our code on nodes: sent, asked what it is there, and refused where it is not the same."""

from pathlib import Path

import pytest

from prospector import nodes
from prospector.jobs import deploy, egg
from prospector.jobs.deploy import Outcome
from prospector.spiders.environment import environment
from tests.integration.nodes.conftest import Start


@pytest.fixture(scope="module")
def packed() -> bytes:
    return egg.build()


def test_a_node_that_runs_the_very_same_code_gets_it_and_one_that_would_not_is_refused(
    start_scrapyd: Start, packed: bytes
) -> None:
    url = start_scrapyd(installed=False).url

    (sent,) = deploy.deploy([url], packed, environment(), "20261118120000")
    (refused,) = deploy.deploy([url], packed, environment() | {"python": "3.1"}, "20261118120001")

    assert (sent.outcome, sent.problem) == (Outcome.SENT, "")
    assert refused.outcome is Outcome.REFUSED
    assert "here it is 3.1" in refused.problem
    assert nodes.versions(url) == ["20261118120000"]


def test_a_node_with_our_code_installed_takes_no_other_and_is_compared(start_scrapyd: Start, packed: bytes) -> None:
    url = start_scrapyd().url

    (same,) = deploy.deploy([url], packed, environment(), "20261118120000")
    (other,) = deploy.deploy([url], packed, environment() | {"digest": "another"}, "20261118120000")

    assert same.outcome is Outcome.INSTALLED
    assert other.outcome is Outcome.REFUSED


def test_a_node_that_is_away_is_named_and_no_refusal(packed: bytes) -> None:
    (away,) = deploy.deploy(["http://127.0.0.1:9"], packed, environment(), "1")

    assert away.outcome is Outcome.UNREACHABLE
    assert "127.0.0.1:9 does not answer: Connection refused." in away.problem


def test_the_egg_has_everything_but_caches(packed: bytes, tmp_path: Path) -> None:
    import zipfile

    (tmp_path / "egg").write_bytes(packed)
    with zipfile.ZipFile(tmp_path / "egg") as opened:
        names = opened.namelist()

    assert "prospector/frontier/lua/claim.lua" in names
    assert "EGG-INFO/entry_points.txt" in names
    assert not [name for name in names if "/tests/" in name]
