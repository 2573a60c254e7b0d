"""Where on a page something stands: the innermost zone wins."""

from enum import StrEnum


class Zone(StrEnum):
    TITLE = "title"
    H1 = "h1"
    HEADING = "heading"
    MAIN = "main"
    LIST = "list"
    TABLE = "table"
    COMMENT = "comment"
    NAV = "nav"
    HEADER = "header"
    FOOTER = "footer"
    ASIDE = "aside"
    OTHER = "other"
