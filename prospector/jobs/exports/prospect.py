"""One row per site: what it is worth, why, and where to look first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from prospector.core.job.spec import spec_from
from prospector.core.lists.metric import Standing
from prospector.core.reading.link_words import link_words, page_link_words
from prospector.core.reading.linking import CLIENT, meant
from prospector.core.reading.traits import LinkStatus, PageFlag
from prospector.core.results.findings import Asked, Gathered, Mention, SiteLinks, best_zone, findings
from prospector.core.results.score import Metric, Scored, Verdict, score
from prospector.core.visits.outcomes import FINISHED, DomainState
from prospector.store.jobs import Job
from prospector.store.results import Results, SiteRow


@dataclass(frozen=True, slots=True)
class Prospect:
    """Plain values only: it is written to a file and read back to be sorted. `cells` are the user's own columns."""

    number: int
    domain: str
    verdict: Verdict
    score: int | None = None
    why: str = ""
    reason: str = ""
    page: str = ""
    title: str = ""
    keyword: str = ""
    zone: str = ""
    context: str = ""
    link: str = ""
    linking_page: str = ""
    anchor: str = ""
    target: str = ""
    mentions: int = 0
    pages_with_mentions: int = 0
    keywords: Sequence[str] = ()
    page_kind: str = ""
    language: str = ""
    contact_page: str = ""
    pages_read: int = 0
    input_row: int = 0
    cells: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Judge:
    """Turns what was found on a site into its row."""

    asked: Asked
    standing: Standing | None

    def prospect(self, site: SiteRow, found: Gathered) -> Prospect:
        verdict = _unjudged(site, found)
        if verdict is not None:
            return _bare(site, verdict)
        best = found.best
        assert best
        return self._judged(site, found, best)

    def _judged(self, site: SiteRow, found: Gathered, best: Mention) -> Prospect:
        scored = score(findings(found, site_links(site), self.asked, self._metric(site)))
        anchor, target = _link_to_client(site)
        return Prospect(
            number=site.number,
            domain=site.domain,
            verdict=scored.verdict,
            score=scored.score,
            why=scored.why,
            reason=scored.reason or _remark(site),
            page=best.url,
            title=best.title or "",
            keyword=self.asked.keywords[best.keyword],
            zone=str(best_zone(best.zone, best.zones)),
            context=best.snippet,
            link=self._link(best, scored),
            linking_page=site.linking_url or "",
            anchor=anchor,
            target=target,
            mentions=found.frequency,
            pages_with_mentions=len(found.pages),
            keywords=[self.asked.keywords[number] for number in sorted(found.keywords)],
            page_kind=str(best.kind or ""),
            language=best.language or "",
            contact_page=site.contact_url or "",
            pages_read=site.pages_read,
            input_row=site.input_row,
            cells=site.cells or {},
        )

    def _link(self, best: Mention, scored: Scored) -> str:
        competitor = bool(best.flags & PageFlag.LINKS_TO_COMPETITOR)
        return page_link_words(
            best.link if self.asked.has_client else None, scored.verdict is Verdict.LINKING, competitor
        )

    def _metric(self, site: SiteRow) -> Metric | None:
        if self.standing is None:
            return None
        return self.standing.metric((site.cells or {}).get(self.standing.name) or "")


def judge_of(found: Results, keywords: Sequence[str]) -> Judge:
    """`keywords`: their names in the files."""
    name = spec_from(found.job.spec).metric_column
    return Judge(asked(found.job, keywords), Standing(name, found.column(name)) if name else None)


def asked(job: Job, keywords: Sequence[str]) -> Asked:
    spec = spec_from(job.spec)
    return Asked(keywords=tuple(keywords), has_client=bool(spec.client_domains), languages=frozenset(spec.languages))


def site_links(site: SiteRow) -> SiteLinks:
    return SiteLinks(site.linking, site.contact_found, site.pages_read)


def _link_to_client(site: SiteRow) -> tuple[str, str]:
    """Its words and where it leads, also through a redirector; of a page whose links are all dead that is a dead address."""
    link = next((one for one in site.links or () if one.get("whose") == CLIENT), {})
    return str(link.get("anchor", "")), meant(str(link.get("url", "")))


def _unjudged(site: SiteRow, found: Gathered) -> Verdict | None:
    """A site is judged when it is done, so that a score never changes under the eyes of who reads it."""
    if site.state is DomainState.FAILED:
        return Verdict.FAILED
    if site.state is not DomainState.DONE:
        return Verdict.WAITING
    return None if found.best else Verdict.NO_MENTION


def _bare(site: SiteRow, verdict: Verdict) -> Prospect:
    being_crawled = "being crawled" if site.state is DomainState.OPEN else ""
    why = site.reason if site.state in FINISHED else ""  # of one that is tried again it is that of the last time
    dead = link_words(LinkStatus.DEAD) if site.linking is LinkStatus.DEAD else ""
    anchor, target = _link_to_client(site)
    return Prospect(
        number=site.number,
        domain=site.domain,
        verdict=verdict,
        reason=why or _remark(site) or being_crawled or dead,
        linking_page=site.linking_url or "",
        anchor=anchor,
        target=target,
        contact_page=site.contact_url or "",
        pages_read=site.pages_read,
        input_row=site.input_row,
        cells=site.cells or {},
    )


def _remark(site: SiteRow) -> str:
    if site.moved_to:
        return f"moved to {site.moved_to}"
    return "crawled in part" if site.partial else ""
