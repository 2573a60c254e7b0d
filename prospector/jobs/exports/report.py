"""report.html: the job on one page for whoever pays for it. One file, no network, made to be read and to be printed."""

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from importlib.resources import files
from itertools import takewhile
from string import Template
from urllib.parse import unquote

from prospector import __version__
from prospector.blobs import Writer
from prospector.core.reading.folding import collapse, fold
from prospector.core.results.remedies import remedy
from prospector.core.results.score import Verdict
from prospector.core.results.sums import Line
from prospector.core.words.near import nearest
from prospector.jobs.exports.front import NUMBERS, settings
from prospector.jobs.exports.output import Output
from prospector.jobs.exports.prospect import Prospect
from prospector.jobs.exports.tally import CASE_SENSITIVE, Summary, shown_keywords

TOP = 50
MOST_FAILURES = 40
WORTH_READING = (Verdict.QUALIFIED, Verdict.REVIEW)
COLOURS = {Verdict.QUALIFIED: "good", Verdict.REVIEW: "look"}


class Report(Output):
    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def end(self, summary: Summary, prospects: Iterable[Prospect]) -> None:
        best = takewhile(lambda one: one.verdict in WORTH_READING, prospects)
        top = [one for one, _ in zip(best, range(TOP), strict=False)]
        self.rows = len(top)
        self._writer.write(page(summary, top).encode("utf-8", "replace"))


def page(summary: Summary, top: Sequence[Prospect]) -> str:
    job = summary.job
    template = Template((files(__package__) / "report.html").read_text(encoding="utf-8"))
    return template.substitute(
        title=escape(f"{job.name} · opportunities"),
        headline=escape(summary.headline),
        subtitle=escape(f"{job.name} · job {job.id} · as of {summary.taken_at:%Y-%m-%d %H:%M} UTC"),
        notes="".join(f'<p class="note">{escape(note)}</p>' for note in summary.notes),
        cards="".join(f'<div class="card"><b>{value}</b>{escape(name)}</div>' for name, value in _cards(summary)),
        sum="".join(_bar(line, summary.sum.rows) for line in summary.sum.lines()),
        top_title=f"The best {len(top)}" if len(top) > 1 else "The best",
        top=_top(top) if top else "<p>No site to contact was found.</p>",
        keywords=_table(
            ("Keyword", "Mentions", "Pages", "Sites", "Near spellings seen, not counted"), _keywords(summary)
        ),
        links=_links(summary),
        failures=_failures(summary),
        cost=_facts(_cost(summary)),
        settings=_facts(settings(summary)),
        footer=escape(
            f"Made by Prospector {__version__}. Each score is explained beside it; docs/exports.md says how it is made."
        ),
    )


def _cards(summary: Summary) -> Iterator[tuple[str, str]]:
    verdicts = summary.sum.verdicts
    yield "qualified", f"{verdicts.get(Verdict.QUALIFIED, 0):,}"
    yield "to review", f"{verdicts.get(Verdict.REVIEW, 0):,}"
    yield "already linking", f"{verdicts.get(Verdict.LINKING, 0):,}"
    yield f"of {summary.sum.domains:,} domains done", f"{summary.sum.done:,}"
    yield "credits used", f"{summary.tally.used_credits:,}"
    yield "estimated cost", f"${summary.used_dollars:,.2f}"


def _bar(line: Line, rows: int) -> str:
    share = 100 * line.count / rows if rows else 0
    colour = "none" if not line.count else COLOURS.get(Verdict(line.name), "") if line.level == len(COLOURS) + 1 else ""
    return (
        f'<span class="l{line.level}">{escape(line.name)}</span><span class="n">{line.count:,}</span>'
        f'<div class="bar {colour}" style="width:{share:.2f}%"></div>'
    )


def _top(top: Sequence[Prospect]) -> str:
    rows = "".join(
        f'<tr><td class="n score {one.verdict}">{one.score}</td><td><b>{escape(one.domain)}</b> '
        f'<span class="{one.verdict}">{one.verdict}</span><br>{_address(one.page)}'
        f'<span class="context">{highlighted(one.context, one.keyword)}</span><small>{escape(one.why)}'
        f"{escape(f' To review: {one.reason}.') if one.reason else ''}{_dead(one)}</small></td></tr>"
        for one in top
    )
    return f'<table><thead><tr><th class="n">Score</th><th>Site, page and mention</th></tr></thead><tbody>{rows}</tbody></table>'


