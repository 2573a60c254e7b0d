"""The final row of a domain, from the counters that the frontier kept of it."""

from collections.abc import Mapping

from prospector.core.results.endings import ending, requests
from prospector.core.visits.methods import Method
from prospector.store.domains import Finished


def final_row(number: int, generation: int, counters: Mapping[str, str]) -> Finished:
    end = ending(counters)
    status = counters.get("status")
    return Finished(
        number=number,
        generation=generation,
        state=end.state,
        reason=end.reason,
        partial=end.partial,
        moved_to=end.moved_to,
        last_status=int(status) if status else None,
        attempts=int(counters.get("attempts", 0)),
        pages=int(counters.get("fetched", 0)),
        mentions=int(counters.get("mentions", 0)),
        direct_requests=requests(counters, Method.DIRECT),
        standard_requests=requests(counters, Method.STANDARD),
        js_requests=requests(counters, Method.JS),
        js_pages=int(counters.get("js_pages", 0)),
        credits=int(counters.get("credits", 0)),
        blocks=int(counters.get("blocks", 0)),
        delay_ms=int(counters["delay_ms"]) if "delay_ms" in counters else None,
    )
