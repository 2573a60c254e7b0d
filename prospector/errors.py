"""One tree of errors. Each class has an exit code; each message says what happened, where, and what to do next."""

import sys
from types import TracebackType


class ProspectorError(Exception):
    """`problem` says what failed, which one and with what value; `remedy` says what to do next."""

    exit_code = 1

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(problem, remedy)
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.problem} {self.remedy}".rstrip()


class InputInvalid(ProspectorError):
    """What the user gave cannot be used: a file, a list, an option."""

    exit_code = 2


class EnvironmentInvalid(ProspectorError):
    """This machine or its settings cannot run the product as they are."""

    exit_code = 3


class SettingInvalid(EnvironmentInvalid):
    """A setting is malformed, missing or unknown; the message names it."""


class CredentialsRejected(ProspectorError):
    exit_code = 4


class NotFound(ProspectorError):
    exit_code = 5


class Conflict(ProspectorError):
    """Asked for what the present state does not allow."""

    exit_code = 5


class BudgetReached(ProspectorError):
    exit_code = 6


class ServerUnreachable(ProspectorError):
    exit_code = 7


class StillRunning(ProspectorError):
    """`--wait-timeout` passed before the work ended."""

    exit_code = 8


def end_in_words(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """A `sys.excepthook`: our own errors end a process with one line and their exit code."""
    if not isinstance(error, ProspectorError):
        sys.__excepthook__(kind, error, trace)
        return
    sys.stderr.write(f"{error}\n")
    raise SystemExit(error.exit_code)
