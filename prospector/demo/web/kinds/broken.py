"""Sites and pages that are slow, cut, without end or not what they say. One bad page hangs on an otherwise good site."""

import zlib

from prospector.demo.web.draft import Draft
from prospector.demo.web.prose import stock
from prospector.demo.web.site import (
    Answer,
    Ending,
    Manner,
    Outcome,
    Page,
    Phrase,
    Placement,
    Reach,
    Request,
    Site,
    Zone,
)

MEGABYTE = 1024 * 1024
TOO_LARGE = 12 * MEGABYTE
BOMB_BLOCKS = 10_000  # of a megabyte each, once unpacked
GZIP_HEAD = bytes([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
DEPTH = 200_000
MANY_LINKS = 100_000


def slow_headers(draft: Draft) -> Site:
    return _one_bad_page(draft, Answer(manner=Manner.SLOW_HEADERS))


def drip(draft: Draft) -> Site:
    return _one_bad_page(draft, Answer(body=_cut_body(), manner=Manner.DRIP))


def silent(draft: Draft) -> Site:
    """Accepts every connection and says nothing."""
    draft.grow(1, reach=Reach.BROKEN)
    return draft.site(Outcome(Ending.FAILED, "timeout"), rule=lambda _request: Answer(manner=Manner.SILENT))


def endless(draft: Draft) -> Site:
    return _one_bad_page(draft, Answer(body=_cut_body(), manner=Manner.ENDLESS))


def heavy(draft: Draft) -> Site:
    """Twelve megabytes, with the mention in front: too large to be read."""
    return _one_bad_page(draft, Answer(body=_cut_body() + b"<p>stone</p>" * (TOO_LARGE // 12)))


def bomb(draft: Draft) -> Site:
    """Ten megabytes on the wire that unpack to ten gigabytes."""
    return _one_bad_page(draft, Answer(headers=(("Content-Encoding", "gzip"), ("X-Demo-Body", "bomb"))))


def reset(draft: Draft) -> Site:
    return _one_bad_page(draft, Answer(body=_cut_body(), manner=Manner.RESET))


def short(draft: Draft) -> Site:
    return _one_bad_page(draft, Answer(body=_cut_body(), manner=Manner.SHORT))


def closing(draft: Draft) -> Site:
    """Resets every connection."""
    draft.grow(1, reach=Reach.BROKEN)
    return draft.site(Outcome(Ending.FAILED, "connection"), rule=lambda _request: Answer(manner=Manner.RESET))


def binary(draft: Draft) -> Site:
    """A program that calls itself HTML."""
    return _one_bad_page(draft, Answer(body=b"\x7fELF\x02\x01\x00" + zlib.compress(b"Acme CRM") * 2000 + b" CRM \x00"))


def deep(draft: Draft) -> Site:
    """A page that ends in 200,000 nested elements, with a mention in front of them."""
    pages = draft.ordinary(3)
    nested = "<div>" * DEPTH
    draft.page("/deep", mentions=False, tail=f"{nested}<p>stone</p>")
    draft.put(draft.pages[f"{draft.host}/deep"], Zone.MAIN, stock().phrases[0])
    draft.link(pages[0], "/deep")
    return draft.site()


def many_links(draft: Draft) -> Site:
    """One page with 100,000 links to pages that say nothing."""
    pages = draft.ordinary(3)
    anchors = "\n".join(f'<a href="/n/{number}">{number}</a>' for number in range(MANY_LINKS))
    draft.page("/all", tail=anchors)
    draft.link(pages[0], "/all")

    def thin(request: Request) -> Page | None:
        if not request.target.startswith("/n/"):
            return None
        return Page(draft.host, request.target, draft.name, links=("/",), paragraphs=1)

    return draft.site(rule=thin, trap=True)


def after_the_end(draft: Draft) -> Site:
    """Invalid bytes, unclosed tags, and text behind </html>."""
    pages = draft.ordinary(2)
    crm = Phrase("CRM", {"CRM": 1})
    body = "<!doctype html><title>x</title><body><main><p>one <b>CRM</main></body></html><p>two CRM"
    draft.page("/tail", mentions=False)
    page = draft.pages[f"{draft.host}/tail"]
    draft.pages[page.key] = Page(
        page.host, page.target, page.domain, placements=(Placement(Zone.MAIN, crm), Placement(Zone.OTHER, crm))
    )
    raw = body.encode().replace(b"one", b"one \xff\xfe\x80 ")
    draft.answer("/tail", Answer(body=raw))
    draft.link(pages[0], "/tail")
    return draft.site()


def unresolved(draft: Draft) -> Site:
    """A name that no resolver knows (RFC 6761). To the web's own name server it is unknown, broken or slow, by its kind."""
    number = draft.name.removesuffix(".test").rpartition("-")[2]
    draft.name = draft.host = f"{draft.kind.removesuffix('-name')}-{number}.invalid"
    return draft.site(Outcome(Ending.FAILED, "dns"))


def closed_port(draft: Draft) -> Site:
    """A name whose address has no listener."""
    return draft.site(Outcome(Ending.FAILED, "refused"), resolve={draft.name: "127.1.0.1:9"})


def bomb_blocks() -> tuple[bytes, bytes]:
    """The beginning of a gzip stream, and a block that may follow it any number of times."""
    return GZIP_HEAD + _block(_cut_body()), _block(b" " * MEGABYTE)


def _block(data: bytes) -> bytes:
    """A full flush forgets what came before, so such blocks can stand in any order."""
    press = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return press.compress(data) + press.flush(zlib.Z_FULL_FLUSH)


def _cut_body() -> bytes:
    mention = b"<!doctype html><title>Acme CRM</title><body><h1>Acme CRM</h1><p>CRM</p>"
    return mention + b"<p>river stone bridge</p>" * 200


def _one_bad_page(draft: Draft, answer: Answer) -> Site:
    pages = draft.ordinary(3)
    draft.page("/bad", reach=Reach.BROKEN)
    draft.answer("/bad", answer)
    draft.link(pages[0], "/bad")
    return draft.site()


KINDS = {
    "slow-headers": (slow_headers, 0),
    "drip": (drip, 0),
    "silent": (silent, 0),
    "endless": (endless, 0),
    "heavy": (heavy, 0),
    "bomb": (bomb, 0),
    "reset": (reset, 1),
    "short": (short, 1),
    "closing": (closing, 1),
    "binary": (binary, 1),
    "deep": (deep, 0),
    "many-links": (many_links, 0),
    "after-the-end": (after_the_end, 1),
    "unknown-name": (unresolved, 3),
    "broken-name": (unresolved, 0),
    "slow-name": (unresolved, 0),
    "closed-port": (closed_port, 1),
}
