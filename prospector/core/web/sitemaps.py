"""Sitemaps: the addresses they list, in XML, gzip or plain text, whatever state they are in.

Read by pattern, not by an XML parser: entities are never expanded, nothing is loaded, and a broken file still tells what it can.
"""

import html
import re
import zlib
from dataclasses import dataclass

MOST_BYTES = 10 * 1024 * 1024  # unpacked
MOST_ADDRESSES = 2_000  # far above what is ever queued of one domain; `listed` counts them all
MOST_NESTED = 20

# not the pictures of a page: a site of 200 pages would have 1,000
_LOCATION = re.compile(
    r"<(?:(?!image:)[\w.-]{1,20}:)?loc\s{0,9}>\s{0,99}(?:<!\[CDATA\[)?\s{0,99}([^<>\s][^<>\r\n]{0,1999})", re.IGNORECASE
)
_INDEX = re.compile(r"<(?:[\w.-]{1,20}:)?sitemapindex\b", re.IGNORECASE)
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Sitemap:
    """`listed`: how many pages it names in all, more than are kept."""

    pages: tuple[str, ...] = ()
    nested: tuple[str, ...] = ()
    listed: int = 0


def read(body: bytes) -> Sitemap:
    text = _unpacked(body).decode("utf-8", "replace").removeprefix("\ufeff")
    if "<" not in text[:1000]:
        lines = [line.strip() for line in text.splitlines()]
        pages = [line for line in lines if line.startswith(("http://", "https://"))]
        return Sitemap(tuple(pages[:MOST_ADDRESSES]), (), len(pages))
    found = [html.unescape(one.removesuffix("]]").rstrip()) for one in _LOCATION.findall(text)]
    if _INDEX.search(text[:5000]):
        return Sitemap((), tuple(found[:MOST_NESTED]), 0)
    return Sitemap(tuple(found[:MOST_ADDRESSES]), (), len(found))


def _unpacked(body: bytes) -> bytes:
    if not body.startswith(_GZIP):
        return body[:MOST_BYTES]
    try:
        return zlib.decompressobj(wbits=31).decompress(body, MOST_BYTES)
    except zlib.error:
        return b""
