"""The options of a command, kept for the workers that start after it."""

import os
import subprocess
import sys
from pathlib import Path

from prospector.local import options

AT_A_WORD = """
import sys
from pathlib import Path
from prospector import settings
from prospector.local import options
print("ready", flush=True)
sys.stdin.readline()
options.record(Path(sys.argv[1]))
"""
OPTIONS = {
    "DELAY_MS": "2000",
    "SCRAPINGBEE_API_KEY": "a key of some length",
    "WORKERS_PER_NODE": "3",
    "RETENTION_DAYS": "30",
    "CHECKPOINT_DOMAINS": "50",
    "SCRAPINGBEE_CONCURRENCY": "7",
}


def test_the_options_of_commands_that_come_at_once_all_count(tmp_path: Path) -> None:
    """Two that write one file would lose the one or the other's, or leave a file that nobody can read."""
    commands = [
        subprocess.Popen(
            [sys.executable, "-c", AT_A_WORD, str(tmp_path)],
            env=os.environ | {name: value},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name, value in OPTIONS.items()
    ]
    for one in commands:
        assert one.stdout
        assert one.stdout.readline() == "ready\n"

    for one in commands:
        assert one.stdin
        one.stdin.write("now\n")
        one.stdin.flush()
    for one in commands:
        one.communicate(timeout=60)

    assert options.recorded(tmp_path).items() >= OPTIONS.items()
    assert [one.returncode for one in commands] == [0] * len(OPTIONS)


def test_a_folder_that_is_gone_is_a_stack_that_stops(tmp_path: Path) -> None:
    options.record(tmp_path / "gone")

    assert options.recorded(tmp_path / "gone") == {}
