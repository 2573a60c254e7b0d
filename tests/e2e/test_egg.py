"""The egg that `scrapyd-deploy` builds runs on a Scrapyd node that has the libraries but not this clone."""

import json
import shutil
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.ports import free_port

CLONE = Path(__file__).parents[2]
IN_PACKAGE = ("prospector", "cli", "migrations", "requirements", "setup.py", "scrapy.cfg", "README.md")
PATIENCE_SECONDS = 120


@pytest.fixture(scope="module")
def egg(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("source")
    for name in IN_PACKAGE:
        if (CLONE / name).is_dir():
            shutil.copytree(CLONE / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif (CLONE / name).exists():
            shutil.copy(CLONE / name, source)
    deploy = Path(sys.executable).with_name("scrapyd-deploy")
    subprocess.run([deploy, "--build-egg", "prospector.egg"], cwd=source, check=True, capture_output=True, timeout=120)
    return source / "prospector.egg"


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("node")
    port = free_port()
    (folder / "scrapyd.conf").write_text(f"[scrapyd]\nhttp_port = {port}\nitems_dir = items\npoll_interval = 0.2\n")
    libraries = next(path for path in sys.path if path.endswith("site-packages"))
    # the base interpreter with the libraries on its path: the clone's own .pth file is not read there
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": libraries, "PYTHONWARNINGS": "ignore", "HOME": str(folder)}
    command = [sys._base_executable, "-m", "scrapyd"]  # type: ignore[attr-defined]  # CPython's own
    with (folder / "out").open("w") as out:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=out)
    try:
        url = f"http://127.0.0.1:{port}/"
        until(lambda: call(url + "daemonstatus.json"), "Scrapyd does not answer")
        yield url
    finally:
        process.terminate()
        process.wait(60)


def call(url: str, data: bytes | None = None, kind: str = "application/x-www-form-urlencoded") -> dict[str, Any]:
    request = urllib.request.Request(url, data, {"Content-Type": kind})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            parsed: dict[str, Any] = json.load(answer)
            return parsed
    except ConnectionError:
        return {}
    except urllib.error.URLError:
        return {}


def until(answer: Any, otherwise: str) -> Any:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if found := answer():
            return found
        time.sleep(0.1)
    raise AssertionError(otherwise)


def upload(node: str, egg: Path) -> dict[str, Any]:
    fields = {"project": b"prospector", "version": b"1", "egg": egg.read_bytes()}
    mark = b"----egg"
    body = b"".join(
        b'--%s\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n%s\r\n'
        % (mark, name.encode(), b'; filename="e"' if name == "egg" else b"", value)
        for name, value in fields.items()
    )
    return call(node + "addversion.json", body + b"--%s--\r\n" % mark, "multipart/form-data; boundary=----egg")


def test_the_egg_s_spider_runs_on_a_node_and_reads_its_data_inside_the_zip(node: str, egg: Path) -> None:
    added = upload(node, egg)
    assert added["status"] == "ok", added
    assert "environment" in call(node + "listspiders.json?project=prospector")["spiders"]

    scheduled = call(node + "schedule.json", b"project=prospector&spider=environment")
    job = until(
        lambda: call(node + "listjobs.json?project=prospector").get("finished"),
        "the spider does not finish",
    )[0]

    with urllib.request.urlopen(urllib.parse.urljoin(node, job["items_url"]), timeout=60) as answer:
        item = json.loads(answer.read())
    assert job["id"] == scheduled["jobid"]
    assert item == in_this_clone()


def in_this_clone() -> dict[str, Any]:
    from prospector.spiders.environment import environment

    return environment()
