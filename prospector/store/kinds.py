"""The closed sets that only the record knows; those of the rules are in core."""

from enum import StrEnum


class EventKind(StrEnum):
    MOVED = "moved"
    ALERT = "alert"
    NOTE = "note"


class SpendKind(StrEnum):
    RESERVED = "reserved"
    SETTLED = "settled"


class IssueKind(StrEnum):
    DUPLICATE = "duplicate"
    EXCLUDED = "excluded"
    UNUSABLE = "unusable"


class ExportState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    READY = "ready"
    FAILED = "failed"
    EXPIRED = "expired"
