"""The package: `pip install .`, and the egg that `scrapyd-deploy` builds."""

import re
from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).parent
VERSION = re.search(r'__version__ = "(.+)"', (HERE / "prospector" / "__init__.py").read_text(encoding="utf-8"))
REQUIREMENTS = (HERE / "requirements" / "run.in").read_text(encoding="utf-8").splitlines()
assert VERSION

setup(
    name="backlink-prospector",
    version=VERSION[1],
    description="Finds the pages that mention your keywords on thousands of sites: politely, within budget, without losing work.",
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    python_requires=">=3.11,<3.15",
    packages=find_packages(include=["prospector", "prospector.*", "cli", "cli.*", "migrations", "migrations.*"]),
    package_data={"": ["py.typed", *(f"**/*.{kind}" for kind in ("lua", "txt", "json", "html", "mako"))]},
    install_requires=[line for line in REQUIREMENTS if line and not line.startswith("#")],
    entry_points={
        "console_scripts": ["prospector = cli.main:main", "backlink-prospector = cli.main:main"],
        "scrapy": ["settings = prospector.settings"],
    },
    zip_safe=True,
)
