"""robots.txt of every kind (RFC 9309): what it may hold, and how it may fail to arrive."""

from prospector.demo.web.draft import DEFAULT_ROBOTS, TEXT, Draft, moved
from prospector.demo.web.site import Answer, Ending, Manner, Outcome, Reach, Request, Site

READ_BYTES = 500 * 1024  # what a crawler must at least read of it
NONE_OPEN = Outcome(Ending.FAILED, "robots disallowed")
UNREACHABLE = Outcome(Ending.FAILED, "robots unreachable")
FAR_DELAY_SECONDS = 120

# name -> (robots.txt, what it allows, what it forbids)
RULES: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "groups": (
        "User-agent: *\nDisallow: /for-us\n\nUser-agent: Other\nUser-agent: backlinkprospector\nDisallow: /not-us\n",
        ("/for-us",),
        ("/not-us",),
    ),
    "two-groups": (
        "User-agent: BacklinkProspector\nDisallow: /one\n\nUser-agent: *\nDisallow: /\n\nUser-agent: BacklinkProspector\nDisallow: /two\n",
        ("/three",),
        ("/one", "/two"),
    ),
    "longest": (
        "User-agent: *\nDisallow: /shop/\nAllow: /shop/open/\nDisallow: /shop/open/not\nDisallow: /same\nAllow: /same\n",
        ("/shop/open/1", "/same"),
        ("/shop/1", "/shop/open/not/1"),
    ),
    "wildcards": (
        "User-agent: *\nDisallow: /*.php$\nDisallow: /*/print\nDisallow: /*?*sort=\nAllow: /ok/*/print$\n",
        ("/one.php5", "/ok/really/print", "/list?by=name"),
        ("/one.php", "/two/print/3", "/list?by=name&sort=up"),
    ),
    "encoded": (
        "User-agent: *\nDisallow: /%7Ejoe/\nDisallow: /caf%C3%A9\nDisallow: /grün\n",
        ("/joe/",),
        ("/~joe/notes", "/caf%C3%A9/menu", "/gr%C3%BCn"),
    ),
    "untidy": (
        "\ufeff# a comment\r\nUSER-AGENT : *   # all\r\n\r\ndisallow:/x # no space\r\nNonsense\r\nNot-allowed: /y\r\nDisallow:\r\n",
        ("/y",),
        ("/x/1",),
    ),
    "expensive": (
        f"User-agent: *\nDisallow: /{'*a' * 60}*b$\nDisallow: /no\n",
        (f"/{'a' * 60}c",),
        ("/no",),
    ),
}


def rules(draft: Draft) -> Site:
    """One of RULES, with pages on both sides of each rule."""
    text, allowed, forbidden = RULES[draft.kind.removeprefix("robots-")]
    home = draft.page("/", [*allowed, *forbidden])
    for target in allowed:
        draft.page(target, ["/"])
    for target in forbidden:
        draft.page(target, ["/"], reach=Reach.FORBIDDEN)
    draft.robots(text)
    draft.link(home, "/always")
    draft.page("/always", ["/"])
    return draft.site()


def closed(draft: Draft) -> Site:
    """All of it is forbidden."""
    draft.grow(3, reach=Reach.FORBIDDEN)
    draft.robots("User-agent: *\nDisallow: /\n")
    return draft.site(NONE_OPEN, closed=True)


def missing(draft: Draft) -> Site:
    """404: all is allowed."""
    draft.grow(3)
    return draft.site()


def barred(draft: Draft) -> Site:
    """403 for robots.txt alone: all is allowed."""
    draft.grow(3)
    draft.answer("/robots.txt", Answer(403, b"no"))
    return draft.site()


def failing(draft: Draft) -> Site:
    """5xx for everyone: nothing is known, so nothing is allowed."""
    return _unreachable(draft, Answer(500, b"oops"))


def failing_direct(draft: Draft) -> Site:
    """5xx to our address only: a paid method reads it."""
    draft.grow(3, reach=Reach.PAID)
    draft.robots(DEFAULT_ROBOTS)

    def rule(request: Request) -> Answer | None:
        return None if request.method else Answer(503, b"busy")

    return draft.site(free=UNREACHABLE, rule=rule)


