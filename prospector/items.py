"""What spiders yield."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from prospector.core.reading.linking import Linking
from prospector.core.reading.page import Page
from prospector.core.reading.traits import PageKind
from prospector.core.visits.ticket import Found, Ticket
from prospector.core.visits.visit import Conclusion
from prospector.core.words.match import Mention


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
