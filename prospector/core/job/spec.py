"""What one job asks for beside its lists: kept with the job, and never changed but for its budget."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from prospector.core.visits.methods import Mode


@dataclass(frozen=True)
class JobSpec:
    """`max_pages` 0: no cap of the user's own. `max_hours`: a job that has run so long since it was started or resumed is paused.

    `metric_column` is the name of one of the user's own columns; `languages` are codes of core.languages. Only scores read both.

    Credits are in the job's own row, because a resume may raise them.
    """

    mode: Mode = Mode.HYBRID
    threshold_pages: int = 500
    top_pages: int = 50
    max_pages: int = 0
    max_minutes: int = 60
    max_hours: int = 48
    context_characters: int = 150
    client_domains: tuple[str, ...] = ()
    competitor_domains: tuple[str, ...] = ()
    metric_column: str | None = None
    languages: tuple[str, ...] = ()

    def stored(self) -> dict[str, object]:
        return asdict(self)


def spec_from(stored: Mapping[str, Any]) -> JobSpec:
    """A job of an older version has the defaults for what is newer."""
    known = {one.name: stored[one.name] for one in fields(JobSpec) if one.name in stored}
    lists = {name: tuple(value) for name, value in known.items() if isinstance(value, list)}
    return JobSpec(**{**known, **lists, "mode": Mode(known.get("mode", Mode.HYBRID))})
