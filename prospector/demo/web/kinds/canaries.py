"""Sites that point at what must never be asked: addresses outside the allowed network, by every road there is."""

from prospector.demo.web.draft import DEFAULT_ROBOTS, XML, Draft, moved, urlset
from prospector.demo.web.site import CANARY_PORT, Answer, Ending, Outcome, Reach, Site

CANARY_ADDRESS = "127.66.0.1"
OUTSIDE = (
    f"http://{CANARY_ADDRESS}:{CANARY_PORT}/canary",
    f"http://127.0.0.1:{CANARY_PORT}/canary",
    f"http://localhost:{CANARY_PORT}/canary",
    f"http://[::1]:{CANARY_PORT}/canary",
    f"http://[::ffff:127.66.0.1]:{CANARY_PORT}/canary",
    f"http://2135031809:{CANARY_PORT}/canary",  # 127.66.0.1 as one number
    f"http://0x7f.0x42.0.1:{CANARY_PORT}/canary",
    f"http://0177.0102.1:{CANARY_PORT}/canary",
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.1/",
    "http://192.168.1.1/admin",
    "file:///etc/passwd",
    f"gopher://{CANARY_ADDRESS}:{CANARY_PORT}/_canary",
)
BOMB = (
    '<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a0 "http://x.test/">'
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    + "]><urlset><url><loc>&a11;</loc></url></urlset>"
)
EXTERNAL = (
    '<?xml version="1.0"?><!DOCTYPE u SYSTEM "http://{canary}/dtd" [<!ENTITY f SYSTEM "file:///etc/hostname">'
    '<!ENTITY c SYSTEM "http://{canary}/entity"><!ENTITY % p SYSTEM "http://{canary}/parameter"> %p;]>'
    "<urlset><url><loc>{home}?&f;&c;</loc></url><url><loc>{home}</loc></url></urlset>"
)


def links(draft: Draft) -> Site:
    pages = draft.ordinary(3)
    draft.link(pages[0], *OUTSIDE)
    return draft.site()


def redirects(draft: Draft) -> Site:
    pages = draft.ordinary(3)
    for number, address in enumerate(OUTSIDE):
        draft.redirect(f"/out/{number}", address, 302)
    draft.link(pages[0], *(f"/out/{number}" for number in range(len(OUTSIDE))))
    return draft.site()


def refreshes(draft: Draft) -> Site:
    pages = draft.ordinary(2)
    for number, address in enumerate(OUTSIDE[:4]):
        head = f'<meta http-equiv="refresh" content="0;url={address}">'
        draft.page(f"/out/{number}", mentions=False, head=head)
        draft.link(pages[0], f"/out/{number}")
    return draft.site()


def sitemaps(draft: Draft) -> Site:
    """Addresses outside, in the sitemap and as sitemaps."""
    pages = draft.grow(3)
    body = urlset([*OUTSIDE, *(f"http://{draft.host}{page.target}" for page in pages)])
    draft.answer("/map.xml", Answer(body=body, media=XML))
    lines = "".join(f"Sitemap: {address}\n" for address in OUTSIDE)
    draft.robots(f"{DEFAULT_ROBOTS}{lines}Sitemap: http://{draft.host}/map.xml\n")
    return draft.site()


def entities(draft: Draft) -> Site:
    """A sitemap and a page with entities and a DTD from a file and from outside, and a sitemap that unpacks to 100 GB."""
    pages = draft.grow(3)
    raw = EXTERNAL.replace("{canary}", f"{CANARY_ADDRESS}:{CANARY_PORT}").replace("{home}", f"http://{draft.host}/")
    xhtml = raw.replace("<urlset", '<html xmlns="http://www.w3.org/1999/xhtml"').replace("</urlset>", "</html>")
    draft.answer("/page.xhtml", Answer(body=xhtml.encode(), media="application/xhtml+xml"))
    draft.link(pages[0], "/page.xhtml")
    draft.answer("/sitemap.xml", Answer(body=raw.encode(), media=XML))
    draft.answer("/bomb.xml", Answer(body=BOMB.encode(), media=XML))
    draft.robots(f"{DEFAULT_ROBOTS}Sitemap: http://{draft.host}/bomb.xml\nSitemap: http://{draft.host}/sitemap.xml\n")
    return draft.site()


def robots(draft: Draft) -> Site:
    """robots.txt leads outside: unreachable or absent, the rules leave a choice."""
    draft.grow(2, reach=Reach.BEYOND)
    draft.answer("/robots.txt", moved(OUTSIDE[0], 302))
    return draft.site(Outcome(Ending.OPEN, "robots redirects"))


def home(draft: Draft) -> Site:
    draft.redirect("/", OUTSIDE[0], 302)
    return draft.site(Outcome(Ending.FAILED, "blocked address"), hosts=frozenset({draft.host}))


def name(draft: Draft) -> Site:
    """A listed name whose address is outside."""
    resolve = {draft.name: f"{CANARY_ADDRESS}:{CANARY_PORT}"}
    return draft.site(Outcome(Ending.FAILED, "blocked address"), resolve=resolve)


def host_below(draft: Draft) -> Site:
    """A good domain whose subdomain has an address outside."""
    pages = draft.ordinary(3)
    below = f"intern.{draft.host}"
    draft.link(pages[0], f"http://{below}/", f"https://{below}/")
    return draft.site(resolve={below: f"{CANARY_ADDRESS}:{CANARY_PORT}"})


def rebinding(draft: Draft) -> Site:
    """A name that changes its address after the first answer of the name server; with RESOLVE it is like any other."""
    draft.grow(3, reach=Reach.BEYOND)
    draft.robots(DEFAULT_ROBOTS)
    return draft.site(Outcome(Ending.OPEN, "rebinding"), rebinds=True)


KINDS = {
    "canary-links": (links, 1),
    "canary-redirects": (redirects, 1),
    "canary-refreshes": (refreshes, 0),
    "canary-sitemaps": (sitemaps, 1),
    "canary-entities": (entities, 0),
    "canary-robots": (robots, 0),
    "canary-home": (home, 0),
    "canary-name": (name, 0),
    "canary-host": (host_below, 0),
    "rebinding": (rebinding, 0),
}
