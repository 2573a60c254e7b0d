"""What came back for a ticket, and what it shows."""

import re
from codecs import BOM_UTF8
from collections.abc import Iterable
from dataclasses import dataclass

from prospector.core.reading.page import Page
from prospector.core.reading.signs import Sign
from prospector.core.visits import evidence
from prospector.core.visits.evidence import Evidence

HTML_TYPES = ("text/html", "application/xhtml+xml")
# how programs, archives, documents and pictures begin
FILES = (
    b"\x7fELF", b"MZ\x90", b"PK\x03\x04", b"%PDF-", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"\x1f\x8b", b"RIFF", b"Rar!", b"7z\xbc\xaf",
    b"\xd0\xcf\x11\xe0", b"OggS", b"ID3", b"wOF",
)  # fmt: skip
COOKIE_CHARACTERS = 4_000
IMMEDIATE_SECONDS = 3  # a refresh later than this shows its page first: it is one to read

_MEDIA_TYPE = re.compile(r"\s*([a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+)(?=[\s;,]|$)", re.IGNORECASE)
_PAIR = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+=[\x21\x23-\x2b\x2d-\x3a\x3c-\x7e]*")


@dataclass(frozen=True)
class Answer:
    """`target`: where a redirect or an immediate refresh leads, '' if to no address; None where the answer is no hop.

    `cookies`: those that it sets, as a request would carry them.
    """

    evidence: Evidence
    status: int | None = None
    page: Page | None = None
    target: str | None = None
    retry_after_ms: int = 0
    cookies: str = ""


def cookies_of(set_cookie: Iterable[str]) -> str:
    """The name=value pairs of Set-Cookie headers in one line, sorted; none that a header of ours could not carry."""
    pairs = {one.partition(";")[0].strip() for one in set_cookie}
    line = "; ".join(sorted(pair for pair in pairs if _PAIR.fullmatch(pair)))
    return line if len(line) <= COOKIE_CHARACTERS else ""


def is_file(content_type: str) -> bool:
    """Whether the header names a type, and none of a page. Browsers look at the body where it names none: "html", "*/*"."""
    named = _MEDIA_TYPE.match(content_type)
    return named is not None and named[1].lower() not in HTML_TYPES


def is_html(content_type: str, body: bytes) -> bool:
    """By its type; one that is not given is judged by how the body begins. A file that calls itself HTML is none."""
    if body.startswith(FILES) or is_file(content_type):
        return False
    return _MEDIA_TYPE.match(content_type) is not None or body[:512].removeprefix(BOM_UTF8).lstrip().startswith(b"<")


def of_page(status: int, page: Page, *, empty: bool) -> Answer:
    """An answer with a document in it. A hop by refresh is one whatever else the page shows."""
    if onward := led_on(page):
        return Answer(Evidence.TEXT, status, page, onward)
    return Answer(_evidence(status, page, empty=empty), status, page)


def led_on(page: Page) -> str | None:
    """Where an immediate refresh leads; a place on the page itself is none."""
    if page.refresh is None or page.refresh.seconds > IMMEDIATE_SECONDS:
        return None
    target = page.refresh.url.partition("#")[0]
    return None if target == page.url.partition("#")[0] else target


def _evidence(status: int, page: Page, *, empty: bool) -> Evidence:
    by_status = evidence.of_status(status)
    if Sign.CHALLENGE in page.signs and by_status is not Evidence.GONE:
        return Evidence.CHALLENGE
    if by_status:
        return by_status
    if Sign.NEEDS_BROWSER in page.signs:
        return Evidence.NEEDS_BROWSER
    return Evidence.EMPTY if empty else Evidence.TEXT
