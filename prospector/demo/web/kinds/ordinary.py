"""Sites as most are: companies, blogs, shops, in many languages; and several domains that share one site."""

import re
from dataclasses import replace
from urllib.parse import quote
from zlib import crc32

from prospector.demo.web.draft import DEFAULT_ROBOTS, Draft
from prospector.demo.web.prose import stock
from prospector.demo.web.site import Answer, Domain, Page, Placement, Request, Schemes, Site, Zone

RSS = '<?xml version="1.0"?><rss version="2.0"><channel><title>Acme CRM</title></channel></rss>'
COLOURS = ("red", "green", "blue", "black")
SIZES = ("s", "m", "l")
SESSION = re.compile(r"[?&]sid=[0-9a-f]+")
ORDERS = ("price", "name", "new")


def company(draft: Draft) -> Site:
    draft.speak()
    draft.ordinary()
    schemes = draft.rng.choice((Schemes.HTTP, Schemes.HTTP, Schemes.UPGRADE, Schemes.BOTH))
    return draft.site(schemes=schemes)


def twenty(draft: Draft) -> Site:
    """Twenty pages of about 20 kB, without a surprise: for measuring."""
    draft.grow(19, paragraphs=40)
    draft.robots(DEFAULT_ROBOTS)
    return draft.site(compressed=False)


def blog(draft: Draft) -> Site:
    """Posts with comments, pagination, tags, a feed and pictures, which are not pages."""
    draft.speak()
    posts = [draft.page(f"/{2020 + n % 5}/{n:02}/post-{n}/", ["/"]) for n in range(1, draft.rng.randint(4, 9))]
    half = len(posts) // 2
    for post in posts:
        draft.put(post, Zone.COMMENT, draft.rng.choice(draft.language.phrases))
    draft.page("/", [*(post.target for post in posts[:half]), "/page/2/", "/tag/all/", "/feed/", "/photo.jpg"])
    draft.page("/page/2/", ["/", *(post.target for post in posts[half:])], mentions=False)
    draft.page("/tag/all/", [post.target for post in posts], mentions=False)
    draft.answer("/feed/", Answer(body=RSS.encode(), media="application/rss+xml"))
    draft.answer("/photo.jpg", Answer(body=b"\xff\xd8\xff\xe0Acme CRM" * 40, media="image/jpeg"))
    draft.robots(DEFAULT_ROBOTS)
    return draft.site()


def menus(draft: Draft) -> Site:
    """Keywords stand in the menu and the footer of every page, and nowhere else; no page links to the client."""
    pages = draft.grow(draft.rng.randint(3, 6), mentions=False)
    placements = tuple(Placement(zone, draft.rng.choice(stock().phrases)) for zone in (Zone.NAV, Zone.FOOTER))
    for page in pages:
        draft.pages[page.key] = replace(page, placements=placements, backlinks=())
    draft.robots(DEFAULT_ROBOTS)
    return draft.site()


def shop(draft: Draft) -> Site:
    """Products, and a listing whose filters combine into hundreds of addresses."""
    draft.speak()
    items = [draft.page(f"/item/{n}", ["/", "/shop"]) for n in range(1, draft.rng.randint(4, 9))]
    draft.page("/", ["/shop", *(item.target for item in items[:2])])
    draft.page("/shop", ["/", *(item.target for item in items), *_filters("")], mentions=False)
    draft.robots("User-agent: *\nDisallow: /cart\n")

    def listing(request: Request) -> Page | None:
        path, _, query = request.target.partition("?")
        if path != "/shop" or not query:
            return None
        return Page(draft.host, request.target, draft.name, draft.language.code, links=("/", *_filters(query)))

    return draft.site(rule=listing, trap=True)


def session(draft: Draft) -> Site:
    """Every page hands out a new session in its links, so no address is ever seen twice."""
    draft.grow(5)
    draft.robots(DEFAULT_ROBOTS)

    def marked(request: Request) -> Page | None:
        plain = SESSION.sub("", request.target)
        page = draft.pages.get(request.host + plain)
        if page is None:
            return None
        sid = f"sid={crc32(request.target.encode()):08x}"
        links = (f"{link.strip().partition('#')[0]}{'&' if '?' in link else '?'}{sid}" for link in page.links)
        return replace(page, target=request.target, links=tuple(links))

    return draft.site(rule=marked, trap=True, ignored_query="sid")


def idn(draft: Draft) -> Site:
    """A name with an umlaut, written both ways in links."""
    number = draft.name.removesuffix(".test").rpartition("-")[2]
    unicode_name = f"bücher-{number}.test"
    draft.name = draft.host = unicode_name.encode("idna").decode()
    pages = draft.grow(4)
    draft.page("/wörter".replace("ö", quote("ö")), ["/"])
    draft.link(pages[0], f"http://{unicode_name}/wörter")
    draft.robots(DEFAULT_ROBOTS)
    return draft.site()


def subdomains(draft: Draft) -> Site:
    """One listed domain with a blog and a shop on hosts of their own: one gate for all."""
    pages = draft.ordinary(3)
    for label in ("blog", "shop"):
        draft.host = f"{label}.{draft.name}"
        below = draft.grow(3)
        draft.robots(DEFAULT_ROBOTS)
        draft.link(pages[0], f"http://{below[0].host}/")
    draft.host = draft.name
    return draft.site()


def family(draft: Draft) -> Site:
    """Three listed domains of one site: each is crawled for itself, and all pass one gate."""
    names = [draft.name, f"alpha.{draft.name}", f"beta.{draft.name}"]
    for name in reversed(names):
        draft.host = name
        draft.grow(3, domain=name)
        draft.robots(DEFAULT_ROBOTS)
    for name in names[1:]:
        draft.link(draft.pages[f"{draft.name}/"], f"http://{name}/")
    return draft.site(domains=tuple(Domain(name) for name in names))


def _filters(query: str) -> list[str]:
    chosen = dict(part.split("=", 1) for part in query.split("&") if "=" in part)
    wider = [
        {**chosen, name: value}
        for name, values in (("color", COLOURS), ("size", SIZES), ("sort", ORDERS))
        for value in values
    ]
    return ["/shop?" + "&".join(f"{name}={value}" for name, value in one.items()) for one in wider]


KINDS = {
    "company": (company, 40),
    "twenty": (twenty, 0),
    "blog": (blog, 12),
    "menus": (menus, 1),
    "shop": (shop, 6),
    "session": (session, 1),
    "idn": (idn, 2),
    "subdomains": (subdomains, 3),
    "family": (family, 2),
}
