"""Why a job rests, or is not begun. The record keeps the reason in words; it begins with one of these, so that a program can tell them."""

from enum import StrEnum


class Halt(StrEnum):
    ASKED = "asked to pause"
    BUDGET = "budget limit reached"
    KEY = "ScrapingBee does not accept the key"
    CREDITS = "the ScrapingBee account has no credits left"
    HOURS = "the time limit of the job has passed"


def halt_of(reason: str) -> Halt | None:
    return next((one for one in Halt if reason.startswith(one.value)), None)


def higher_budget(cap_credits: int) -> int:
    """To be named to who has reached this one: rounded up to a thousand, and at least half as much again."""
    return -(-max(cap_credits * 3 // 2, 1_000) // 1_000) * 1_000


QUEUED = "queued"  # how the reason of a job begins that was to be started and has to wait


def is_queued(reason: str) -> bool:
    return reason.startswith(QUEUED)
