"""The crawl's link extractor: reads the links off the one parse of a page."""

from collections.abc import Iterable

from scrapy.http import Response
from scrapy.link import Link as ScrapyLink
from scrapy.linkextractors import IGNORED_EXTENSIONS

from prospector.core.reading import page as pages
from prospector.core.reading.page import Page
from prospector.core.web.traps import trap_of
from prospector.core.web.urls import UrlInvalid, canonical

NOT_PAGES = frozenset(f".{one}" for one in IGNORED_EXTENSIONS) | {".xml", ".json", ".rss", ".atom", ".txt", ".ics"}


class PageLinks:
    """`page_of` parses a response once and keeps the page with it. Links that are no pages, or traps, are left out."""

    def extract_links(self, response: Response) -> list[ScrapyLink]:
        page = page_of(response)
        if "nofollow" in page.robots:
            return []
        anchors: dict[str, str] = {}
        for link in page.links:
            url = link.url.partition("#")[0]
            anchors[url] = anchors.get(url) or link.anchor
        return [ScrapyLink(url, anchors[url]) for url in worth_asking(anchors)]


def worth_asking(addresses: Iterable[str]) -> list[str]:
    return [url for url in addresses if not _is_file(url) and not _is_trap(url)]


def page_of(response: Response) -> Page:
    page: Page | None = response.meta.get("page")
    if page is None:
        kind = (response.headers.get("Content-Type") or b"").decode("latin-1")
        robots_tags = [one.decode("latin-1") for one in response.headers.getlist("X-Robots-Tag")]
        page = response.meta["page"] = pages.read(response.body, response.url, kind, robots_tags)
    return page


def _is_file(url: str) -> bool:
    path = url.partition("?")[0]
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    return dot >= 0 and name[dot:].lower() in NOT_PAGES and path.count("/") > 2  # not of a bare host


def _is_trap(url: str) -> bool:
    try:
        return trap_of(canonical(url)) is not None
    except UrlInvalid:
        return True
