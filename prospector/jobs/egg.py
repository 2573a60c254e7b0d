"""The egg that Scrapyd nodes run: this very code, packed by scrapyd-deploy's own machinery."""

import subprocess
import sys
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from tempfile import TemporaryDirectory

from prospector import __version__
from prospector.errors import ProspectorError

PACKED = (".py", ".lua", ".txt", ".json", ".html", ".mako", ".typed")
BUILD_SECONDS = 120
SETUP = """\
from setuptools import find_packages, setup

setup(
    name="backlink-prospector",
    version={version!r},
    packages=find_packages(),
    package_data={{"": ["**/*.lua", "**/*.txt", "**/*.json", "**/*.html", "**/*.mako", "*.typed"]}},
    entry_points={{"scrapy": ["settings = prospector.settings"]}},
    zip_safe=True,
)
"""
SCRAPY_CFG = "[settings]\ndefault = prospector.settings\n\n[deploy]\nproject = prospector\n"


def build() -> bytes:
    """From what is installed here, so that no clone is needed."""
    with TemporaryDirectory(prefix="prospector-egg-") as name:
        folder = Path(name)
        _copy(resources.files("prospector"), folder / "prospector")
        (folder / "setup.py").write_text(SETUP.format(version=__version__), encoding="utf-8")
        (folder / "scrapy.cfg").write_text(SCRAPY_CFG, encoding="utf-8")
        egg = folder / "prospector.egg"
        made = subprocess.run(
            [sys.executable, "-m", "scrapyd_client.deploy", "--build-egg", str(egg)],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=BUILD_SECONDS,
            check=False,
        )
        if made.returncode or not egg.exists():
            words = made.stderr.strip().splitlines()[-1:] or ["no word about it"]
            raise ProspectorError(f"The egg could not be built: {words[0]}", "prospector doctor checks this machine.")
        return egg.read_bytes()


def _copy(package: Traversable, folder: Path) -> None:
    folder.mkdir()
    for entry in package.iterdir():
        if entry.is_dir() and entry.name != "__pycache__":
            _copy(entry, folder / entry.name)
        elif entry.name.endswith(PACKED):
            (folder / entry.name).write_bytes(entry.read_bytes())
