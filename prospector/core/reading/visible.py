"""From marked text to what a reader sees: text with hard breaks in it, and where soft breaks, zones and links are."""

import re
from bisect import bisect_right
from dataclasses import dataclass

from prospector.core.reading.folding import collapse
from prospector.core.reading.markup import (
    EDGE,
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
from prospector.core.reading.zones import Zone

CHARACTERS_AT_MOST = 500_000  # of visible text: a book of 300 pages
MARKS_AT_MOST = 150_000  # in it; a zero-width space is one
BREAK = "\n"  # a hard break; all other white space is one space
ZERO_WIDTH_SPACE = "\u200b"
LINK_EDGE = re.compile(f"{re.escape(LINK_START)}|{re.escape(LINK_END)}")
# the kinds of marks, as they follow an edge
SOFT_BREAK, LINK_STARTS, LINK_ENDS, ZONE_ENDS = (mark[-1] for mark in (SOFT, LINK_START, LINK_END, ZONE_END))
# a list or a table is part of a menu or of a footer, not the other way round
FURNITURE = frozenset([Zone.NAV, Zone.HEADER, Zone.FOOTER, Zone.ASIDE, Zone.COMMENT])
FORMS = frozenset([Zone.LIST, Zone.TABLE])


@dataclass(frozen=True, slots=True)
class Visible:
    """Positions are in `text`. A link's text goes from its start to its end."""

    text: str
    soft_breaks: list[int]
    zone_starts: list[int]
    zones: list[Zone]
    link_starts: list[int]
    link_ends: list[int]
    truncated: bool

    def zone_at(self, at: int) -> Zone:
        return self.zones[bisect_right(self.zone_starts, at) - 1]

    def link_at(self, start: int, end: int) -> str:
        """The text of the link that this stretch lies in; '' if in none."""
        number = bisect_right(self.link_starts, start) - 1
        if number < 0 or self.link_ends[number] < end:
            return ""
        return self.link_text(number)

    def link_text(self, number: int) -> str:
        return self.text[self.link_starts[number] : self.link_ends[number]].replace(BREAK, " ").strip(" ")


def linearise(title: str, marked: str) -> Visible:
    marked = f"{ZONE_STARTS[Zone.TITLE]}{collapse(title)}{ZONE_END}{HARD}{marked}"
    if UNSEEN_START in marked:
        marked = _without_unseen(marked)
    if ZERO_WIDTH_SPACE in marked:
        marked = marked.replace(ZERO_WIDTH_SPACE, SOFT)
    pieces = collapse(marked).split(EDGE, MARKS_AT_MOST)
    return _read(pieces[:MARKS_AT_MOST], truncated=len(pieces) > MARKS_AT_MOST)


def _without_unseen(marked: str) -> str:
    """The links of a menu that opens on a click are hidden text, but links."""
    shown = []
    depth = 0
    for start, started in enumerate(marked.split(UNSEEN_START)):
        depth += start > 0
        for end, piece in enumerate(started.split(UNSEEN_END)):
            depth = max(0, depth - (end > 0))
            if not depth:
                shown.append(piece)
            elif EDGE in piece:
                shown += LINK_EDGE.findall(piece)
    return "".join(shown)


def _read(pieces: list[str], *, truncated: bool) -> Visible:
    """Each of `pieces` but the first is a kind of mark and the text after it. One loop, nearly without calls: it runs some
    hundred times a page."""
    shown = []
    soft_breaks = []
    zones = _Zones()
    link_starts: list[int] = []
    link_ends: list[int] = []
    is_in_link = False
    at = 0
    spaced = False
    for piece in pieces[1:]:
        mark = piece[0]
        if mark == SOFT_BREAK:
            soft_breaks.append(at)
        elif mark == LINK_STARTS:
            link_starts.append(at)
            link_ends.append(at)
            is_in_link = True
        elif mark == LINK_ENDS:
            if is_in_link:
                link_ends[-1] = at
                is_in_link = False
        else:
            zones.change(mark, at)
        if text := piece[2:] if spaced and piece[1:2] == " " else piece[1:]:  # around a mark, one space of two
            spaced = text[-1] == " "
            shown.append(text)
            at += len(text)
    text = "".join(shown).replace(HARD, BREAK)
    return Visible(
        text[:CHARACTERS_AT_MOST],
        soft_breaks,
        zones.starts,
        zones.settled(),
        link_starts,
        link_ends,
        truncated=truncated or len(text) > CHARACTERS_AT_MOST,
    )


class _Zones:
    """The zones that are open, and each change with its place; None is what is in no zone."""

    def __init__(self) -> None:
        self.open: list[Zone | None] = [None]
        self.starts = [0]
        self.zones: list[Zone | None] = [None]

    def change(self, mark: str, at: int) -> None:
        if mark != ZONE_ENDS:
            around = self.open[-1]
            zone = ZONES[mark]
            self.open.append(around if zone in FORMS and around in FURNITURE else zone)
        elif len(self.open) > 1:
            self.open.pop()
        self.starts.append(at)
        self.zones.append(self.open[-1])

    def settled(self) -> list[Zone]:
        """Where no part of a page says that it is the main one, all is main that is in no other zone."""
        ground = Zone.OTHER if Zone.MAIN in self.zones else Zone.MAIN
        return [zone or ground for zone in self.zones]
