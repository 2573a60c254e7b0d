"""The HTML of a planned page: what was placed goes where it was placed, between filler text."""

from html import escape
from random import Random

from prospector.demo.web.prose import Language, languages, sentence
from prospector.demo.web.site import Declared, Page, Zone

CODECS = {"windows-874": "cp874", "utf-16": "utf-16-le"}
MARKS = {"utf-8": b"\xef\xbb\xbf", "utf-16": b"\xff\xfe"}
SHELL = '<script src="/app.js"></script><noscript>Please enable JavaScript.</noscript>'


def encoded(page: Page, *, rendered: bool) -> bytes:
    """The bytes of the page; `rendered`: as a browser would have it after running its scripts."""
    text = shell(page) if page.root and not rendered else document(page)
    raw = text.encode(CODECS.get(page.charset, page.charset), "xmlcharrefreplace")
    return MARKS[page.charset] + raw if page.declared is Declared.MARK else raw


def media(page: Page) -> str:
    return f"text/html; charset={page.charset}" if page.declared is Declared.HEADER else "text/html"


def shell(page: Page) -> str:
    return f'{_opening(page, "App")}<body><div id="{page.root}"></div>{SHELL}</body></html>'


def document(page: Page) -> str:
    language = languages()[page.language]
    rng = Random(page.key)  # noqa: S311  # text, not a secret
    placed: dict[Zone, list[str]] = {zone: [] for zone in Zone}
    for placement in page.placements:
        text = placement.phrase.html if placement.block else _amid(language, rng, placement.phrase.html)
        placed[placement.zone].append(text)
    title = " - ".join([sentence(language, rng, 3), *placed[Zone.TITLE]])
    return "".join(
        (
            _opening(page, title),
            "<body>",
            _header(page, language, rng, placed),
            _main(page, language, rng, placed),
            _margins(language, rng, placed),
            page.tail,
            "</body></html>",
        )
    )


def _opening(page: Page, title: str) -> str:
    meta = f'<meta charset="{page.charset}">' if page.declared is Declared.META else ""
    return (
        f'<!doctype html><html lang="{page.language}"><head>{meta}<title>{title}</title>'
        f'<meta name="viewport" content="width=device-width">{page.head}</head>'
    )


def _header(page: Page, language: Language, rng: Random, placed: dict[Zone, list[str]]) -> str:
    anchors = "\n".join(f'<a href="{escape(href)}">{sentence(language, rng, 2)}</a>' for href in page.links)
    nav = " | ".join(placed[Zone.NAV])
    return f"<header>{_each('p', placed[Zone.HEADER])}<nav>{anchors} {nav}</nav></header>"


def _main(page: Page, language: Language, rng: Random, placed: dict[Zone, list[str]]) -> str:
    bodies = [*placed[Zone.MAIN], *page.decoys]
    rng.shuffle(bodies)
    paragraphs = [f"<p>{rng.choice(language.paragraphs)}</p>" for _ in range(page.paragraphs)]
    for body in bodies:
        paragraphs.insert(rng.randint(0, len(paragraphs)), body if body.startswith("<") else f"<p>{body}</p>")
    links = "".join(
        f'<p>{sentence(language, rng, 4)} <a href="{escape(link.href)}"{_rel(link.rel)}>{escape(link.anchor)}</a></p>'
        for link in page.backlinks
    )
    return (
        f"<main><h1>{' '.join([sentence(language, rng, 4), *placed[Zone.H1]])}</h1>"
        f"{''.join(paragraphs)}{_each('h2', placed[Zone.HEADING])}{links}"
        f"{_wrapped('ul', 'li', placed[Zone.LIST])}{_rows(placed[Zone.TABLE])}"
        f"{_comments(placed[Zone.COMMENT])}</main>"
    )


def _margins(language: Language, rng: Random, placed: dict[Zone, list[str]]) -> str:
    aside = f"<aside>{_each('p', placed[Zone.ASIDE])}</aside>" if placed[Zone.ASIDE] else ""
    return f"{aside}<footer><p>{sentence(language, rng)}</p>{_each('p', placed[Zone.FOOTER])}</footer>"


def _amid(language: Language, rng: Random, html: str) -> str:
    return language.gap.join((sentence(language, rng, 3), html, sentence(language, rng, 3)))


def _each(tag: str, texts: list[str]) -> str:
    return "".join(f"<{tag}>{text}</{tag}>" for text in texts)


def _wrapped(outer: str, inner: str, texts: list[str]) -> str:
    return f"<{outer}>{_each(inner, texts)}</{outer}>" if texts else ""


def _rows(texts: list[str]) -> str:
    return f"<table>{''.join(f'<tr><td>{text}</td><td>1</td></tr>' for text in texts)}</table>" if texts else ""


def _comments(texts: list[str]) -> str:
    return f'<section id="comments" class="comments">{_each("p", texts)}</section>' if texts else ""


def _rel(rel: str) -> str:
    return f' rel="{rel}"' if rel else ""
