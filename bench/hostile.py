"""Time and memory of each hostile page of the tests: read and matched with 500 keywords, each in a process of its own.

python -m bench.hostile
"""

import random
import resource
import string
import subprocess
import sys
import time

from prospector.core.reading.folding import fold
from prospector.core.reading.page import read
from prospector.core.words.keywords import Keyword
from prospector.core.words.match import Matcher
from tests.unit.test_pages import HOSTILE, URL

KEYWORDS = 500


def matcher() -> Matcher:
    chance = random.Random(2)
    words = ("".join(chance.choices(string.ascii_lowercase, k=7)) for _ in range(KEYWORDS - 3))
    return Matcher(map(Keyword, ["CRM", "CRM software", "a", *words]))


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(name: str) -> None:
    compiled = matcher()
    fold("e\u0301 \U00011099")  # makes the tables of the first text that needs them
    read(b"<p>CRM", URL)
    body = HOSTILE[name][0]()
    before = megabytes()
    start = time.process_time()
    page = read(body, URL)
    compiled.match(page)
    taken = time.process_time() - start
    said = "truncated" if page.truncated else "whole"
    print(f"{name:28} {len(body) / 1e6:6.2f} MB {taken:6.3f} s  +{megabytes() - before:4.0f} MB  {said}", flush=True)


def main() -> None:
    if sys.argv[1:]:
        measure(sys.argv[1])
        return
    for name in HOSTILE:
        subprocess.run([sys.executable, "-m", "bench.hostile", name], check=True, timeout=60)


if __name__ == "__main__":
    main()
