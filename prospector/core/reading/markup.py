"""What each HTML element means for the text around it: the lists of docs/matching.md, and the marks that stand for them.

A document is read as a string of text with marks in it. They are control characters, which no page has a use for: one
that contains them loses them before any mark is set. ASCII, because a string with one other character in it takes twice the
memory, and twice the time of everything that is done with it.
"""

import re

from prospector.core.reading.zones import Zone


def names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


BLOCKS = names(
    "address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption"
    " figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html img input label legend li main menu nav ol optgroup"
    " option p pre search section summary table tbody td tfoot th thead title tr ul"
)
# their text is not shown; the last three and `title` by every browser's own style sheet
UNSEEN = names(
    "script style template noscript iframe object canvas audio video svg select datalist textarea rt rp"
    " title noembed noframes"
)
# their content is not markup, so a serialised document cannot be cut at its tags before they are out
RAW = names("script style noscript iframe noembed noframes template xmp plaintext")
SHOWN_RAW = frozenset(["xmp", "plaintext"])

HARD = "\x01"  # a hard break
UNSEEN_START = "\x02"
UNSEEN_END = "\x03"
# the others have no width, and are cut out all at once: what kind of mark it is says the character that follows
EDGE = "\x04"
SOFT = f"{EDGE}~"  # a soft break
LINK_START = f"{EDGE}["
LINK_END = f"{EDGE}]"
ZONE_END = f"{EDGE}/"
ZONE_STARTS = {zone: f"{EDGE}{chr(ord('A') + place)}" for place, zone in enumerate(Zone)}
ZONES = {mark[-1]: zone for zone, mark in ZONE_STARTS.items()}
CHARACTERS = (HARD, UNSEEN_START, UNSEEN_END, EDGE)
MARK = re.compile(f"{EDGE}.|[{HARD}{UNSEEN_START}{UNSEEN_END}]")

HEADINGS = ("h2", "h3", "h4", "h5", "h6")
ZONE_OF = {
    "h1": Zone.H1,
    **dict.fromkeys(HEADINGS, Zone.HEADING),
    "main": Zone.MAIN,
    **dict.fromkeys(("ul", "ol", "dl", "menu", "dir"), Zone.LIST),
    "table": Zone.TABLE,
    **{zone.value: zone for zone in (Zone.NAV, Zone.HEADER, Zone.FOOTER, Zone.ASIDE)},
}


def gone(tag: str) -> str:
    """What an element leaves behind that is not shown."""
    return HARD if tag in BLOCKS else SOFT


def _tag_marks() -> dict[str, str]:
    marks = {"br": " ", "a": LINK_START, "/a": LINK_END, "area": LINK_START + LINK_END}
    for tag in ("sup", "sub"):
        marks[tag] = marks[f"/{tag}"] = SOFT
    for tag in BLOCKS:
        marks[tag] = marks[f"/{tag}"] = HARD
    for tag, zone in ZONE_OF.items():
        marks[tag] = HARD + ZONE_STARTS[zone]
        marks[f"/{tag}"] = ZONE_END + HARD
    for tag in UNSEEN:
        marks[tag] = UNSEEN_START
        marks[f"/{tag}"] = UNSEEN_END + gone(tag)
    return marks


class Marks(dict[str, str]):
    """The mark of each tag, `p` or `/p`. Most other tags have none."""

    def __missing__(self, tag: str) -> str:
        return ""


MARKS = Marks(_tag_marks())
