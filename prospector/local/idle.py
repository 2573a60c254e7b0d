"""What keeps an on-demand stack up. Each reason is a function that says it in words, or None."""

from collections.abc import Callable

from prospector.local import locks
from prospector.local.home import Home

Reason = Callable[[Home], str | None]


def kept_up(home: Home) -> str | None:
    return "prospector up" if home.keep_up.exists() else None


def spiders(home: Home) -> str | None:
    return "running spiders" if locks.shared(home.lock("spiders")) else None


# the record adds running jobs, the steward its exports
REASONS: tuple[Reason, ...] = (kept_up, spiders)


def reason_to_stay(home: Home) -> str | None:
    """Besides the commands that use the stack: those hold a shared lock, see Supervisor.watch."""
    return next((words for reason in REASONS if (words := reason(home))), None)
