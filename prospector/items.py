"""What spiders yield."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from prospector.core.linking import Linking
from prospector.core.match import Mention
from prospector.core.outcomes import PageKind
from prospector.core.page import Page
from prospector.core.ticket import Found, Ticket
from prospector.core.visit import Conclusion


@dataclass
class PageItem:
    """One page after its last fetch. `found`: pages of the same domain that it names, `site_pages` how many pages
    its site says it has. The last four are filled in by the `match` pipeline."""

    ticket: Ticket
    url: str
    status: int | None
    at: datetime
    conclusion: Conclusion
    page: Page | None = None
    found: Sequence[Found] = ()
    site_pages: int = 0
    homepage: bool = False
    bad_certificate: bool = False
    mentions: Sequence[Mention] = ()
    spellings: Sequence[str] = ()
    linking: Linking | None = None
    kind: PageKind | None = None
