"""results.xlsx: the whole job as a spreadsheet, in constant memory; addresses and formulas are text."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import xlsxwriter

from prospector.blobs import Writer
from prospector.core.lists.metric import Standing
from prospector.core.reading.link_words import LINKING, page_link_words
from prospector.core.reading.traits import PageFlag
from prospector.core.results.findings import Mention
from prospector.core.results.remedies import remedy
from prospector.core.results.score import Verdict
from prospector.core.visits.outcomes import DomainState
from prospector.jobs.exports.csv_files import lost_page, no_failure, retries
from prospector.jobs.exports.front import write_settings, write_summary
from prospector.jobs.exports.output import Output
from prospector.jobs.exports.prospect import Prospect
from prospector.jobs.exports.sheet import MOST_ROWS, Column, Formats, Kind, Sheet, plain_number
from prospector.jobs.exports.tally import Summary
from prospector.store.jobs import Keyword
from prospector.store.results import Issue, PageTrouble, SiteRow

COPY_BYTES = 2**20
NUMBER, MOMENT = Kind.NUMBER, Kind.MOMENT
OPPORTUNITIES = (
    Column("Domain", 28),
    Column("Verdict", 12),
    Column("Score", 8, NUMBER),
    Column("Why", 70),
    Column("Not qualified because", 34),
    Column("Page", 50),
    Column("Page title", 40),
    Column("Keyword", 20),
    Column("Where", 10),
    Column("Context", 80),
    Column("Link to you", 24),
    Column("Dead address of yours", 50),  # a site with a link that is not dead is on another sheet
    Column("Anchor", 30),
    Column("Page that links", 50),
    Column("Mentions", 10, NUMBER),
    Column("Pages", 8, NUMBER),
    Column("Keywords", 30),
    Column("Kind of page", 13),
    Column("Language", 10),
    Column("Contact page", 40),
    Column("Pages read", 11, NUMBER),
    Column("Row in your list", 15, NUMBER),
)
MENTIONS = (
    Column("Domain", 28),
    Column("Page", 50),
    Column("Keyword", 20),
    Column("Frequency", 11, NUMBER),
    Column("Context", 80),
    Column("Where", 10),
    Column("Link to you", 24),
    Column("Anchor", 20),
    Column("Label", 12),
    Column("Page title", 40),
    Column("Method", 20),
    Column("Crawled at (UTC)", 20, MOMENT),
    Column("HTTP status", 12, NUMBER),
)
LINKS = (
    Column("Domain", 28),
    Column("Link", 24),
    Column("Page that links", 50),
    Column("Anchor", 30),
    Column("Links to", 50),
    Column("Page with the best mention", 50),
    Column("Keyword", 20),
    Column("Context", 80),
    Column("Row in your list", 15, NUMBER),
)
FAILED = (
    Column("Domain", 28),
    Column("Reason", 44),
    Column("What you can do", 70),
    Column("HTTP status", 12, NUMBER),
    Column("Retries", 9, NUMBER),
    Column("Last attempt (UTC)", 20, MOMENT),
    Column("Row in your list", 15, NUMBER),
)
ISSUES = (Column("Row", 8, NUMBER), Column("What", 12), Column("Value", 44), Column("Reason", 70))
SHOWN = frozenset([Verdict.QUALIFIED, Verdict.REVIEW, Verdict.REJECTED, Verdict.MENUS_ONLY])


def own_columns(names: Sequence[str], metric: Standing | None) -> list[Column]:
    """Those of the user's file. By the metric people sort, so 72,1 and 12.5K are numbers there too."""
    numbers = {metric.name: metric.number} if metric else {}
    return [Column(name, 16, Kind.OWN, numbers.get(name, plain_number)) for name in names]


