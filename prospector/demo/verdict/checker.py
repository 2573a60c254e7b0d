"""The verdict on a crawl of the small web: one line a promise, what was seen and what is allowed."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from prospector.demo.verdict.coverage import Coverage, Failures, Row, coverage, failures
from prospector.demo.verdict.dead_links import DeadLinks, dead_links
from prospector.demo.verdict.politeness import Manners, manners
from prospector.demo.web.plan import Plan
from prospector.demo.web.request_log import Entry
from prospector.demo.web.truth import Limits
from prospector.errors import InputInvalid

LEAST_RECALL = 0.99
LEAST_PRECISION = 0.995
MOST_FAILED_SHARE = 0.05
PAGE_CAP = 500
EXAMPLES = 5


@dataclass(frozen=True)
class Line:
    """`good` is None where the figure is only told."""

    what: str
    seen: str
    allowed: str
    good: bool | None
    examples: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Bars:
    """What the crawl was asked to keep. `paid_cap` 0: not judged."""

    delay_seconds: float = 1.0
    page_cap: int = PAGE_CAP
    paid_cap: int = 0
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class Crawl:
    """What a crawl left behind. `failed`, `credits_charged` and `dead_links` (domains) are None where nobody gave them."""

    entries: Iterable[Entry]
    rows: Iterable[Row]
    failed: Sequence[str] | None = None
    credits_charged: int | None = None
    dead_links: Sequence[str] | None = None


@dataclass(frozen=True)
class Verdict:
    lines: list[Line]

    @property
    def good(self) -> bool:
        return all(line.good is not False for line in self.lines)

    def as_json(self) -> dict[str, object]:
        return {"good": self.good, "lines": [asdict(line) for line in self.lines]}


def check(plan: Plan, crawl: Crawl, bars: Bars) -> Verdict:
    lines = _found(coverage(plan, crawl.rows, bars.limits))
    if crawl.failed is not None:
        lines += _failed(failures(plan, crawl.failed, bars.limits))
    if crawl.dead_links is not None:
        lines += _dead_links(dead_links(plan, crawl.dead_links, bars.limits))
    kept = manners(plan, crawl.entries, delay_seconds=bars.delay_seconds, page_cap=bars.page_cap)
    lines += _kept(kept, bars)
    if crawl.credits_charged is not None:
        lines.append(Line("credits charged", f"{crawl.credits_charged:,}", "", None))
    return Verdict(lines)


def credits_charged(path: Path) -> int:
    """The simulator's truth: JSON lines, one a call, each with its `cost`."""
    try:
        return sum(json.loads(line)["cost"] for line in path.read_text(encoding="utf-8").splitlines())
    except (ValueError, KeyError, TypeError) as error:
        raise InputInvalid(f"{path}: {error!r}.", "Each line must be a JSON object with a number `cost`.") from None


def _found(found: Coverage) -> list[Line]:
    missed, untrue = len(found.missed), len(found.untrue)
    return [
        _least(
            "recall", found.recall, LEAST_RECALL, f"{found.expected - missed:,} of {found.expected:,}", found.missed
        ),
        _least(
            "precision", found.precision, LEAST_PRECISION, f"{found.rows - untrue:,} of {found.rows:,}", found.untrue
        ),
        _none("wrong frequencies", found.wrong_frequency),
        _none("duplicate rows", found.duplicates),
    ]


def _failed(found: Failures) -> list[Line]:
    return [
        Line(
            "accessible domains failed",
            f"{found.failed_share:.1%}",
            f"< {MOST_FAILED_SHARE:.0%}",
            found.failed_share < MOST_FAILED_SHARE,
            found.wrongly_failed[:EXAMPLES],
        ),
        _none("failures not said", found.not_said),
    ]


def _dead_links(found: DeadLinks) -> list[Line]:
    return [
        _none("dead links not said", found.not_said, f" of {len(found.planned):,}"),
        _none("dead links that are not", found.untrue),
    ]


def _kept(found: Manners, bars: Bars) -> list[Line]:
    smallest = "-" if found.smallest_gap_seconds is None else f"{found.smallest_gap_seconds:.3f} s"
    return [
        Line("requests", f"{found.requests:,}", "", None),
        _none(f"gaps under {bars.delay_seconds:.3f} s", found.short_gaps, f" of {found.gaps:,}"),
        Line("of these shorter by a tenth", f"{found.very_short_gaps:,}", "", None),
        Line("smallest gap", smallest, "", None),
        _none("robots.txt violations", found.robots),
        _none("robots.txt read again", found.robots_again),
        _none("before Retry-After", found.too_early),
        _none("canary hits", found.canaries),
        _none(f"pages in traps beyond {bars.page_cap}", found.trapped),
        Line("pages fetched again", f"{found.fetched_again:,}", "", None),
        Line("peak in flight", f"{found.peak:,}", "", None),
        Line("peak in flight at one site", f"{found.peak_of_a_site:,}", "", None),
        Line(
            "peak paid in flight",
            f"{found.peak_paid:,}",
            f"<= {bars.paid_cap}" if bars.paid_cap else "",
            found.peak_paid <= bars.paid_cap if bars.paid_cap else None,
        ),
    ]


def _least(what: str, share: float, bar: float, of: str, examples: list[str]) -> Line:
    return Line(what, f"{share:.4f} ({of})", f">= {bar}", share >= bar, examples[:EXAMPLES])


def _none(what: str, found: list[str], of: str = "") -> Line:
    return Line(what, f"{len(found):,}{of}", "0", not found, found[:EXAMPLES])