def _dead(one: Prospect) -> str:
    """What to write to them: one that links to the client at all, and is worth writing to, has dead links only."""
    if not one.target:
        return ""
    words = f" “{escape(one.anchor)}”" if one.anchor else ""
    return f"<br>Dead link{words} to {escape(_readable(one.target))} on {_address(one.linking_page)}"


def _address(url: str) -> str:
    """A link for a reader's own click; nothing but the web."""
    if not url.startswith(("http://", "https://")):
        return escape(url)
    return f'<a href="{escape(url)}" rel="noreferrer noopener nofollow">{escape(_readable(url))}</a>'


def _readable(url: str) -> str:
    """As a browser shows it; encoded where decoding would hide something."""
    plain = unquote(url)
    return plain if plain.isprintable() and " " not in plain else url


def highlighted(context: str, keyword: str) -> str:
    """What is equal for the matcher is marked: d’équipe for d'équipe."""
    words = fold(collapse(keyword.removesuffix(CASE_SENSITIVE))).text.split()
    if not words:
        return escape(context)
    folded = fold(context)
    shown, at = "", 0
    for found in re.finditer(r"[\s-]+".join(map(re.escape, words)), folded.text):
        start, end = folded.start(found.start()), folded.end(found.end())
        shown += f"{escape(context[at:start])}<mark>{escape(context[start:end])}</mark>"
        at = end
    return shown + escape(context[at:])


def _keywords(summary: Summary) -> Iterator[tuple[str, ...]]:
    names = shown_keywords(summary.keywords)
    counted = sorted(zip(summary.keywords, names, summary.tally.keywords, strict=True), key=lambda one: -one[2].sites)
    for keyword, name, count in counted:
        near = ", ".join(
            f'"{seen}" on {domains:,} domains' for seen, domains in nearest(keyword.keyword, summary.spellings)
        )
        yield name, f"{count.mentions:,}", f"{count.pages:,}", f"{count.sites:,}", near


def _links(summary: Summary) -> str:
    if not summary.tally.links:
        return ""
    rows = ((status, f"{count:,}") for status, count in summary.tally.links.most_common())
    return f"<h2>Links to you</h2>{_table(('Status of the best page', 'Sites'), rows)}"


def _failures(summary: Summary) -> str:
    failures = summary.tally.failures
    if not failures:
        return "<p>No domain failed.</p>"
    rows = ((reason, f"{count:,}", remedy(reason)) for reason, count in failures.most_common(MOST_FAILURES))
    more = len(failures) - MOST_FAILURES
    said = f"<p class='quiet'>And {more:,} more reasons: see errors.csv.</p>" if more > 0 else ""
    return _table(("Reason", "Domains", "What you can do"), rows) + said


def _cost(summary: Summary) -> Iterator[tuple[str, str]]:
    tally, job = summary.tally, summary.job
    yield "ScrapingBee credits", f"{tally.used_credits:,} of {job.max_credits:,} (${summary.used_dollars:,.2f})"
    if tally.reserved_credits:
        yield "Not settled yet", f"{tally.reserved_credits:,} credits"
    for method, count in tally.requests.items():
        yield f"Requests, {method}", f"{count:,}"
    yield "Pages", f"{tally.pages:,}"
    if job.started_at:
        ended = job.left_running_at or summary.taken_at
        yield "Time", _duration(int((ended - job.started_at).total_seconds()))


def _duration(seconds: int) -> str:
    minutes = seconds // 60
    if minutes >= 60:
        return f"{minutes // 60:,} h {minutes % 60} min"
    return f"{minutes} min {seconds % 60} s" if minutes else f"{max(seconds, 0)} s"


def _facts(pairs: Iterable[tuple[str, str]]) -> str:
    return "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in pairs)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The columns of numbers stand right."""
    kinds = [' class="n"' if head in NUMBERS else "" for head in heads]
    head = "".join(f"<th{kind}>{escape(text)}</th>" for kind, text in zip(kinds, heads, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{kind}>{escape(cell)}</td>" for kind, cell in zip(kinds, row, strict=True)) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
