"""The web in a process of its own, for whoever needs one while a block runs."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from prospector.demo.web.serving import Ready
from prospector.errors import ServerUnreachable

STOP_SECONDS = 10


@contextmanager
def running(
    log: Path, *, seed: int = 1, sites: int = 40, kinds: Sequence[str] = (), token: str = ""
) -> Iterator[Ready]:
    """Serves on a free port; when the block ends, the process has ended and the log is complete."""
    words = [sys.executable, "-P", "-m", "prospector.demo", "--ends-with-stdin"]
    words += [f"--seed={seed}", f"--sites={sites}", f"--log={log}"]
    words += [f"--kind={kind}" for kind in kinds] + ([f"--token={token}"] if token else [])
    # a session of its own: after a Ctrl-C it still answers those that end in good order
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            assert process.stdout
            line = process.stdout.readline()
            if not line:
                raise ServerUnreachable(f"The small web ended at its start: {' '.join(words)}.", "Its words are above.")
            said = json.loads(line)
            said.pop("address")
            yield Ready(**said)
        finally:
            process.terminate()
            process.wait(STOP_SECONDS)
