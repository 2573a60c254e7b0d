"""A site while it is being planned: chance, words, pages and how they hang together."""

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any
from urllib.parse import quote, unquote

from prospector.demo.web.prose import Language, languages, sentence, stock
from prospector.demo.web.site import (
    CLIENT,
    COMPETITORS,
    DONE,
    MOVED,
    RETIRED,
    Answer,
    Backlink,
    Declared,
    Domain,
    Outcome,
    Page,
    Phrase,
    Placement,
    Reach,
    Schemes,
    Site,
    Zone,
)

DEFAULT_ROBOTS = "User-agent: *\nDisallow: /private/\n"
INLINE_ZONES = (Zone.MAIN, Zone.LIST, Zone.TABLE, Zone.COMMENT, Zone.HEADING, Zone.ASIDE, Zone.FOOTER, Zone.HEADER)
TEXT_ZONES = (Zone.TITLE, Zone.H1, Zone.NAV)  # where markup would not be text
RELS = ("", "", "nofollow", "ugc", "sponsored", "nofollow sponsored")
TEXT = "text/plain; charset=utf-8"
XML = "application/xml"


class Draft:
    """`seed` and `index` decide everything that chance decides."""

    def __init__(self, seed: int, index: int, kind: str) -> None:
        self.rng = Random(f"{seed}/{index}/{kind}")  # noqa: S311  # a plan, not a secret
        self.kind = kind
        self.name = f"{kind}-{index:04}.test"
        self.host = self.name
        self.language: Language = languages()["en"]
        self.charset = "utf-8"
        self.declared = Declared.HEADER
        self.pages: dict[str, Page] = {}
        self.answers: dict[str, Answer] = {}

    def speak(self) -> None:
        """Chooses a language, and an encoding that can write it."""
        self.language = self.rng.choice(list(languages().values()))
        self.charset = self.rng.choice(self.language.charsets)
        ways = [Declared.HEADER]
        if self.charset != "utf-16":
            ways.append(Declared.META)
        if self.charset in ("utf-8", "utf-16"):
            ways.append(Declared.MARK)
        if self.charset in ("utf-8", "windows-1252"):
            ways.append(Declared.NOWHERE)
        self.declared = self.rng.choice(ways)

    def page(self, target: str, links: Iterable[str] = (), *, mentions: bool = True, **fields: Any) -> Page:
        host = fields.pop("host", self.host)
        fields.setdefault("domain", self.name)
        fields.setdefault("paragraphs", self.rng.randint(3, 12))
        page = Page(
            host=host,
            target=target,
            language=self.language.code,
            charset=self.charset,
            declared=self.declared,
            links=tuple(links),
            placements=self.placements() if mentions else (),
            decoys=self.decoys(),
            backlinks=self.backlinks(),
            **fields,
        )
        self.pages[page.key] = page
        return page

    def grow(self, count: int, **fields: Any) -> list[Page]:
        """A homepage and `count` pages below it; each is linked from one before it, in the ways that hrefs are written."""
        targets = ["/", *(self.target(number) for number in range(1, count + 1))]
        children: dict[str, list[str]] = {target: [] for target in targets}
        for number, target in enumerate(targets[1:], 1):
            parent = targets[self.rng.randint(max(0, number - 6), number - 1)]
            children[parent].append(self.href(target))
        some = targets[1:4]
        return [self.page(target, ["/", *some, *children[target]], **fields) for target in targets]

    def ordinary(self, count: int | None = None, **fields: Any) -> list[Page]:
        """What most sites have: pages, a robots.txt with a private part, often a sitemap."""
        pages = self.grow(self.rng.randint(4, 12) if count is None else count, **fields)
        self.robots(DEFAULT_ROBOTS)
        if self.rng.random() < 0.5:
            self.link(pages[0], "/private/notes")
            self.page("/private/notes", reach=Reach.FORBIDDEN)
        if self.rng.random() < 0.4:
            self.sitemap("/sitemap.xml", [page.target for page in pages])
        return pages

    def target(self, number: int) -> str:
        word = quote(self.rng.choice(self.language.words))
        shape = self.rng.choice(("/{n}-{w}", "/{w}/{n}/", "/news/{n}/{w}.html", "/page.php?id={n}", "/{n}"))
        return shape.format(n=number, w=word)

    def href(self, target: str) -> str:
        ways = (target, f"//{self.host}{target}", f"{target}#top", f" {target} ", f"/.{target}", unquote(target))
        return self.rng.choice(ways)

    def link(self, page: Page, *hrefs: str) -> Page:
        """The page again, with more links on it."""
        self.pages[page.key] = replace(self.pages[page.key], links=(*self.pages[page.key].links, *hrefs))
        return self.pages[page.key]

    def placements(self) -> tuple[Placement, ...]:
        if self.rng.random() < 0.35:
            return ()
        return tuple(self._placement() for _ in range(self.rng.randint(1, 5)))

    def _placement(self) -> Placement:
        draw = self.rng.random()
        if draw < 0.1:
            return Placement(Zone.MAIN, self.rng.choice(stock().blocks), block=True)
        if draw < 0.3:
            return Placement(self.rng.choice(INLINE_ZONES), self.rng.choice(stock().marked_up))
        if draw < 0.6 and self.language.phrases:
            phrase = self.rng.choice(self.language.phrases)
            zones = INLINE_ZONES if "<" in phrase.html else INLINE_ZONES + TEXT_ZONES
            return Placement(self.rng.choice(zones), phrase)
        return Placement(self.rng.choice(INLINE_ZONES + TEXT_ZONES), self.rng.choice(stock().phrases))

    def decoys(self) -> tuple[str, ...]:
        pool = (*stock().glued, *self.language.decoys, *stock().unseen)
        return tuple(self.rng.choice(pool) for _ in range(self.rng.randint(0, 4)))

    def backlinks(self) -> tuple[Backlink, ...]:
        if self.rng.random() < 0.8:
            return ()
        target = self.rng.choice((CLIENT, *COMPETITORS))
        path, dead = self.rng.choice((("/", False), ("/tour", False), (MOVED, False), (RETIRED[0], True)))
        if dead:
            path = RETIRED[len(self.pages) % len(RETIRED)]
        address = f"https://{self.rng.choice(('', 'www.'))}{target}{path}"
        ways = (
            address,
            address[6:],
            f"/go?url={quote(address, safe='')}",
            f"https://out.test/?u={quote(address, safe='')}",
        )
        rel = self.rng.choice(RELS)
        return (Backlink(target, self.rng.choice(ways), rel, sentence(self.language, self.rng, 2), dead),)

    def robots(self, text: str | bytes, **fields: Any) -> None:
        raw = text.encode() if isinstance(text, str) else text
        self.answer("/robots.txt", Answer(body=raw, media=fields.pop("media", TEXT), **fields))

    def sitemap(self, target: str, targets: Iterable[str]) -> None:
        self.answer(target, Answer(body=urlset(f"http://{self.host}{one}" for one in targets), media=XML))

    def answer(self, target: str, answer: Answer, host: str | None = None) -> None:
        self.answers[(host or self.host) + target] = answer

    def redirect(self, target: str, location: str, status: int = 301) -> None:
        self.answer(target, moved(location, status))

    def put(self, page: Page, zone: Zone, phrase: Phrase) -> None:
        self.pages[page.key] = replace(page, placements=(*page.placements, Placement(zone, phrase)))

    def site(self, hybrid: Outcome = DONE, free: Outcome | None = None, **fields: Any) -> Site:
        fields.setdefault("domains", (Domain(self.name, hybrid, free or hybrid),))
        fields.setdefault("hosts", frozenset({self.host, *(page.host for page in self.pages.values())}))
        fields.setdefault("schemes", Schemes.HTTP)
        fields.setdefault("compressed", self.rng.random() < 0.3)
        return Site(self.name, self.kind, pages=self.pages, answers=self.answers, **fields)


def moved(location: str, status: int = 301, **fields: Any) -> Answer:
    return Answer(status, headers=(("Location", location),), **fields)


def urlset(locations: Iterable[str]) -> bytes:
    rows = "".join(f"<url><loc>{one.replace('&', '&amp;')}</loc></url>\n" for one in locations)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        f"{rows}</urlset>\n"
    ).encode()
