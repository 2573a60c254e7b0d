"""What is counted while the rows go by, and what is said about them in the end."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from prospector.core.job import retention
from prospector.core.job.cost import dollars
from prospector.core.reading.traits import LinkStatus
from prospector.core.results.findings import Mention
from prospector.core.results.score import Verdict
from prospector.core.results.sums import Sum
from prospector.core.visits.outcomes import DomainState
from prospector.core.words.near import not_found
from prospector.jobs.exports.prospect import Prospect
from prospector.store.jobs import Job, Keyword
from prospector.store.kinds import IssueKind
from prospector.store.results import SiteRow

MOST_NAMED_KEYWORDS = 5
CASE_SENSITIVE = " (case-sensitive)"


@dataclass
class KeywordCount:
    mentions: int = 0
    pages: int = 0
    sites: int = 0
    last_site: int = -1


@dataclass
class Tally:
    """Grows with the number of keywords and of different reasons, never with the number of rows."""

    keywords: list[KeywordCount]
    issues: Counter[IssueKind] = field(default_factory=Counter)
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    states: Counter[DomainState] = field(default_factory=Counter)
    links: Counter[str] = field(default_factory=Counter)
    dead_links: int = 0  # sites whose links to the client are all dead
    failures: Counter[str] = field(default_factory=Counter)
    requests: Counter[str] = field(default_factory=Counter)
    rows: int = 0
    pages: int = 0
    used_credits: int = 0
    reserved_credits: int = 0
    duplicate_rows: int = 0
    _last: tuple[int, int, str] | None = None

    def mention(self, one: Mention) -> None:
        """In the order of domain, keyword and address, so that two of one kind stand side by side."""
        self.rows += 1
        count = self.keywords[one.keyword]
        count.mentions += one.frequency
        count.pages += 1
        if count.last_site != one.domain:
            count.last_site = one.domain
            count.sites += 1
        here = (one.domain, one.keyword, one.url)
        self.duplicate_rows += here == self._last
        self._last = here

    def site(self, site: SiteRow, prospect: Prospect) -> None:
        self.verdicts[prospect.verdict] += 1
        self.states[site.state] += 1
        self.pages += site.pages
        self.used_credits += site.used_credits
        self.reserved_credits += site.reserved_credits
        self.requests["direct"] += site.direct_requests
        self.requests["scrapingbee-standard"] += site.standard_requests
        self.requests["scrapingbee-js"] += site.js_requests
        self.dead_links += site.linking is LinkStatus.DEAD
        if prospect.link:
            self.links[prospect.link] += 1
        if site.state is DomainState.FAILED:
            self.failures[site.reason or "no reason was kept"] += 1

    def sum(self, job: Job) -> Sum:
        domains = self.states.total()
        return Sum(
            rows=job.input_rows,
            duplicates=self.issues[IssueKind.DUPLICATE],
            excluded=self.issues[IssueKind.EXCLUDED],
            unusable=self.issues[IssueKind.UNUSABLE],
            domains=domains,
            done=self.states[DomainState.DONE],
            failed=self.states[DomainState.FAILED],
            waiting=self.states[DomainState.WAITING] + self.states[DomainState.OPEN],
            verdicts=self.verdicts,
        )


@dataclass(frozen=True)
class Summary:
    """All that the files say besides their rows."""

    job: Job
    taken_at: datetime
    keywords: Sequence[Keyword]
    spellings: Mapping[str, int]
    tally: Tally
    sum: Sum
    columns: Sequence[str]
    credit_price_usd: Decimal
    retention_days: int

    @property
    def used_dollars(self) -> Decimal:
        return dollars(self.tally.used_credits, self.credit_price_usd)

    @property
    def headline(self) -> str:
        qualified, review = (self.sum.verdicts.get(one, 0) for one in (Verdict.QUALIFIED, Verdict.REVIEW))
        words = f"{_count(qualified, 'qualified opportunity', 'qualified opportunities')} and {review:,} to review"
        return f"{words} on {_count(self.sum.domains, 'domain')}"

    @property
    def nothing_found(self) -> list[str]:
        """Why there is no row, one line a keyword; empty where there are rows."""
        if self.tally.rows:
            return []
        done = self.sum.done
        if not done:
            failed = f", {self.sum.failed:,} failed" if self.sum.failed else ""
            return (
                [f"No domain is done yet: {self.sum.waiting:,} wait{failed}. Export again later."]
                if self.sum.waiting
                else [f"No domain could be read: {_count(self.sum.failed, 'domain')} failed. errors.csv says why."]
            )
        lines = [not_found(one.keyword, done, self.spellings) for one in self.keywords[:MOST_NAMED_KEYWORDS]]
        more = len(self.keywords) - MOST_NAMED_KEYWORDS
        return [*lines, f"Nor of {more:,} more keywords."] if more > 0 else lines

    @property
    def notes(self) -> list[str]:
        """What a reader has to know before using the files."""
        lines = list(self.nothing_found)
        if self.sum.is_partial:
            lines.append(self._partial())
        if self.tally.dead_links:
            sites = _count(self.tally.dead_links, "site links", "sites link")
            lines.append(
                f"{sites} to you, but only to addresses of yours that are dead: link_target in prospects.csv says which."
            )
        if self.tally.reserved_credits:
            credits_held = _count(self.tally.reserved_credits, "credit")
            lines.append(f"{credits_held} more may have been used by calls whose answer is missing (unsettled).")
        lines.append(self._deletion())
        return lines

    def _deletion(self) -> str:
        job, days = self.job, self.retention_days
        return retention.warning(retention.deleted_on(job.state, job.left_running_at, job.moved_at, days), days)

    def _partial(self) -> str:
        waiting, being_crawled = self.tally.states[DomainState.WAITING], self.tally.states[DomainState.OPEN]
        return (
            f"Partial: {self.sum.waiting:,} of {self.sum.domains:,} domains are missing ({waiting:,} waiting, "
            f"{being_crawled:,} being crawled). This is what was known at {self.taken_at:%Y-%m-%d %H:%M} UTC; a site gets its "
            "score when it is done."
        )


def shown_keywords(keywords: Sequence[Keyword]) -> list[str]:
    """Their names in files. One that is listed twice, once with its case, has to be two."""
    listed = Counter(one.keyword for one in keywords)
    return [
        one.keyword + CASE_SENSITIVE if one.case_sensitive and listed[one.keyword] > 1 else one.keyword
        for one in keywords
    ]


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
