"""What a planned site is: its hosts, pages and answers, and what a crawl of it must find."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum, auto

CLIENT = "acme.test"
COMPETITORS = ("rival.test", "globex.test")
MOVED = "/old-tour"  # of the client and of competitors: it leads to a page that is there
RETIRED = ("/retired", "/discontinued", "/emptied", "/circle")  # 404, 410, 404 in the words of a 200, a redirect loop
CANARY_PORT = "{canary_port}"  # stands in planned text for the port of the canary, known when it listens


class Zone(StrEnum):
    TITLE = auto()
    H1 = auto()
    HEADING = auto()
    MAIN = auto()
    LIST = auto()
    TABLE = auto()
    COMMENT = auto()
    NAV = auto()
    HEADER = auto()
    FOOTER = auto()
    ASIDE = auto()
    OTHER = auto()  # outside the <main> that there is


class Reach(StrEnum):
    """What it takes to read a page, or why it must not be read or believed."""

    DIRECT = auto()
    RENDERED = auto()
    PAID = auto()
    BEYOND = auto()  # may be found, is not expected: beyond a cap, behind a cookie, where rules leave a choice
    FORBIDDEN = auto()  # robots.txt forbids it
    BROKEN = auto()  # never arrives whole, so nothing of it may be reported


class Ending(StrEnum):
    DONE = auto()
    MOVED = auto()
    FAILED = auto()
    WAITING = auto()
    OPEN = auto()  # rules leave a choice


class Schemes(StrEnum):
    HTTP = auto()
    HTTPS = auto()
    BOTH = auto()
    UPGRADE = auto()  # http answers with a redirect to https


class Certificate(StrEnum):
    CURRENT = auto()
    EXPIRED = auto()
    WRONG_NAME = auto()


class Declared(StrEnum):
    """Where a page says its charset."""

    HEADER = auto()
    META = auto()
    MARK = auto()
    NOWHERE = auto()


class Manner(StrEnum):
    """How an answer travels."""

    WHOLE = auto()
    SHORT = auto()  # closes after half of the bytes it promised
    RESET = auto()  # resets the connection after half
    DRIP = auto()  # a byte a second
    SLOW_HEADERS = auto()  # a header line a second, without end
    ENDLESS = auto()  # chunks without end
    SILENT = auto()  # no byte at all


@dataclass(frozen=True)
class Phrase:
    """A spelling that is put on a page, and how often it counts for each keyword."""

    html: str
    counts: Mapping[str, int]


@dataclass(frozen=True)
class Placement:
    zone: Zone
    phrase: Phrase
    block: bool = False


@dataclass(frozen=True)
class Backlink:
    """A link to the client or a competitor. `href` is as written, `target` the host that it means, `dead` that no page is there any more."""

    target: str
    href: str
    rel: str
    anchor: str
    dead: bool = False


@dataclass(frozen=True)
class Page:
    host: str
    target: str  # path and query
    domain: str
    language: str = "en"
    placements: tuple[Placement, ...] = ()
    decoys: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    backlinks: tuple[Backlink, ...] = ()
    reach: Reach = Reach.DIRECT
    charset: str = "utf-8"
    declared: Declared = Declared.HEADER
    head: str = ""
    tail: str = ""
    root: str = ""  # the id of an application's empty root: the page shows nothing before a browser ran it
    paragraphs: int = 4

    @property
    def key(self) -> str:
        return self.host + self.target


@dataclass(frozen=True)
class Answer:
    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    media: str = "text/html; charset=utf-8"
    manner: Manner = Manner.WHOLE
    after_seconds: float = 0.0
    retry_seconds: float = 0.0  # sent as Retry-After
    retry_as_date: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """A request as a site's rule sees it."""

    host: str
    target: str
    scheme: str = "http"
    cookies: str = ""
    agent: str = ""
    method: str = ""  # the paid method it comes through; empty: direct
    rendered: bool = False
    visit_of_page: int = 1
    visit_of_site: int = 1

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def is_robots(self) -> bool:
        return self.target == "/robots.txt"


Rule = Callable[[Request], Answer | Page | None]


@dataclass(frozen=True)
class Outcome:
    ending: Ending
    cause: str = ""


DONE = Outcome(Ending.DONE)


@dataclass(frozen=True)
class Domain:
    """A listed host and how its crawl must end, with money and without."""

    name: str
    hybrid: Outcome = DONE
    free: Outcome = DONE


@dataclass(frozen=True)
class Site:
    """What is planned together. Asked for something, its rule answers first, then its fixed answers, then its pages."""

    name: str
    kind: str
    domains: tuple[Domain, ...]
    hosts: frozenset[str] = frozenset()
    pages: Mapping[str, Page] = field(default_factory=dict)
    answers: Mapping[str, Answer] = field(default_factory=dict)
    rule: Rule | None = None
    schemes: Schemes = Schemes.HTTP
    certificate: Certificate = Certificate.CURRENT
    delay_seconds: float = 1.0
    closed: bool = False  # robots.txt forbids all of it
    trap: bool = False
    large: bool = False  # its pages beyond reach are so for its size only
    ignored_query: str = ""  # a parameter that changes the address and not the page
    compressed: bool = False
    wildcard: bool = False
    rebinds: bool = False  # to the name server, its names lead to the web once, and then to the canary
    resolve: Mapping[str, str] = field(default_factory=dict)  # names that do not lead to the web: name -> address
