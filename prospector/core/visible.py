"""From marked text to what a reader sees: text with hard breaks in it, and where soft breaks, zones and links are."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from operator import itemgetter

from prospector.core.folding import collapse
from prospector.core.markup import (
    HARD,
    LINK_END,
    LINK_START,
    SOFT,
    UNSEEN_END,
    UNSEEN_START,
    ZONE_END,
    ZONE_STARTS,
    ZONES,
)
from prospector.core.zones import Zone

CHARACTERS_AT_MOST = 500_000  # of visible text: a book of 300 pages
BREAK = "\n"  # a hard break; all other white space is one space
ZERO_WIDTH_SPACE = "\u200b"
UNSEEN_EDGE = re.compile(f"([{UNSEEN_START}{UNSEEN_END}])")
WIDTHLESS = re.compile(f"([{SOFT}{LINK_START}{LINK_END}{ZONE_END}{''.join(ZONES)}])")
LINK_EDGE = re.compile(f"[{LINK_START}{LINK_END}]")
# a list or a table is part of a menu or of a footer, not the other way round
FURNITURE = frozenset([Zone.NAV, Zone.HEADER, Zone.FOOTER, Zone.ASIDE, Zone.COMMENT])
FORMS = frozenset([Zone.LIST, Zone.TABLE])


@dataclass(frozen=True, slots=True)
class Visible:
    """Positions are in `text`. `links` has the start and the end of each link's text."""

    text: str
    soft_breaks: list[int]
    zone_starts: list[int]
    zones: list[Zone]
    links: list[tuple[int, int]]
    truncated: bool

    def zone_at(self, at: int) -> Zone:
        return self.zones[bisect_right(self.zone_starts, at) - 1]

    def link_at(self, place: tuple[int, int]) -> str:
        """The text of the link that a place, its start and its end, lies in; '' if in none."""
        number = bisect_right(self.links, place[0], key=itemgetter(0)) - 1
        if number < 0 or self.links[number][1] < place[1]:
            return ""
        start, end = self.links[number]
        return self.text[start:end].replace(BREAK, " ").strip(" ")


def linearise(title: str, marked: str) -> Visible:
    marked = f"{ZONE_STARTS[Zone.TITLE]}{collapse(title)}{ZONE_END}{HARD}{marked}"
    if UNSEEN_START in marked:
        marked = _without_unseen(marked)
    if ZERO_WIDTH_SPACE in marked:
        marked = marked.replace(ZERO_WIDTH_SPACE, SOFT)
    ground = Zone.OTHER if ZONE_STARTS[Zone.MAIN] in marked else Zone.MAIN
    return _read(WIDTHLESS.split(collapse(marked)), ground)


def _without_unseen(marked: str) -> str:
    """The links of a menu that opens on a click are hidden text, but links."""
    shown = []
    depth = 0
    for piece in UNSEEN_EDGE.split(marked):
        if piece == UNSEEN_START:
            depth += 1
        elif piece == UNSEEN_END:
            depth = max(0, depth - 1)
        elif not depth:
            shown.append(piece)
        elif piece:
            shown += LINK_EDGE.findall(piece)
    return "".join(shown)


def _read(pieces: list[str], ground: Zone) -> Visible:
    """`pieces` are text and mark in turn. One loop without calls: it runs some hundred times a page."""
    shown = []
    soft_breaks = []
    zones = _Zones(ground)
    links: list[tuple[int, int]] = []
    link_start = -1
    at = 0
    spaced = False
    for text, mark in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        if text:
            if spaced and text[0] == " ":
                text = text[1:]  # noqa: PLW2901  # white space on both sides of a mark is one space
            if text:
                spaced = text[-1] == " "
                shown.append(text)
                at += len(text)
        if mark == SOFT:
            soft_breaks.append(at)
        elif mark == LINK_START:
            link_start = len(links)
            links.append((at, at))
        elif mark == LINK_END:
            if link_start >= 0:
                links[link_start] = (links[link_start][0], at)
                link_start = -1
        elif mark:
            zones.change(mark, at)
    text = "".join(shown).replace(HARD, BREAK)
    return Visible(
        text[:CHARACTERS_AT_MOST], soft_breaks, zones.starts, zones.zones, links, len(text) > CHARACTERS_AT_MOST
    )


class _Zones:
    """The zones that are open, and each change with its place."""

    def __init__(self, ground: Zone) -> None:
        self.open = [ground]
        self.starts = [0]
        self.zones = [ground]

    def change(self, mark: str, at: int) -> None:
        if mark != ZONE_END:
            around = self.open[-1]
            zone = ZONES[mark]
            self.open.append(around if zone in FORMS and around in FURNITURE else zone)
        elif len(self.open) > 1:
            self.open.pop()
        self.starts.append(at)
        self.zones.append(self.open[-1])