def cut(draft: Draft) -> Site:
    return _unreachable(draft, Answer(manner=Manner.RESET))


def flapping(draft: Draft) -> Site:
    """503 once, then the file."""
    draft.ordinary(3)
    busy = Answer(503, b"busy")
    return draft.site(rule=lambda request: busy if request.is_robots and request.visit_of_page == 1 else None)


def huge(draft: Draft) -> Site:
    """A rule in the first 500 KiB, which must be obeyed, and one far behind, which may be."""
    draft.ordinary(3)
    filler = "# nothing to see here, and a lot of it\n" * (2 * READ_BYTES // 39)
    draft.robots(f"User-agent: *\nDisallow: /early\n{filler}Disallow: /late\n")
    home = draft.pages[f"{draft.host}/"]
    draft.link(home, "/early", "/late")
    draft.page("/early", reach=Reach.FORBIDDEN)
    draft.page("/late", reach=Reach.BEYOND)
    draft.page("/private/notes", reach=Reach.BEYOND)
    return draft.site()


def slow(draft: Draft) -> Site:
    draft.ordinary(3)
    draft.robots(DEFAULT_ROBOTS, after_seconds=2.5)
    return draft.site()


def redirected(draft: Draft) -> Site:
    """Five redirects, and then the file, which must be obeyed."""
    _hops(draft, 5, Reach.DIRECT, Reach.FORBIDDEN)
    return draft.site()


def redirected_far(draft: Draft) -> Site:
    """More redirects than must be followed: the rules leave a choice."""
    _hops(draft, 9, Reach.BEYOND, Reach.BEYOND)
    return draft.site(Outcome(Ending.OPEN, "robots redirects"))


def html(draft: Draft) -> Site:
    """A page of the site instead of a file: it holds no rule."""
    draft.grow(3)
    draft.robots("<!doctype html><title>Not found</title><p>User-agent: all", media="text/html")
    return draft.site()


def delay(draft: Draft) -> Site:
    draft.ordinary(3)
    draft.robots(f"{DEFAULT_ROBOTS}Crawl-delay: 2\n")
    return draft.site(delay_seconds=2.0)


def delay_far(draft: Draft) -> Site:
    """A delay so long that the site is left alone."""
    draft.grow(3, reach=Reach.FORBIDDEN)
    draft.robots(f"User-agent: *\nCrawl-delay: {FAR_DELAY_SECONDS}\n")
    return draft.site(Outcome(Ending.FAILED, "crawl-delay"), closed=True)


def _unreachable(draft: Draft, answer: Answer) -> Site:
    draft.grow(3, reach=Reach.FORBIDDEN)
    draft.answer("/robots.txt", answer)
    return draft.site(UNREACHABLE, closed=True)


def _hops(draft: Draft, count: int, open_reach: Reach, private_reach: Reach) -> None:
    pages = draft.grow(3, reach=open_reach)
    for hop in range(count):
        source = "/robots.txt" if hop == 0 else f"/robots-{hop}"
        draft.answer(source, moved(f"/robots-{hop + 1}", 302))
    draft.answer(f"/robots-{count}", Answer(body=b"User-agent: *\nDisallow: /private/\n", media=TEXT))
    draft.page("/private/notes", reach=private_reach)
    draft.link(pages[0], "/private/notes")


KINDS = {
    **{f"robots-{name}": (rules, 1) for name in RULES},
    "robots-closed": (closed, 2),
    "robots-missing": (missing, 3),
    "robots-barred": (barred, 1),
    "robots-failing": (failing, 1),
    "robots-failing-direct": (failing_direct, 1),
    "robots-cut": (cut, 0),
    "robots-flapping": (flapping, 1),
    "robots-huge": (huge, 0),
    "robots-slow": (slow, 1),
    "robots-redirected": (redirected, 1),
    "robots-redirected-far": (redirected_far, 0),
    "robots-html": (html, 1),
    "robots-delay": (delay, 1),
    "robots-delay-far": (delay_far, 1),
}
