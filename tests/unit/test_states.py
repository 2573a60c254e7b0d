"""The table of moves, pair by pair."""

from itertools import product

import pytest

from prospector.core.job.states import ENDED, IN_FLIGHT, MOVES, JobState, may_move, origins

# one row a state, one column a state in the order of JobState; written by hand beside the table it checks
# fmt: off
ALLOWED = {
    #              pend run pausing paused compl failed canc arch
    "pending":    (0,   1,  0,      0,     0,    0,     1,   0),
    "running":    (0,   0,  1,      1,     1,    1,     1,   0),
    "pausing":    (0,   1,  0,      1,     1,    1,     1,   0),
    "paused":     (0,   1,  0,      0,     0,    0,     1,   1),
    "completed":  (0,   1,  0,      0,     0,    0,     0,   1),
    "failed":     (0,   1,  0,      0,     0,    0,     1,   1),
    "cancelled":  (0,   0,  0,      0,     0,    0,     0,   1),
    "archived":   (0,   0,  0,      0,     0,    0,     0,   0),
}
# fmt: on
PAIRS = list(product(JobState, JobState))


@pytest.mark.parametrize(("state", "to"), PAIRS, ids=[f"{state}-to-{to}" for state, to in PAIRS])
def test_every_pair_of_states_is_decided(state: JobState, to: JobState) -> None:
    expected = bool(ALLOWED[state][list(JobState).index(to)])

    assert may_move(state, to) is expected
    assert (state in origins(to)) is expected


def test_every_move_says_what_brings_it_about() -> None:
    assert all(words.strip() for moves in MOVES.values() for words in moves.values())


def test_no_state_but_archived_is_a_dead_end() -> None:
    assert [state for state in JobState if not MOVES[state]] == [JobState.ARCHIVED]


def test_a_job_with_work_in_flight_is_never_archived() -> None:
    assert not origins(JobState.ARCHIVED) & IN_FLIGHT


def test_a_job_is_in_flight_or_ended_or_waits_but_never_two_of_them() -> None:
    assert not IN_FLIGHT & ENDED
    assert set(JobState) - IN_FLIGHT - ENDED == {JobState.PENDING, JobState.PAUSED}
