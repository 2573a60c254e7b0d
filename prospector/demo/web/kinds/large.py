"""Sites above the page threshold, and the sitemaps that say so."""

import gzip

from prospector.demo.web.draft import DEFAULT_ROBOTS, TEXT, XML, Draft, urlset
from prospector.demo.web.site import Answer, Reach, Site

HUBS = 45  # pages that every page links to, with the homepage: the top of any ranking by internal links
LEAVES_PER_HUB = 13
INDEX = '<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</sitemapindex>'


def large_index(draft: Draft) -> Site:
    """An index in robots.txt, with a plain and a gzipped sitemap below it."""
    targets = _hubs_and_leaves(draft)
    half = len(targets) // 2
    rows = "".join(f"<sitemap><loc>http://{draft.host}/{name}</loc></sitemap>" for name in ("a.xml", "b.xml.gz"))
    draft.answer("/index.xml", Answer(body=INDEX.format(rows=rows).encode(), media=XML))
    draft.sitemap("/a.xml", targets[:half])
    draft.answer("/b.xml.gz", Answer(body=zipped(_urls(draft, targets[half:])), media="application/gzip"))
    draft.robots(f"{DEFAULT_ROBOTS}Sitemap: http://{draft.host}/index.xml\n")
    return draft.site(large=True)


def large_text(draft: Draft) -> Site:
    """A text sitemap in robots.txt, and an XML one that is only half."""
    targets = _hubs_and_leaves(draft)
    lines = "\r\n".join(f"http://{draft.host}{target}" for target in targets)
    draft.answer("/sitemap.txt", Answer(body=lines.encode(), media=TEXT))
    draft.sitemap("/sitemap.xml", targets[: len(targets) // 2])
    draft.robots(f"Sitemap: http://{draft.host}/sitemap.txt\n{DEFAULT_ROBOTS}")
    return draft.site(large=True)


def large_quiet(draft: Draft) -> Site:
    """No word in robots.txt; /sitemap.xml is there."""
    draft.sitemap("/sitemap.xml", _hubs_and_leaves(draft))
    draft.robots(DEFAULT_ROBOTS)
    return draft.site(large=True)


def large_links(draft: Draft) -> Site:
    """No sitemap at all: only the links say how large it is."""
    _hubs_and_leaves(draft)
    draft.robots(DEFAULT_ROBOTS)
    return draft.site(large=True)


def orphans(draft: Draft) -> Site:
    """Pages that no link leads to, only the sitemap."""
    pages = draft.grow(3)
    alone = [draft.page(f"/alone/{number}", ["/"]) for number in range(4)]
    foreign = ["http://other.example.test/page", f"http://{draft.host}/feed.pdf"]
    body = urlset([*(f"http://{draft.host}{page.target}" for page in (*pages, *alone)), *foreign])
    draft.answer("/map.xml", Answer(body=body, media=XML))
    draft.robots(f"{DEFAULT_ROBOTS}SITEMAP:http://{draft.host}/map.xml\n")
    return draft.site()


def _hubs_and_leaves(draft: Draft) -> list[str]:
    hubs = [f"/topic/{number}" for number in range(1, HUBS + 1)]
    leaves = []
    draft.page("/", hubs)
    for number, hub in enumerate(hubs):
        own = [f"/topic/{number + 1}/note-{leaf}" for leaf in range(LEAVES_PER_HUB)]
        draft.page(hub, ["/", *hubs, *own])
        leaves += [draft.page(target, [hub], reach=Reach.BEYOND).target for target in own]
    return ["/", *hubs, *leaves]


def zipped(raw: bytes) -> bytes:
    return gzip.compress(raw, mtime=0)


def _urls(draft: Draft, targets: list[str]) -> bytes:
    return urlset(f"http://{draft.host}{target}" for target in targets)


KINDS = {
    "large-index": (large_index, 1),
    "large-text": (large_text, 1),
    "large-quiet": (large_quiet, 1),
    "large-links": (large_links, 1),
    "orphans": (orphans, 2),
}
