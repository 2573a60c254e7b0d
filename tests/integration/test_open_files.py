"""The limit of open files, in processes of their own: one can be lowered and not raised again."""

import subprocess
import sys

import pytest

ASK = """
import resource, sys
from prospector.spiders.open_files import raise_open_files
soft, hard = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
print(raise_open_files(), *resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.parametrize(
    ("soft", "hard", "after"),
    [
        (128, 1_000, [1_000, 1_000, 1_000]),  # no more than the system allows
        (128, 4_096, [4_096, 4_096, 4_096]),
        (128, 4_500, [4_096, 4_096, 4_500]),  # no more than is of use
        (4_200, 4_500, [4_200, 4_200, 4_500]),  # and never less than it was
        (128, 300, [300, 300, 300]),
    ],
)
def test_a_worker_raises_its_limit_of_open_files_as_far_as_it_may(soft: int, hard: int, after: list[int]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASK, str(soft), str(hard)], capture_output=True, text=True, check=True, timeout=60
    )

    assert [int(one) for one in done.stdout.split()] == after
    assert ("few_open_files" in done.stderr) is (hard < 512)
