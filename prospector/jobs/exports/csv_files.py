"""The csv files: one row a mention, one a site, one a failure, one a price."""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal

from prospector.blobs import Writer
from prospector.core.job.cost import dollars
from prospector.core.results.cells import csv_line, guarded, guarded_value
from prospector.core.results.findings import Mention
from prospector.core.visits.outcomes import DomainState, PageOutcome
from prospector.jobs.exports.output import Output, Text, stamp
from prospector.jobs.exports.prospect import Prospect
from prospector.jobs.exports.tally import Summary
from prospector.store.results import PageTrouble, SiteRow

BYTE_ORDER_MARK = "\ufeff"  # without it Excel reads UTF-8 as the code page of the country

RESULTS = ("domain", "url", "keyword", "frequency", "context_snippet", "crawl_method", "timestamp", "http_status")
ERRORS = ("domain", "failure_reason", "http_status", "retry_count", "last_attempt_timestamp")
COST = (
    "domain",
    "urls_crawled",
    "direct_requests",
    "scrapingbee_requests",
    "js_rendering_requests",
    "total_credits",
    "estimated_cost_usd",
)
PROSPECTS = (
    "domain",
    "verdict",
    "score",
    "why",
    "reason",
    "page",
    "page_title",
    "keyword",
    "zone",
    "context_snippet",
    "link_status",
    "linking_page",
    "link_anchor",
    "link_target",
    "mentions",
    "pages_with_mentions",
    "keywords",
    "page_kind",
    "language",
    "contact_page",
    "pages_read",
    "input_row",
)


class CsvFile(Output):
    """For people: byte order mark, CRLF, no formula. For machines (`raw`): none of that."""

    def __init__(self, writer: Writer, columns: Sequence[str], raw: bool) -> None:
        self._raw = raw
        self._safe: Callable[[str], str] = str if raw else guarded
        self._text = Text(writer)
        self._columns = columns
        self._line_end = "\n" if raw else "\r\n"
        if not raw:
            self._text.write(BYTE_ORDER_MARK)
        self._row([self._safe(name) for name in columns])

    def _write(self, row: Iterable[object]) -> None:
        self.rows += 1
        self._row(row)

    def _row(self, row: Iterable[object]) -> None:
        self._text.write(csv_line(row, self._line_end))

    def _say(self, lines: Iterable[str]) -> None:
        """A person who opens a file without rows is told why; a machine counts the rows itself."""
        if not self._raw:
            for line in lines:
                self._row([guarded(line), *[""] * (len(self._columns) - 1)])

    def end(self, summary: Summary, prospects: Iterable[Prospect]) -> None:
        self._text.flush()


class ResultsCsv(CsvFile):
    def __init__(self, writer: Writer, raw: bool, keywords: Sequence[str]) -> None:
        super().__init__(writer, RESULTS, raw)
        self._keywords = [self._safe(name) for name in keywords]

    def mention(self, site: SiteRow, one: Mention) -> None:
        safe = self._safe
        self._write((
            safe(site.domain), safe(one.url), self._keywords[one.keyword], one.frequency, safe(one.snippet), one.method,
            stamp(one.settled_at), one.status,
        ))  # fmt: skip

    def end(self, summary: Summary, prospects: Iterable[Prospect]) -> None:
        self._say(summary.nothing_found)
        super().end(summary, prospects)


class ProspectsCsv(CsvFile):
    """The user's own columns stand behind ours; one that has the name of ours is called `… (yours)`."""

    def __init__(self, writer: Writer, raw: bool, own_columns: Sequence[str]) -> None:
        super().__init__(writer, [*PROSPECTS, *map(_beside_ours, own_columns)], raw)
        self._own = own_columns

    def end(self, summary: Summary, prospects: Iterable[Prospect]) -> None:
        safe = self._safe
        for one in prospects:
            texts = map(safe, (one.why, one.reason, one.page, one.title, one.keyword, one.zone, one.context, one.link))
            links = map(safe, (one.linking_page, one.anchor, one.target))
            facts = (
                one.mentions,
                one.pages_with_mentions,
                safe(", ".join(one.keywords)),
                one.page_kind,
                safe(one.language),
            )
            ends = (safe(one.contact_page), one.pages_read, one.input_row)
            own = [self._own_value(one.cells.get(name) or "") for name in self._own]
            self._write([safe(one.domain), one.verdict, one.score, *texts, *links, *facts, *ends, *own])
        super().end(summary, prospects)

    def _own_value(self, cell: str) -> str:
        return cell if self._raw else guarded_value(cell)


def _beside_ours(name: str) -> str:
    return f"{name} (yours)" if name.strip().lower() in PROSPECTS else name


class ErrorsCsv(CsvFile):
    """Failed domains; then pages that were lost although their domain was not."""

    def __init__(self, writer: Writer, raw: bool) -> None:
        super().__init__(writer, ERRORS, raw)

    def site(self, site: SiteRow, prospect: Prospect) -> None:
        if site.state is DomainState.FAILED:
            at = stamp(site.finished_at) if site.finished_at else ""
            self._write(
                (self._safe(site.domain), self._safe(site.reason or ""), site.last_status, retries(site.attempts), at)
            )

    def trouble(self, one: PageTrouble) -> None:
        self._write(
            (
                self._safe(one.domain),
                self._safe(lost_page(one)),
                one.status,
                retries(one.attempts),
                stamp(one.settled_at),
            )
        )

    def end(self, summary: Summary, prospects: Iterable[Prospect]) -> None:
        if not self.rows:
            self._say([no_failure(summary)])
        super().end(summary, prospects)


def retries(attempts: int) -> int:
    return max(attempts - 1, 0)


def lost_page(one: PageTrouble) -> str:
    what = "killed its worker again and again" if one.outcome is PageOutcome.DEAD else "could not be stored"
    return f"page {one.url} {what}" + (f": {one.detail}" if one.detail else "")


def no_failure(summary: Summary) -> str:
    return f"No domain failed: {summary.sum.done:,} of {summary.sum.domains:,} are done."


class CostCsv(CsvFile):
    def __init__(self, writer: Writer, raw: bool, credit_price_usd: Decimal) -> None:
        super().__init__(writer, COST, raw)
        self._credit_price_usd = credit_price_usd

    def site(self, site: SiteRow, prospect: Prospect) -> None:
        requests = (site.direct_requests, site.standard_requests, site.js_requests)
        cost = dollars(site.used_credits, self._credit_price_usd)
        self._write((self._safe(site.domain), site.pages, *requests, site.used_credits, cost))