class Workbook(Output):
    def __init__(
        self,
        writer: Writer,
        folder: Path,
        keywords: Sequence[Keyword],
        names: Sequence[str],
        own: Sequence[Column],
        has_client: bool,
        most_rows: int = MOST_ROWS,
    ) -> None:
        self._writer, self._has_client = writer, has_client
        self._path = folder / "results.xlsx"
        self._book: Any = xlsxwriter.Workbook(
            str(self._path), {"constant_memory": True, "tmpdir": str(folder), "strings_to_urls": False}
        )
        self._keywords, self._names, self._own = keywords, names, [one.title for one in own]
        self._formats = Formats.of(self._book)
        self._summary = self._book.add_worksheet("Summary")
        self._opportunities = self._sheet("Opportunities", [*OPPORTUNITIES, *own], most_rows)
        self._mentions = self._sheet("Mentions", MENTIONS, most_rows)
        self._links = self._sheet("Already linking", LINKS, most_rows)
        self._failed = self._sheet("Failed", FAILED, most_rows)
        self._issues = self._sheet("Input issues", ISSUES, most_rows)
        self._settings = self._book.add_worksheet("Settings")

    def _sheet(self, name: str, columns: Sequence[Column], most_rows: int) -> Sheet:
        return Sheet(self._book.add_worksheet, self._formats, name, columns, most_rows)

    @property
    def _sheets(self) -> list[Sheet]:
        return [self._opportunities, self._mentions, self._links, self._failed, self._issues]

    def mention(self, site: SiteRow, one: Mention) -> None:
        competitor = bool(one.flags & PageFlag.LINKS_TO_COMPETITOR)
        keyword = self._keywords[one.keyword]
        link = page_link_words(one.link if self._has_client else None, site.linking in LINKING, competitor)
        self._mentions.write((
            site.domain, one.url, self._names[one.keyword], one.frequency, one.snippet, one.zone, link, one.anchor,
            keyword.label, one.title, one.method, one.settled_at, one.status,
        ))  # fmt: skip

    def site(self, site: SiteRow, prospect: Prospect) -> None:
        if site.state is DomainState.FAILED:
            reason = site.reason or ""
            at, again = site.finished_at, retries(site.attempts)
            self._failed.write((site.domain, reason, remedy(reason), site.last_status, again, at, site.input_row))

    def trouble(self, one: PageTrouble) -> None:
        reason = lost_page(one)
        self._failed.write((one.domain, reason, "", one.status, retries(one.attempts), one.settled_at))

    def issue(self, one: Issue) -> None:
        self._issues.write((one.row, one.kind, one.value, one.reason))

    def end(self, summary: Summary, prospects: Iterable[Prospect]) -> None:
        for one in prospects:
            self._prospect(one)
        self._say_why_empty(summary)
        for sheet in self._sheets:
            sheet.finish()
        self.rows = sum(sheet.rows for sheet in self._sheets)
        write_summary(self._summary, self._formats, summary, self._remarks())
        write_settings(self._settings, self._formats, summary)
        self._book.close()
        with self._path.open("rb") as made:
            while data := made.read(COPY_BYTES):
                self._writer.write(data)
        self._path.unlink()

    def close(self) -> None:
        for page in self._book.worksheets():
            page.row_data_fh.close()  # xlsxwriter itself closes them only where the book is finished

    def _prospect(self, one: Prospect) -> None:
        if one.verdict in SHOWN:
            words = (one.domain, one.verdict, one.score, one.why, one.reason)
            best = (one.page, one.title, one.keyword, one.zone, one.context)
            link = (one.link, one.target, one.anchor, one.linking_page)
            counts = (one.mentions, one.pages_with_mentions, ", ".join(one.keywords))
            facts = (one.page_kind, one.language, one.contact_page, one.pages_read, one.input_row)
            self._opportunities.write([*words, *best, *link, *counts, *facts, *self._cells(one.cells)])
        elif one.verdict is Verdict.LINKING:
            linking = (one.domain, one.reason, one.linking_page, one.anchor, one.target)
            self._links.write((*linking, one.page, one.keyword, one.context, one.input_row))

    def _cells(self, cells: Mapping[str, str]) -> list[str]:
        return [cells.get(name) or "" for name in self._own]

    def _say_why_empty(self, summary: Summary) -> None:
        words = {
            self._opportunities: summary.nothing_found
            or ["No site mentions a keyword without linking to you already."],
            self._mentions: summary.nothing_found,
            self._links: ["No site with a mention links to you."],
            self._failed: [no_failure(summary)],
            self._issues: ["Every row of your list was used."],
        }
        for sheet, lines in words.items():
            if not sheet.rows:
                for line in lines:
                    sheet.say(line)

    def _remarks(self) -> list[str]:
        """What Excel's limits made us do."""
        remarks = [
            f"{sheet.names[0]} goes on in {', '.join(sheet.names[1:])}: Excel has no more than {MOST_ROWS:,} rows a sheet."
            for sheet in self._sheets
            if len(sheet.names) > 1
        ]
        if cut := sum(sheet.cut for sheet in self._sheets):
            remarks.append(
                f"{cut:,} cells were cut at 32,767 characters, Excel's limit. The csv and json files have all of it."
            )
        remarks.append("Addresses are text: Excel allows 65,530 links a sheet, and a click should be your choice.")
        return remarks
