"""Redirects of every kind: chains, loops, other hosts and schemes, refreshes, cookies; www and scheme twins; moves."""

from prospector.demo.web.draft import DEFAULT_ROBOTS, Draft, moved
from prospector.demo.web.site import Answer, Certificate, Domain, Ending, Outcome, Page, Reach, Request, Schemes, Site

LONG_CHAIN = 25
LOOP = Outcome(Ending.FAILED, "redirect loop")


def hops(draft: Draft) -> Site:
    """Pages behind one and behind three redirects: the row carries the last address."""
    pages = draft.ordinary(3)
    draft.page("/here", ["/"])
    for source, location, status in (
        ("/one", "/here", 301),
        ("/three", "/two", 302),
        ("/two", "two-b", 307),
        ("/two-b", f"http://{draft.host}/there#part", 308),
        ("/unicode", "/dörf", 301),
    ):
        draft.redirect(source, location, status)
    draft.page("/there", ["/"])
    draft.page("/d%C3%B6rf", ["/"])
    draft.link(pages[0], "/one", "/three", "/unicode")
    return draft.site()


def loops(draft: Draft) -> Site:
    """A page that leads to itself, two that lead to each other, a long chain, and one without end."""
    pages = draft.ordinary(3)
    draft.redirect("/self", "/self")
    draft.redirect("/ping", "/pong")
    draft.redirect("/pong", "/ping")
    for hop in range(LONG_CHAIN):
        draft.redirect(f"/chain-{hop}", f"/chain-{hop + 1}")
    draft.page(f"/chain-{LONG_CHAIN}", reach=Reach.BEYOND)
    draft.redirect("/nowhere", "", 302)
    draft.link(pages[0], "/self", "/ping", "/chain-0", "/on/0", "/nowhere")

    def endless(request: Request) -> Answer | None:
        head, _, number = request.target.rpartition("/")
        return moved(f"/on/{int(number) + 1}", 302) if head == "/on" and number.isdigit() else None

    return draft.site(rule=endless)


def leaving(draft: Draft) -> Site:
    """Pages that lead to another site, which is not the domain's."""
    pages = draft.ordinary(3)
    draft.redirect("/partner", "http://rival.test/landing", 302)
    draft.redirect("/secure", f"https://{draft.host}/safe", 301)
    draft.page("/safe", ["/"])
    draft.link(pages[0], "/partner", "/secure")
    return draft.site(schemes=Schemes.BOTH)


def home_loop(draft: Draft) -> Site:
    draft.redirect("/", "/start", 302)
    draft.redirect("/start", "/", 302)
    return draft.site(LOOP, hosts=frozenset({draft.host}))


def moved_away(draft: Draft) -> Site:
    """Leads to a site that is not on the list."""
    number = draft.name.removesuffix(".test").rpartition("-")[2]
    new_name = f"new-home-{number}.test"
    draft.redirect("/", f"http://{new_name}/")
    draft.page("/", host=new_name, domain=new_name, reach=Reach.BEYOND)
    hosts = frozenset({draft.host, new_name})
    return draft.site(Outcome(Ending.MOVED, new_name), hosts=hosts)


def refresh(draft: Draft) -> Site:
    """An immediate meta refresh, which is a redirect, and a slow one, which is not."""
    pages = draft.ordinary(2)
    draft.page("/now", mentions=False, head='<meta http-equiv="Refresh" content="0; URL=\'/after-now\'">')
    draft.page("/after-now", ["/"])
    draft.page("/later", head='<meta http-equiv="refresh" content="30; url=/after-later">')
    draft.page("/after-later", reach=Reach.BEYOND)
    draft.link(pages[0], "/now", "/later")
    return draft.site()


def cookies(draft: Draft) -> Site:
    """Asks for a cookie by redirecting to the same address until it comes back."""
    draft.grow(3, reach=Reach.BEYOND)
    draft.robots(DEFAULT_ROBOTS)

    def gate(request: Request) -> Answer | None:
        if request.is_robots or "seen=1" in request.cookies:
            return None
        return Answer(302, headers=(("Location", request.target), ("Set-Cookie", "seen=1; Path=/")))

    return draft.site(Outcome(Ending.OPEN, "cookies"), rule=gate)


def to_www(draft: Draft) -> Site:
    """The name without www. leads to the one with it."""
    apex = draft.host
    draft.host = f"www.{apex}"
    draft.ordinary()

    def lead(request: Request) -> Answer | None:
        return moved(f"http://www.{apex}{request.target}") if request.host == apex else None

    return draft.site(rule=lead, hosts=frozenset({apex, draft.host}))


def to_apex(draft: Draft) -> Site:
    draft.ordinary()
    www = f"www.{draft.host}"

    def lead(request: Request) -> Answer | None:
        return moved(f"http://{draft.host}{request.target}") if request.host == www else None

    return draft.site(rule=lead, hosts=frozenset({www, draft.host}))


def twins(draft: Draft) -> Site:
    """The same pages with and without www., over http and https; links go across."""
    pages = draft.ordinary(4)
    www = f"www.{draft.host}"
    draft.link(pages[0], f"http://{www}/", f"https://{draft.host}{pages[1].target}", f"http://{www}{pages[2].target}")

    def same(request: Request) -> Answer | Page | None:
        if request.host != www:
            return None
        key = draft.host + request.target
        return draft.answers.get(key) or draft.pages.get(key)

    return draft.site(rule=same, hosts=frozenset({www, draft.host}), schemes=Schemes.BOTH)


def secure(draft: Draft) -> Site:
    """Only https."""
    draft.ordinary(4)
    return draft.site(schemes=Schemes.HTTPS)


def expired(draft: Draft) -> Site:
    draft.ordinary(3)
    return draft.site(schemes=Schemes.UPGRADE, certificate=Certificate.EXPIRED)


def wrong_name(draft: Draft) -> Site:
    draft.ordinary(3)
    return draft.site(schemes=Schemes.HTTPS, certificate=Certificate.WRONG_NAME)


def moved_next_door(draft: Draft) -> Site:
    """Leads to a domain that is on the list: crawled there, under its own row."""
    old = draft.host
    number = old.removesuffix(".test").rpartition("-")[2]
    new_name = f"merged-{number}.test"
    draft.host = new_name
    draft.grow(3, domain=new_name)
    draft.robots(DEFAULT_ROBOTS)
    draft.answer("/", moved(f"http://{new_name}/"), host=old)
    domains = (Domain(old, *(Outcome(Ending.MOVED, new_name),) * 2), Domain(new_name))
    return draft.site(domains=domains, hosts=frozenset({old, new_name}))


KINDS = {
    "hops": (hops, 2),
    "loops": (loops, 1),
    "leaving": (leaving, 1),
    "home-loop": (home_loop, 1),
    "moved-away": (moved_away, 2),
    "moved-next-door": (moved_next_door, 1),
    "refresh": (refresh, 1),
    "cookies": (cookies, 1),
    "to-www": (to_www, 6),
    "to-apex": (to_apex, 3),
    "twins": (twins, 2),
    "secure": (secure, 3),
    "expired": (expired, 1),
    "wrong-name": (wrong_name, 1),
}
