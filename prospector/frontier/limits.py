"""A job's limits, as the frontier enforces them."""

from prospector.core.job.spec import JobSpec
from prospector.core.visits.ladder import first_method
from prospector.frontier.calls import Limits

NO_CAP = 1_000_000
QUEUED_FOR_EACH_PAGE = 2  # of the threshold: a large site's best pages are chosen among twice as many
MINUTE_MS = 60_000


def limits_of(spec: JobSpec, max_credits: int) -> Limits:
    return Limits(
        cap_credits=max_credits,
        threshold_pages=spec.threshold_pages,
        top_pages=spec.top_pages,
        max_pages=spec.max_pages or NO_CAP,
        max_queued=QUEUED_FOR_EACH_PAGE * spec.threshold_pages,
        max_ms=spec.max_minutes * MINUTE_MS,
        first_method=first_method(spec.mode),
    )
