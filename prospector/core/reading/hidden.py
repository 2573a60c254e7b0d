"""Which elements a browser without external style sheets does not show, and which hold the comments of visitors."""

import re
from collections.abc import Mapping
from functools import lru_cache

from prospector.core.reading.markup import names

DISPLAY = re.compile(r"(?:^|[;\s])display\s*:\s*([a-z-]+)")
VISIBILITY = re.compile(r"(?:^|[;\s])visibility\s*:\s*([a-z-]+)")
COMMENT_NAMES = names(
    "comment comments commentlist comment-list comments-list comment-body comment-content comment-text comments-area"
    " comment-section comments-section comment-thread comments-wrapper disqus_thread"
)
KNOWN = 64  # styles and names of classes: where a page has 100,000 of them, they are alike
COMMENT_TAGS = names("article aside div dl li ol section ul")


def is_hidden(tag: str, attributes: Mapping[str, str | None]) -> bool:
    if "hidden" in attributes and (attributes["hidden"] or "").strip().lower() != "until-found":
        return True
    if "popover" in attributes or (tag == "dialog" and "open" not in attributes):
        return True
    return hides(attributes.get("style") or "")


@lru_cache(KNOWN)
def hides(style: str) -> bool:
    """The last declaration of a property is the one in force."""
    style = style.lower()
    if "none" in style and DISPLAY.findall(style)[-1:] == ["none"]:
        return True
    return "hidden" in style and VISIBILITY.findall(style)[-1:] == ["hidden"]


def holds_comments(tag: str, attributes: Mapping[str, str | None]) -> bool:
    return tag in COMMENT_TAGS and _names_comments(f"{attributes.get('id') or ''} {attributes.get('class') or ''}")


@lru_cache(KNOWN)
def _names_comments(names: str) -> bool:
    return any(
        name in COMMENT_NAMES or (name.startswith("comment-") and name[8:].isdigit()) for name in names.lower().split()
    )
