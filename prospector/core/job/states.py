"""The states of a job and the moves between them."""

from collections.abc import Mapping
from enum import StrEnum


class JobState(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    PAUSING = "pausing"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    ARCHIVED = "archived"


# from -> to -> what brings it about; a move that is not here is not allowed
MOVES: Mapping[JobState, Mapping[JobState, str]] = {
    JobState.PENDING: {
        JobState.RUNNING: "started",
        JobState.CANCELLED: "cancelled before it began",
    },
    JobState.RUNNING: {
        JobState.PAUSING: "asked to pause, or a limit was reached, while work is in flight",
        JobState.PAUSED: "only parked work is left, so nothing is in flight",
        JobState.COMPLETED: "every domain is finished",
        JobState.FAILED: "every domain failed, the schema or a right is missing, or a server was away for 24 h",
        JobState.CANCELLED: "cancelled; work in flight is dropped",
    },
    JobState.PAUSING: {
        JobState.PAUSED: "the work in flight has ended",
        JobState.RUNNING: "resumed before the work in flight had ended",
        JobState.COMPLETED: "the work in flight was the last of the job",
        JobState.FAILED: "the work in flight was the last of the job, and every domain failed",
        JobState.CANCELLED: "cancelled; work in flight is dropped",
    },
    JobState.PAUSED: {
        JobState.RUNNING: "resumed",
        JobState.CANCELLED: "cancelled while it was paused",
        JobState.ARCHIVED: "paused for 90 days; its results are deleted",
    },
    JobState.COMPLETED: {
        JobState.RUNNING: "its failed domains are tried again",
        JobState.ARCHIVED: "ended 90 days ago; its results are deleted",
    },
    JobState.FAILED: {
        JobState.RUNNING: "resumed after the cause was mended",
        JobState.CANCELLED: "given up",
        JobState.ARCHIVED: "ended 90 days ago; its results are deleted",
    },
    JobState.CANCELLED: {
        JobState.ARCHIVED: "cancelled 90 days ago; its results are deleted",
    },
    JobState.ARCHIVED: {},
}

# work of the job may be in flight
IN_FLIGHT = frozenset({JobState.RUNNING, JobState.PAUSING})

# started and not over: the frontier has it
UNDER_WAY = IN_FLIGHT | {JobState.PAUSED}

# nothing of the job happens any more until an operator asks for it
ENDED = frozenset({JobState.COMPLETED, JobState.FAILED, JobState.CANCELLED, JobState.ARCHIVED})


def may_move(state: JobState, to: JobState) -> bool:
    return to in MOVES[state]


def origins(to: JobState) -> frozenset[JobState]:
    """The states from which a job may move to `to`."""
    return frozenset(state for state in JobState if may_move(state, to))
