"""Real pages in many languages for the benchmarks: HTML of Debian's documentation packages, unpacked and not committed.

python bench/corpus.py        fetches what is missing into bench/out/corpus (about 250 MB)
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

CORPUS = Path(__file__).parent / "out" / "corpus"
PAGES_OF_A_PACKAGE_AT_MOST = 400  # pages of one package, evenly spread, so that no single manual decides

PACKAGES = [
    *(f"aptitude-doc-{one}" for one in ("cs", "en", "es", "fi", "fr", "it", "ja", "nl", "ru")),
    *(f"debian-faq{one}" for one in ("", "-de", "-fr", "-it", "-ja", "-ko", "-nl", "-pt", "-ru", "-zh-cn")),
    *(f"debian-reference-{one}" for one in ("en", "de", "es", "fr", "it", "ja", "pt", "zh-cn", "zh-tw")),
    *(f"developers-reference{one}" for one in ("", "-de", "-fr", "-it", "-ja", "-ru")),
    *(f"gimp-help-{one}" for one in ("de", "el", "en", "fa", "ja", "ko", "ru", "zh-cn")),
    *(f"maint-guide{one}" for one in ("", "-ca", "-de", "-es", "-fr", "-it", "-ja", "-ru", "-vi", "-zh-cn", "-zh-tw")),
    "apache2-doc",
    "debian-handbook",
    "installation-guide-amd64",
    "nodejs-doc",
    "postgresql-doc-15",
    "python-django-doc",
    "python3.11-doc",
    "r-doc-html",
    "rust-doc",
    "sqlite3-doc",
]


def fetch() -> None:
    """A package that this Debian does not have is named and left out."""
    packages, pages = CORPUS / "debs", CORPUS / "pages"
    packages.mkdir(parents=True, exist_ok=True)
    pages.mkdir(exist_ok=True)
    for name in PACKAGES:
        if (pages / name).exists():
            continue
        done = subprocess.run(["apt-get", "download", "-q", name], cwd=packages, capture_output=True, check=False)
        if done.returncode:
            print(f"left out: {name}", file=sys.stderr)
            continue
        for package in packages.glob(f"{name}_*.deb"):
            subprocess.run(["dpkg", "-x", package, pages / name], check=True)
            package.unlink()


def files() -> Iterator[Path]:
    for package in sorted((CORPUS / "pages").glob("*")):
        found = sorted(
            one
            for one in package.rglob("*.html*")
            if one.is_file() and not one.is_symlink() and one.suffix not in (".gz", ".js")
        )
        step = max(1, len(found) // PAGES_OF_A_PACKAGE_AT_MOST)
        yield from found[::step]


def pages(least_bytes: int = 1_000) -> list[bytes]:
    found = (path.read_bytes() for path in files())
    return [body for body in found if len(body) >= least_bytes]


if __name__ == "__main__":
    fetch()
    bodies = pages()
    print(f"{len(bodies):,} pages, mean {sum(map(len, bodies)) / max(1, len(bodies)):,.0f} bytes")
