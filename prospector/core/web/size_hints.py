"""How many pages a site says it has, in the headers of its homepage. Few do; a sitemap says it better."""

import re
from collections.abc import Mapping

TOTALS = ("x-wp-total", "x-total-count", "x-total-pages", "x-wp-totalpages", "x-pagination-total-count")
LARGEST = 10_000_000

_LAST = re.compile(r"<[^<>]{0,2000}[?&/]p(?:age)?[=/](\d{1,7})[^<>]{0,2000}>[^,<]{0,200}\brel=\"?last\b", re.IGNORECASE)


def pages_said(headers: Mapping[str, str]) -> int:
    """By lower-case name; 0 where nothing is said."""
    totals = [int(raw) for name in TOTALS if (raw := headers.get(name, "").strip()).isascii() and raw.isdigit()]
    last = _LAST.search(headers.get("link", "")[:5000])
    said = max([*totals, int(last[1]) if last else 0])
    return said if said <= LARGEST else 0
