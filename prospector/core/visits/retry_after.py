"""Retry-After, as sites send it: seconds or an HTTP date."""

import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST_MS = 24 * 3_600_000


def retry_after_ms(raw: str, now: datetime) -> int:
    """0 for what nobody can read, is over, or asks for nothing; never more than a day. `now` is aware."""
    words = raw.strip()
    if words.isascii() and words.isdigit():
        return min(int(words[:9]) * 1000, LONGEST_MS)  # nine digits are thirty years
    try:
        moment = parsedate_to_datetime(words)
    except ValueError:
        return 0
    if moment.tzinfo is None:  # "-0000": the sender knows no zone; the standard says GMT
        moment = moment.replace(tzinfo=UTC)
    return max(0, min(math.ceil((moment - now).total_seconds() * 1000), LONGEST_MS))
