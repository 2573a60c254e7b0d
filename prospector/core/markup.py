"""What each HTML element means for the text around it: the lists of docs/matching.md, and the marks that stand for them.

A document is read as a string of text with marks in it. The marks are Unicode noncharacters: no page may contain them,
and one that does loses them before any mark is set.
"""

import re

from prospector.core.zones import Zone


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

HARD = "\ufdd0"  # a hard break
SOFT = "\ufdd1"  # a soft break
UNSEEN_START = "\ufdd2"
UNSEEN_END = "\ufdd3"
LINK_START = "\ufdd4"
LINK_END = "\ufdd5"
ZONE_END = "\ufdd6"
ZONE_STARTS = {zone: chr(0xFDD7 + place) for place, zone in enumerate(Zone)}
ZONES = {mark: zone for zone, mark in ZONE_STARTS.items()}
FOREIGN = re.compile("[\ufdd0-\ufdef]")

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
