"""When a worker's own calls are due."""

import pytest

from prospector.frontier.timetable import Timetable


@pytest.fixture
def timetable() -> Timetable:
    """A claim and a beat, answered at 10; the claim is due again at 11, the beat at 15."""
    made = Timetable("claim", "beat")
    for call, next_at in (("claim", 11.0), ("beat", 15.0)):
        assert made.begin(call, 10.0)
        made.end(call, next_at)
    return made


def test_a_call_is_due_at_its_moment_and_not_while_one_is_under_way(timetable: Timetable) -> None:
    assert timetable.next_at() == 11
    assert not timetable.begin("claim", 10.9)
    assert timetable.begin("claim", 11)
    assert not timetable.begin("claim", 100)
    assert timetable.next_at() == 15


def test_what_is_hurried_is_due_at_once_and_after_the_one_under_way(timetable: Timetable) -> None:
    timetable.hurry("claim")
    assert timetable.begin("claim", 10)
    timetable.hurry("claim")
    assert not timetable.begin("claim", 10)

    timetable.end("claim", 11)
    assert timetable.begin("claim", 10)

    timetable.end("claim", 11)
    assert not timetable.begin("claim", 10)


def test_what_was_refused_waits_whoever_hurried_it(timetable: Timetable) -> None:
    assert timetable.begin("claim", 11)
    timetable.hurry("claim")

    timetable.refuse("claim", 12)

    assert timetable.next_at() == 12


def test_what_was_under_way_when_the_connection_broke_is_due(timetable: Timetable) -> None:
    assert timetable.begin("claim", 11)

    timetable.break_off()

    assert timetable.begin("claim", 0)
    assert not timetable.begin("beat", 14)


def test_what_is_dropped_never_comes_back(timetable: Timetable) -> None:
    assert timetable.begin("claim", 11)
    timetable.drop("claim")
    timetable.end("claim", 12)
    timetable.hurry("claim")

    assert not timetable.begin("claim", 1_000)
    assert timetable.next_at() == 15
