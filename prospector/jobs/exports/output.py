"""A file that is being made: told of every mention, every site, and the end."""

from collections.abc import Iterable
from datetime import datetime

from prospector.blobs import Writer
from prospector.core.results.findings import Mention
from prospector.jobs.exports.prospect import Prospect
from prospector.jobs.exports.tally import Summary
from prospector.store.results import Issue, PageTrouble, SiteRow

PIECES = 500  # a few hundred kilobytes


class Output:
    """What a kind of file does not need, it leaves as it is. `rows` counts the lines of data."""

    rows = 0

    def mention(self, site: SiteRow, one: Mention) -> None:
        """In the order of domain, keyword, address."""

    def site(self, site: SiteRow, prospect: Prospect) -> None:
        """After its mentions, in the order of the list."""

    def trouble(self, one: PageTrouble) -> None:
        """After all sites."""

    def issue(self, one: Issue) -> None:
        """After all sites, in the order of the list."""

    def end(self, summary: Summary, prospects: Iterable[Prospect]) -> None:
        """All is told: after it the writer may be committed."""

    def close(self) -> None:
        """The last call, whatever happened: lets go of what only this file needed."""


class Text:
    """Text on its way to a writer, in pieces worth sending."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._pieces: list[str] = []

    def write(self, text: str) -> None:
        self._pieces.append(text)
        if len(self._pieces) == PIECES:
            self.flush()

    def flush(self) -> None:
        self._writer.write("".join(self._pieces).encode("utf-8", "replace"))
        self._pieces.clear()


def stamp(moment: datetime) -> str:
    """ISO 8601 of a moment that Postgres gave in UTC: three times as fast as strftime."""
    return moment.isoformat()[:19] + "Z"
