"""What became of each row of the list adds up."""

from dataclasses import replace

import pytest

from prospector.core.results.score import Verdict
from prospector.core.results.sums import DONE, Sum, SumWrong

RIGHT = Sum(
    rows=20,
    duplicates=2,
    excluded=3,
    unusable=1,
    domains=14,
    done=9,
    failed=3,
    waiting=2,
    verdicts={Verdict.NO_MENTION: 3, Verdict.LINKING: 1, Verdict.MENUS_ONLY: 1, Verdict.REJECTED: 1, Verdict.REVIEW: 1, Verdict.QUALIFIED: 2, Verdict.FAILED: 3, Verdict.WAITING: 2},
)  # fmt: skip


def test_a_sum_that_adds_up_passes() -> None:
    RIGHT.check()


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"rows": 21}, "21 rows, but its parts are 20"),
        ({"duplicates": 1}, "20 rows, but its parts are 19"),
        ({"failed": 4}, "14 domains, but its parts are 15"),
        ({"done": 8, "waiting": 3}, "8 done, but its parts are 9"),
        ({"verdicts": {}}, "9 done, but its parts are 0"),
    ],
)
def test_a_sum_that_does_not_add_up_says_where(wrong: dict[str, object], named: str) -> None:
    with pytest.raises(SumWrong, match=named):
        replace(RIGHT, **wrong).check()  # type: ignore[arg-type]


def test_the_lines_of_a_level_add_up_to_the_last_line_above() -> None:
    lines = RIGHT.lines()

    for level in (1, 2, 3):
        above = [line for line in lines if line.level == level - 1][-1]
        assert sum(line.count for line in lines if line.level == level) == above.count


def test_every_verdict_is_a_way_to_be_done_or_not() -> None:
    assert set(Verdict) == {*DONE, Verdict.FAILED, Verdict.WAITING}


def test_it_is_partial_while_a_domain_waits() -> None:
    assert RIGHT.is_partial
    assert not replace(RIGHT, waiting=0).is_partial
