"""What `prospector demo` crawls: a list as people have them, of sites as they are, none of which takes minutes."""

import csv
import io
from collections.abc import Iterator
from zlib import crc32

from prospector.demo.web.plan import Plan
from prospector.demo.web.site import CLIENT

# kind -> its share. What waits by design (a far Retry-After, a server that never answers, 600 pages) is for the tests, and
# so is what fills MAX_PAGES with copies of a page (session)
SHARES = {
    "company": 34, "blog": 13, "shop": 6, "idn": 4, "subdomains": 3, "to-www": 8, "to-apex": 4, "twins": 2,
    "hops": 1, "refresh": 1, "leaving": 1, "moved-away": 2, "moved-next-door": 1, "cookies": 1, "expired": 1,
    "wrong-name": 1, "orphans": 1, "refused": 3, "refused-twice": 1, "challenge": 2, "captcha": 1, "application": 3,
    "half-application": 2, "limited": 1, "login": 1, "robots-closed": 2, "robots-groups": 1,
    "robots-wildcards": 1, "robots-missing": 2, "robots-html": 1, "parked": 2, "menus": 2, "for-sale": 1, "gone": 1, "missing": 1, "unknown-name": 2,
    "closed-port": 1, "canary-links": 1, "deep": 1,
}  # fmt: skip
MAX_PAGES = 15
METRIC, HIGHEST_RATING = "DR", 90
HEAD = f"Domain,{METRIC},Note\r\n"
MESS = (
    (f"https://www.{CLIENT}/pricing", "the client's own site"),
    ("https://www.facebook.com/acme", "a social network"),
    ("info@agency.test", "an e-mail address"),
    ("localhost", "a private host"),
)


def kinds() -> tuple[str, ...]:
    """Each as often as its share says: Plan gives all of them one site, in an order of its own, and begins again."""
    return tuple(kind for kind, share in SHARES.items() for _ in range(share))


def domains_csv(plan: Plan) -> str:
    """With two columns of the user's own, and what is in every real list: duplicates, and rows that are no site to crawl."""
    text = io.StringIO(HEAD)
    text.seek(0, io.SEEK_END)
    writer = csv.writer(text)
    writer.writerows(_rows(plan))
    return text.getvalue()


def keywords_txt(plan: Plan) -> str:
    return "".join(f"{keyword}\n" for keyword in plan.keywords)


def _rows(plan: Plan) -> Iterator[tuple[str, int, str]]:
    names = [domain.name for domain in plan.domains]
    for name in names:
        yield name, rating(name), ""
    for name in names[:: max(1, len(names) // 3)]:
        yield f"https://www.{name}/?utm_source=list", rating(name), "seen again"
    for value, note in MESS:
        yield value, rating(value), note


def rating(name: str) -> int:
    return crc32(name.encode()) % HIGHEST_RATING + 1
