"""How a domain ended, from the counters that the frontier kept of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from prospector.core.visits.methods import Method
from prospector.core.visits.outcomes import DomainState

# why a domain was left before its end; `top` is the plan for a large site, not an ending before it
LIMITS = {"pages": "partial: page limit", "time": "partial: time limit"}
NOTHING_READ = "No page could be read"
POISON = "A page of it ends every worker that reads it"


@dataclass(frozen=True)
class Ending:
    state: DomainState
    reason: str | None
    partial: bool
    moved_to: str | None


def ending(counters: Mapping[str, str]) -> Ending:
    """Failed pages do not fail a domain that has others; a domain that moved is done."""
    limit = LIMITS.get(counters.get("partial", ""))
    moved_to = counters.get("moved_to")
    read = int(counters.get("done", 0)) > 0
    if read or moved_to:
        return Ending(DomainState.DONE, limit or counters.get("reason"), limit is not None, moved_to)
    why = counters.get("reason") or (POISON if int(counters.get("dead", 0)) else None) or limit or NOTHING_READ
    return Ending(DomainState.FAILED, why, limit is not None, None)


def requests(counters: Mapping[str, str], method: Method) -> int:
    return int(counters.get(method, 0))
