"""A keyword: what the user wrote, and what of it is compared."""

import re
import unicodedata
from dataclasses import dataclass, field

from prospector.core.reading.folding import INVISIBLE, collapse, fold, unify
from prospector.core.reading.visible import ZERO_WIDTH_SPACE
from prospector.errors import InputInvalid

SHORT_LETTERS = 2
UNSEEN_ENDS = re.compile(f"^[{INVISIBLE} ]+|[{INVISIBLE} ]+$")


@dataclass(frozen=True)
class Keyword:
    """`text` is trimmed and collapsed, in the user's spelling, without what nobody sees at its ends. Two keywords with the same `key` are one."""

    text: str
    case_sensitive: bool = False
    label: str = ""
    folded: str = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        # which no text of a page has: there it is a soft break
        text = UNSEEN_ENDS.sub("", collapse(self.text.replace(ZERO_WIDTH_SPACE, "")))
        folded = (unify(text) if self.case_sensitive else fold(text)).text.strip(" ")
        if not folded:
            raise InputInvalid(f"The keyword {self.text!r} is empty.", "Remove it, or write a word.")
        if not any(is_letter_or_digit(one) for one in folded):
            raise InputInvalid(f"The keyword {text!r} has no letter and no digit.", "Remove it, or write a word.")
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "folded", folded)

    @property
    def key(self) -> tuple[str, bool]:
        return self.folded, self.case_sensitive

    @property
    def is_short(self) -> bool:
        """So short that it will be met in many senses: the user is warned."""
        return sum(map(is_letter_or_digit, self.folded)) <= SHORT_LETTERS


def is_letter_or_digit(one: str) -> bool:
    return unicodedata.category(one)[0] in "LN"
