"""Sites that do not answer everyone, or not at once: refusals, challenges, limits, and what needs a browser."""

from prospector.demo.web.draft import DEFAULT_ROBOTS, Draft
from prospector.demo.web.site import Answer, Ending, Outcome, Page, Reach, Request, Rule, Site

JS = "scrapingbee-js"
CHALLENGE = (
    b"<!doctype html><html><head><title>Just a moment...</title></head><body><h1>Checking your browser</h1>"
    b'<script src="/cdn-cgi/challenge-platform/h/b/orchestrate/jsch/v1"></script></body></html>'
)
CAPTCHA = (
    b"<!doctype html><html><head><title>Are you a robot?</title></head><body>"
    b'<p>Please solve this CAPTCHA.</p><div class="g-recaptcha" data-sitekey="x"></div></body></html>'
)
FORBIDDEN = Answer(403, b"<h1>403 Forbidden</h1>")
UNAVAILABLE = Answer(503, b"<h1>503 Service Unavailable</h1>")
BLOCKED = Outcome(Ending.FAILED, "blocked")
RETRY_SECONDS = 3
FAR_SECONDS = 900  # above the ten minutes that are waited for


def refused(draft: Draft) -> Site:
    return _behind(draft, _direct_gets(FORBIDDEN))


def refused_twice(draft: Draft) -> Site:
    """Only a browser gets through."""
    return _behind(draft, lambda request: None if request.method == JS or request.is_robots else FORBIDDEN)


def refused_always(draft: Draft) -> Site:
    draft.grow(3, reach=Reach.BROKEN)
    return draft.site(BLOCKED, rule=lambda request: None if request.is_robots else FORBIDDEN)


def challenge(draft: Draft) -> Site:
    return _behind(draft, _direct_gets(Answer(403, CHALLENGE)))


def captcha(draft: Draft) -> Site:
    """A captcha with status 200, to everything but a browser."""
    answer = Answer(200, CAPTCHA)
    return _behind(draft, lambda request: None if request.method == JS or request.is_robots else answer)


def empty(draft: Draft) -> Site:
    """200 and not a byte, to direct requests."""
    return _behind(draft, _direct_gets(Answer(200)))


def unavailable(draft: Draft) -> Site:
    """503 to direct requests, always."""
    return _behind(draft, _direct_gets(UNAVAILABLE))


def unavailable_always(draft: Draft) -> Site:
    draft.grow(2, reach=Reach.BROKEN)
    outcome = Outcome(Ending.FAILED, "HTTP 503")
    return draft.site(outcome, rule=lambda request: None if request.is_robots else UNAVAILABLE)


def flapping(draft: Draft) -> Site:
    """The first request for a page gets a 503, the next the page."""
    draft.ordinary(4)
    return draft.site(rule=lambda ask: UNAVAILABLE if ask.visit_of_page == 1 and not ask.is_robots else None)


def limited(draft: Draft) -> Site:
    return _limited(draft, Answer(429, b"Too many requests", retry_seconds=RETRY_SECONDS))


def limited_date(draft: Draft) -> Site:
    return _limited(draft, Answer(429, b"Too many requests", retry_seconds=RETRY_SECONDS, retry_as_date=True))


def limited_503(draft: Draft) -> Site:
    return _limited(draft, Answer(503, b"Busy", retry_seconds=RETRY_SECONDS))


def limited_far(draft: Draft) -> Site:
    """The third request gets a Retry-After that is too far to wait for."""
    draft.grow(5, reach=Reach.BEYOND)
    draft.robots(DEFAULT_ROBOTS)
    answer = Answer(429, b"Too many requests", retry_seconds=FAR_SECONDS)
    waiting = Outcome(Ending.WAITING, "Retry-After")
    return draft.site(waiting, rule=lambda request: answer if request.visit_of_site >= 3 else None)


def limited_always(draft: Draft) -> Site:
    """Direct requests get a 429 whatever they wait."""
    return _behind(draft, _direct_gets(Answer(429, b"Too many requests", retry_seconds=1)))


def login(draft: Draft) -> Site:
    draft.grow(2, reach=Reach.BROKEN)
    answer = Answer(401, b"Log in", headers=(("WWW-Authenticate", 'Basic realm="members"'),))
    return draft.site(Outcome(Ending.FAILED, "login"), rule=lambda ask: None if ask.is_robots else answer)


def patchy(draft: Draft) -> Site:
    """A good site with pages that are gone, missing, barred or broken."""
    pages = draft.ordinary(5)
    for status in (401, 404, 410, 418, 500):
        draft.answer(f"/answers-{status}", Answer(status, f"<h1>{status} Acme CRM</h1>".encode()))
        draft.link(pages[0], f"/answers-{status}")
    return draft.site()


def application(draft: Draft) -> Site:
    """Every page is an empty root until a browser has run it."""
    draft.grow(3, root=draft.rng.choice(("root", "app", "__next", "__nuxt")), reach=Reach.RENDERED)
    draft.robots(DEFAULT_ROBOTS)
    draft.sitemap("/sitemap.xml", [page.target for page in draft.pages.values()])
    return draft.site()


def half_application(draft: Draft) -> Site:
    """A plain site with two pages that need a browser."""
    pages = draft.ordinary(4)
    for number in (1, 2):
        draft.page(f"/app/{number}", ["/"], root="root", reach=Reach.RENDERED)
        draft.link(pages[0], f"/app/{number}")
    return draft.site()


def _behind(draft: Draft, rule: Rule) -> Site:
    draft.grow(draft.rng.randint(2, 5), reach=Reach.PAID)
    draft.robots(DEFAULT_ROBOTS)
    return draft.site(free=BLOCKED, rule=rule)


def _direct_gets(answer: Answer) -> Rule:
    def rule(request: Request) -> Answer | Page | None:
        return None if request.method or request.is_robots else answer

    return rule


def _limited(draft: Draft, answer: Answer) -> Site:
    """The third and the sixth request to the site are told to wait."""
    draft.ordinary(4)
    return draft.site(rule=lambda request: answer if request.visit_of_site in (3, 6) else None)


KINDS = {
    "refused": (refused, 3),
    "refused-twice": (refused_twice, 1),
    "refused-always": (refused_always, 1),
    "challenge": (challenge, 2),
    "captcha": (captcha, 1),
    "empty": (empty, 1),
    "unavailable": (unavailable, 1),
    "unavailable-always": (unavailable_always, 1),
    "flapping": (flapping, 1),
    "limited": (limited, 2),
    "limited-date": (limited_date, 1),
    "limited-503": (limited_503, 1),
    "limited-far": (limited_far, 1),
    "limited-always": (limited_always, 1),
    "login": (login, 1),
    "patchy": (patchy, 2),
    "application": (application, 3),
    "half-application": (half_application, 2),
}
