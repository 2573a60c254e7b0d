"""What keeps an on-demand stack up. Each reason is a function that says it in words, or None."""

from collections.abc import Callable

from prospector import settings
from prospector.local import locks, state
from prospector.local.home import Home
from prospector.store import activity

Reason = Callable[[Home], str | None]


def kept_up(home: Home) -> str | None:
    return "prospector up" if home.keep_up.exists() else None


def spiders(home: Home) -> str | None:
    return "running spiders" if locks.shared(home.lock("spiders")) else None


def work(home: Home) -> str | None:
    running = state.read(home)
    postgres = running.servers.get("postgres") if running else None
    url = postgres.url if postgres else settings.DATABASE_URL
    return activity.under_way(url) if url else None


REASONS: tuple[Reason, ...] = (kept_up, spiders, work)


def reason_to_stay(home: Home) -> str | None:
    """Besides the commands that use the stack: those hold a shared lock, see Supervisor.watch."""
    return next((words for reason in REASONS if (words := reason(home))), None)
