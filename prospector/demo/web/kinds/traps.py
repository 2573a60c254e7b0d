"""Sites that never end, and sites that are nothing: calendars, growing paths, wildcard hosts, soft 404s, parked names."""

from dataclasses import replace

from prospector.demo.web.draft import DEFAULT_ROBOTS, Draft
from prospector.demo.web.prose import stock
from prospector.demo.web.site import Answer, Ending, Outcome, Page, Placement, Reach, Request, Site, Zone

MONTHS = 12
PARKED = (
    "<!doctype html><title>{name} is for sale</title><h1>{name}</h1><p>This domain is parked. Buy this domain.</p>"
    '<p><a href="http://parking.example.test/?d={name}">Inquire</a></p>'
)


def calendar(draft: Draft) -> Site:
    """Every month links to the next."""
    pages = draft.ordinary(3)
    draft.link(pages[0], "/calendar/2026/1")

    def month(request: Request) -> Page | None:
        parts = request.target.split("/")
        if len(parts) != 4 or parts[1] != "calendar" or not (parts[2] + parts[3]).isdigit():
            return None
        turn = int(parts[2]) * MONTHS + int(parts[3]) - 1
        near = (f"/calendar/{one // MONTHS}/{one % MONTHS + 1}" for one in (turn - 1, turn + 1))
        return Page(draft.host, request.target, draft.name, links=("/", *near))

    return draft.site(rule=month, trap=True)


def growing(draft: Draft) -> Site:
    """A relative link without a leading slash, on a server that answers to every path below."""
    pages = draft.ordinary(3)
    draft.link(pages[0], "/deeper/")

    def deeper(request: Request) -> Page | None:
        if not request.target.startswith("/deeper/"):
            return None
        return Page(draft.host, request.target, draft.name, links=("/", "again/", "again/and/"))

    return draft.site(rule=deeper, trap=True)


def wildcard(draft: Draft) -> Site:
    """Every host below the name exists and links to more."""
    pages = draft.ordinary(3)
    draft.link(pages[0], f"http://a.{draft.host}/")

    def any_host(request: Request) -> Page | None:
        if request.host == draft.host or request.target != "/":
            return None
        label = request.host.partition(".")[0][-8:]
        links = (f"http://{label}{one}.{draft.host}/" for one in "ab")
        return Page(request.host, request.target, draft.name, links=tuple(links))

    return draft.site(rule=any_host, trap=True, wildcard=True)


def soft_missing(draft: Draft) -> Site:
    """A page that says "not found" with status 200, for every address, with links to more of them."""
    draft.ordinary(3)

    def sorry(request: Request) -> Page | None:
        if request.is_robots or f"{draft.host}{request.target}" in (draft.pages.keys() | draft.answers.keys()):
            return None
        links = (f"{request.path.rstrip('/')}/old-{number}" for number in range(3))
        return Page(draft.host, request.target, draft.name, links=("/", *links), tail="<h1>Page not found</h1>")

    home = draft.pages[f"{draft.host}/"]
    draft.link(home, "/removed")
    return draft.site(rule=sorry, trap=True)


def parked(draft: Draft) -> Site:
    """For sale: the same page for every address."""
    body = PARKED.format(name=draft.name).encode()
    draft.page("/", reach=Reach.BROKEN)
    return draft.site(rule=lambda _request: Answer(body=body))


def for_sale(draft: Draft) -> Site:
    """Parked, with a list of keywords to click on, as such pages have them: a mention is there, and no prospect."""
    placed = tuple(Placement(Zone.LIST, draft.rng.choice(stock().phrases)) for _ in range(3))
    offer = "<p>This domain is for sale. Buy this domain.</p>"
    page = draft.page("/", mentions=False, paragraphs=1, tail=offer)
    draft.pages[page.key] = replace(page, placements=placed, backlinks=(), decoys=())
    draft.robots(DEFAULT_ROBOTS)
    return draft.site()


def gone(draft: Draft) -> Site:
    draft.page("/", reach=Reach.BROKEN)
    draft.answer("/", Answer(410, b"<h1>Gone</h1>"))
    return draft.site(Outcome(Ending.FAILED, "HTTP 410"))


def missing(draft: Draft) -> Site:
    draft.page("/", reach=Reach.BROKEN)
    draft.answer("/", Answer(404, b"<h1>Not found</h1>"))
    draft.robots(DEFAULT_ROBOTS)
    return draft.site(Outcome(Ending.FAILED, "HTTP 404"))


KINDS = {
    "calendar": (calendar, 1),
    "growing": (growing, 1),
    "wildcard": (wildcard, 1),
    "soft-missing": (soft_missing, 1),
    "parked": (parked, 2),
    "for-sale": (for_sale, 1),
    "gone": (gone, 1),
    "missing": (missing, 1),
}
