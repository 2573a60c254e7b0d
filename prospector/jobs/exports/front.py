"""The first and the last sheet of the workbook: what came of it, and what was asked."""

from collections.abc import Iterator, Sequence
from typing import Any

from prospector import __version__
from prospector.core.job.spec import spec_from
from prospector.core.results.cells import excel_text
from prospector.core.words.near import nearest
from prospector.jobs.exports.sheet import Formats
from prospector.jobs.exports.tally import Summary, shown_keywords

DEEPER = "    "
# of each option of a job: its name for people, and what its absence means
SPEC = {
    "mode": ("Mode", ""),
    "threshold_pages": ("A site is not read whole above (pages)", ""),
    "top_pages": ("Of such a site are read (pages)", ""),
    "max_pages": ("Most pages of a domain", "no limit"),
    "max_minutes": ("Most minutes for a domain", ""),
    "max_hours": ("Most hours for the job", ""),
    "context_characters": ("Context on each side (characters)", ""),
    "client_domains": ("Client domains", "none: links to you are not looked for"),
    "competitor_domains": ("Competitor domains", "none"),
    "metric_column": ("Metric column of the score", "none"),
    "languages": ("Languages wanted", "all"),
}
NUMBERS = frozenset(["Count", "Mentions", "Pages", "Sites", "Domains"])


class Lines:
    """A sheet of labels and values, from the top down."""

    def __init__(self, page: Any, formats: Formats) -> None:
        self._page, self._formats = page, formats
        self.row = 0

    def title(self, text: str) -> None:
        self._page.set_row(self.row, 26)
        self._page.write_string(self.row, 0, excel_text(text), self._formats.title)
        self.row += 1

    def head(self, *texts: str) -> None:
        self.row += 1
        for column, text in enumerate(texts):
            beside = self._formats.head_beside if column else self._formats.head
            look = self._formats.head_right if text in NUMBERS else beside
            self._page.write_string(self.row, column, excel_text(text), look)
        self.row += 1

    def words(self, text: str) -> None:
        self._page.write_string(self.row, 0, excel_text(text), self._formats.quiet)
        self.row += 1

    def line(self, label: str, *values: object) -> None:
        self._page.write_string(self.row, 0, excel_text(label))
        for column, value in enumerate(values, 1):
            if isinstance(value, int | float):
                look = self._formats.money if isinstance(value, float) else self._formats.whole
                self._page.write_number(self.row, column, value, look)
            elif value:
                self._page.write_string(self.row, column, excel_text(str(value)), self._formats.beside)
        self.row += 1


def write_summary(page: Any, formats: Formats, summary: Summary, remarks: Sequence[str]) -> None:
    page.set_column(0, 0, 46)
    page.set_column(1, 4, 16)
    page.set_column(5, 5, 50)
    lines = Lines(page, formats)
    lines.title(summary.headline)
    lines.words(f"{summary.job.name} · job {summary.job.id} · as of {summary.taken_at:%Y-%m-%d %H:%M} UTC")
    for note in summary.notes:
        lines.words(note)
    lines.head("What became of your list", "Count")
    first = lines.row
    for one in summary.sum.lines():
        lines.line(DEEPER * one.level + one.name, one.count)
    page.conditional_format(first, 1, lines.row - 1, 1, {"type": "data_bar", "bar_color": "#9CC3DD"})
    _costs(lines, summary)
    _keywords(lines, summary)
    if summary.tally.failures:
        lines.head("Why domains failed", "Domains")
        for reason, count in summary.tally.failures.most_common(20):
            lines.line(reason, count)
    lines.head("About this workbook")
    for remark in [*remarks, f"Check for duplicates of domain, address and keyword: {summary.tally.duplicate_rows}."]:
        lines.words(remark)
    page.set_portrait()
    page.fit_to_pages(1, 0)
    page.activate()


def _costs(lines: Lines, summary: Summary) -> None:
    tally = summary.tally
    lines.head("Cost and work", "Count")
    lines.line("ScrapingBee credits used", tally.used_credits)
    lines.line("Estimated cost (US dollars)", float(summary.used_dollars))
    lines.line("Pages settled", tally.pages)
    for method, count in tally.requests.items():
        lines.line(f"Requests: {method}", count)


def _keywords(lines: Lines, summary: Summary) -> None:
    lines.head("Keyword", "Mentions", "Pages", "Sites", "Label", "Near spellings seen (not counted)")
    for keyword, name, count in zip(
        summary.keywords, shown_keywords(summary.keywords), summary.tally.keywords, strict=True
    ):
        near = ", ".join(
            f"{spelling} ({domains:,} domains)" for spelling, domains in nearest(keyword.keyword, summary.spellings)
        )
        lines.line(name, count.mentions, count.pages, count.sites, keyword.label, near)


def write_settings(page: Any, formats: Formats, summary: Summary) -> None:
    page.set_column(0, 0, 34)
    page.set_column(1, 1, 90)
    lines = Lines(page, formats)
    lines.title("Settings of this job")
    lines.head("Setting", "Value")
    for name, value in settings(summary):
        lines.line(name, value)


def settings(summary: Summary) -> Iterator[tuple[str, str]]:
    job = summary.job
    yield "Name", job.name
    yield "Job", job.id
    yield "State", f"{job.state}: {job.reason}"
    yield "Created (UTC)", f"{job.created_at:%Y-%m-%d %H:%M}"
    if job.started_at:
        yield "Started (UTC)", f"{job.started_at:%Y-%m-%d %H:%M}"
    if job.left_running_at:
        yield "Left running (UTC)", f"{job.left_running_at:%Y-%m-%d %H:%M}"
    yield "Budget", f"{job.max_credits:,} credits"
    for name, value in spec_from(job.spec).stored().items():
        shown = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value or "")
        label, if_none = SPEC[name]
        yield label, shown or if_none
    yield "Keywords", ", ".join(shown_keywords(summary.keywords))
    yield "Made by", f"Prospector {__version__}"
